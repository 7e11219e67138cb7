"""Whose statement it is: shared checks of the rules about meaning."""

from typing import Final

from oblio.filter.reading import Reading, Tagged

_OWNED_WITHIN: Final = 5
_OPENING_WITHIN: Final = 6
_RU_OWN_VERBS: Final = (
    "аю",
    "яю",
    "ею",
    "ую",
    "рю",
    "лю",
    "ожу",
    "ою",
    "юсь",
    "усь",
    "чил",
    "дел",
    "шёл",
    "лась",
    "лся",
)


def near_tokens(reading: Reading, place: Tagged, *tags: str, before: int, after: int) -> bool:
    """Whether a token with one of the tags stands within so many words of the place, in the same sentence."""
    if not reading.has(*tags):
        return False
    return any(reading.tagged(index, *tags) for index in reading.beside(place, before=before, after=after))


def own(reading: Reading, place: Tagged, *, within: int) -> bool:
    """Whether a word for "I" or "my" stands within so many words on either side, in the same sentence."""
    inside = any(reading.tagged(index, "self") for index in range(place.first, place.last + 1))
    return inside or near_tokens(reading, place, "self", before=within, after=within) or _unsaid(reading, place)


def _unsaid(reading: Reading, place: Tagged) -> bool:
    """Whether the "I" is left out, as Russian does: the sentence opens with a verb of the first person or the past."""
    if reading.word(place.first).isascii():
        return False
    opening = next(reversed([*reading.beside(place, before=_OPENING_WITHIN, after=0)]), place.first)
    starts = opening == 0 or reading.sentence(opening - 1) != reading.sentence(opening)
    return starts and opening < place.first and reading.word(opening).endswith(_RU_OWN_VERBS)


def claimed(reading: Reading, place: Tagged) -> bool:
    """Whether "I have", "I am" or "my" leads to the place with nothing about work or interests in between."""
    for index in range(place.first - 1, max(place.first - 1 - _OWNED_WITHIN, -1), -1):
        if reading.tagged(index, "topic.work", "topic.interest", "topic.make"):
            return False
        if reading.tagged(index, "self.have"):
            return True
    return False
