"""What all errors of Oblio have in common.

Programs read the code, people read what it says and how to go on. The facts filled into these sentences are numbers
and tokens that this code chose itself, so an error can be logged: no word of a person, a file or a library is in it.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar


class Fault(Exception):  # noqa: N818 -- the family name; each subclass says what is wrong
    """Every error that Oblio knows; an exception of another kind is a mistake in it."""

    code: ClassVar[str] = "oblio.fault"
    says: ClassVar[str] = "Something went wrong."
    fix: ClassVar[str] = "Run `oblio doctor`."

    def __init__(self, **facts: str | int) -> None:
        self.facts = facts
        super().__init__(facts)

    def __str__(self) -> str:
        sentences = f"{self.says} {self.fix}".format_map(self.facts)
        return f"{self.code}: {sentences}"

    def __reduce__(self) -> tuple[Callable[..., "Fault"], tuple[type["Fault"], Mapping[str, str | int]]]:
        return _made, (type(self), self.facts)


def _made(kind: type[Fault], facts: Mapping[str, str | int], /) -> Fault:
    """Return a fault as it was before it was pickled."""
    return kind(**facts)
