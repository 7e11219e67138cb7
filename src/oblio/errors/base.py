"""What all errors of Oblio have in common.

Programs read the code, people read what it says and how to go on. The facts filled into these sentences are numbers and
tokens that this code chose itself, so an error can be logged: nothing that a person, a file or a library wrote is in it.
"""

from functools import partial
from typing import ClassVar, Self


class Fault(Exception):  # noqa: N818 -- the family name; each subclass says what is wrong
    """Every error that Oblio knows; an exception of another kind is a mistake in it."""

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
