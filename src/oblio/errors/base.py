"""The root of every error that Oblio raises on purpose.

An error carries a stable code, what happened and the next step, and facts that are counts, states or names from a
closed list. Content, external ids, exception texts of libraries and paths given by a person never enter it.
"""

from functools import partial
from typing import ClassVar, Self


class Fault(Exception):  # noqa: N818 -- the family name; each subclass says what is wrong
    """Root of the error tree; catch this to catch everything Oblio raises on purpose."""

    code: ClassVar[str] = "oblio.fault"
    says: ClassVar[str] = "Something went wrong."
    fix: ClassVar[str] = "Run `oblio doctor`."

    def __init__(self, **facts: str | int) -> None:
        super().__init__(facts)
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.code}: {self.says} {self.fix}".format_map(self.facts)

    def __reduce__(self) -> tuple[partial[Self], tuple[()]]:
        return partial(type(self), **self.facts), ()
