"""What a rule is: an id, a reason, examples that run, and a function from a reading to spans."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from oblio.filter.reading import Reading
from oblio.model.screening import Reason

DIGIT: Final = "digit"
AT_SIGN: Final = "@"
SIGN: Final = ":="
"""A colon or an equals sign."""
LONG: Final = "long"
"""A run of fifteen or more characters without a space."""
ALWAYS: Final = ""

Finder = Callable[[Reading], Iterable[tuple[int, int]]]


class Examples(NamedTuple):
    """Texts that show a rule; a test runs them."""

    fires: tuple[str, ...]
    quiet: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One reason to cut or refuse."""

    id: str
    why: str
    examples: Examples = field(repr=False)
    needs: tuple[str, ...]
    """Cheap features, any of which must be there before `find` runs: a lexicon tag, `DIGIT`, `AT_SIGN`, `SIGN`,
    `LONG`, `ALWAYS`."""
    find: Finder = field(repr=False)

    @property
    def category(self) -> Reason:
        """The category, first part of the id."""
        return Reason(self.id.partition(".")[0])


class Hit(NamedTuple):
    """One finding, offsets of the normal form."""

    start: int
    end: int
    rule: Rule


def rule(
    name: str, why: str, /, *, needs: tuple[str, ...], fires: tuple[str, ...], quiet: tuple[str, ...]
) -> Callable[[Finder], Rule]:
    """Make a rule from a finder."""

    def made(find: Finder) -> Rule:
        return Rule(id=name, why=why, examples=Examples(fires, quiet), needs=needs, find=find)

    return made
