"""What makes a finding harmless: a pet, a public work, a subject of study, a title, a fixed phrase.

One scope rule holds for all of them: the exempting word stands in the sentence of the finding and within a few words
of it. No word silences a rule for a text as a whole.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.frame import claimed

_TITLE_WORDS: Final = 6
_POSSESSIVES: Final = ("poss.en", "poss.sv", "poss.ru", "poss.other")
_PERSONAL: Final = ("self", "person.verb", "person.noun", *_POSSESSIVES)
"""What no title that is let through may hold: I, my, or a verb that tells of a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """Words that exempt what stands near them."""

    tags: tuple[str, ...]
    before: int
    """Most words between the exempting word and a finding behind it, plus one; 0 when it must not stand ahead."""
    after: int
    """The same for an exempting word behind the finding."""
    barred: tuple[str, ...] = ()
    """Tags of words that undo it between the two, or right behind the finding."""

    def covers(self, reading: Reading, place: Tagged, /) -> bool:
        """Whether the finding at `place` is exempt."""
        if not reading.has(*self.tags):
            return False
        if self.barred and reading.tagged(place.last + 1, *self.barred):
            return False
        return any(
            reading.tagged(index, *self.tags) and not self._undone(reading, place, index)
            for index in reading.beside(place, before=self.before, after=self.after)
        )

    def _undone(self, reading: Reading, place: Tagged, word: int) -> bool:
        between = range(min(word, place.last) + 1, max(word, place.first))
        return bool(self.barred) and any(reading.tagged(index, *self.barred) for index in between)


PET: Final = Exemption(tags=("pet",), before=6, after=6)
PUBLIC: Final = Exemption(tags=("topic.public",), before=6, after=3, barred=("person.private",))
THING: Final = Exemption(tags=("topic.public", "number.order"), before=6, after=0)
GRAMMAR: Final = Exemption(tags=("pronoun.exempt",), before=6, after=6)
TECHNICAL: Final = Exemption(tags=("health.tech",), before=2, after=4, barred=("clause.join",))
_INTEREST: Final = Exemption(tags=("topic.interest",), before=4, after=2)
_WORK: Final = Exemption(tags=("topic.work", "topic.make", "health.place"), before=10, after=1)
_WORK_NAMED: Final = Exemption(tags=("work.titled",), before=3, after=3)


def topical(reading: Reading, place: Tagged) -> bool:
    """Whether the word is a subject of work or interest, not a statement about the person."""
    covered = _INTEREST.covers(reading, place) or _WORK.covers(reading, place)
    return covered and not claimed(reading, place)


def idiomatic(reading: Reading, place: Tagged) -> bool:
    """Whether the word is part of a fixed phrase with another meaning."""
    return any(reading.tagged(index, "idiom") for index in range(place.first, place.last + 1))


def is_title(reading: Reading, quote: tuple[int, int]) -> bool:
    """Whether a quotation is the title of a work: short, beside a word for a work, and telling of no person."""
    first, last = reading.at_character(quote[0]), reading.at_character(quote[1]) - 1
    if not 0 <= last - first < _TITLE_WORDS:
        return False
    told = any(reading.tagged(index, *_PERSONAL) for index in range(first, last + 1))
    return not told and _WORK_NAMED.covers(reading, Tagged(first, last))


def in_title(reading: Reading, place: Tagged) -> bool:
    """Whether the place stands in the title of a work."""
    start, end = reading.span(place.first, place.last)
    at = bisect_right(reading.quotes, (start, len(reading.text))) - 1
    return at >= 0 and end <= reading.quotes[at][1] and is_title(reading, reading.quotes[at])
