"""Second views of a text, made only where a cheap sign asks for them."""

import re
from collections.abc import Iterator
from typing import Final

from oblio.filter.normalise import Normal, rebuilt
from oblio.filter.numberwords import WORDS, joins
from oblio.filter.reading import Reading

_SPACED: Final = re.compile(r"(?<!\w)\w(?: \w){3,}(?!\w)")
_O_AND_L: Final = re.compile(r"(?<![^\W\dOoОоlI])[0-9OoОоlI][0-9OoОоlI .()+-]{6,30}[0-9OoОоlI](?![^\W\d])")
_DIGITS: Final = str.maketrans("OoОоlI", "000011")
_LEAST_DIGITS: Final = 4
_LEAST_WORDS: Final = 3


def views(reading: Reading, /) -> Iterator[Reading]:
    """Yield further readings for the identifier rules: letters and number words as digits, spaced letters joined."""
    for normal in (_letters_as_digits(reading.normal), _letters_joined(reading.normal), _words_as_digits(reading)):
        if normal is not None:
            yield Reading(normal)


def _letters_as_digits(normal: Normal) -> Normal | None:
    """Replace O and l by digits inside runs that are mostly digits; lengths stay."""

    def fold(found: re.Match[str]) -> str:
        run = found.group()
        digits = sum(map(str.isdigit, run))
        letters = sum(map(str.isalpha, run))
        return run.translate(_DIGITS) if digits >= _LEAST_DIGITS and digits > letters > 0 else run

    text = _O_AND_L.sub(fold, normal.text)
    return None if text == normal.text else Normal(text, normal.given, normal.origin)


def _letters_joined(normal: Normal) -> Normal | None:
    """Join letters that stand apart, as in "p a s s w o r d"."""
    pieces: list[tuple[str, int]] = []
    at = 0
    for found in _SPACED.finditer(normal.text):
        if found.group().replace(" ", "").isdigit():
            continue
        pieces.append((normal.text[at : found.start()], at))
        pieces.extend((char, found.start() + step) for step, char in enumerate(found.group()) if char != " ")
        at = found.end()
    if not pieces:
        return None
    pieces.append((normal.text[at:], at))
    return rebuilt(normal, pieces)


def _words_as_digits(reading: Reading) -> Normal | None:
    """Write number words as digits where at least three occur."""
    spoken = [token for token in reading.tokens if token.word in WORDS]
    if len(spoken) < _LEAST_WORDS:
        return None
    pieces: list[tuple[str, int]] = []
    at = index = 0
    while index < len(spoken):
        start, value = spoken[index].start, WORDS[spoken[index].word]
        while index + 1 < len(spoken) and _adjacent(reading, spoken[index].end, spoken[index + 1].start):
            following = WORDS[spoken[index + 1].word]
            if not joins(value, following):
                break
            value += following
            index += 1
        pieces += (reading.text[at:start], at), (str(value), start)
        at = spoken[index].end
        index += 1
    pieces.append((reading.text[at:], at))
    return rebuilt(reading.normal, pieces)


def _adjacent(reading: Reading, left: int, right: int) -> bool:
    return reading.text[left:right] == " "
