"""Numbers as people write them: digit chunks joined over spaces, dots and dashes."""

import re
from itertools import pairwise
from typing import Final, NamedTuple

MIN_DIGITS: Final = 6
MAX_DIGITS: Final = 20
_MAX_CHUNKS: Final = 20
_CHUNK: Final = re.compile(r"(?<![^\W\d_])[0-9]+(?![^\W\d_])")
_GAP: Final = re.compile(r"[ .()+/\-\n]{1,3}|\)? ?- ?")
_UUID: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])")


class Number(NamedTuple):
    """One way to read neighbouring digit chunks as a single number."""

    start: int
    end: int
    digits: str
    sizes: tuple[int, ...]
    """Digits per chunk."""
    gaps: tuple[str, ...]
    whole: bool
    """Whether no further chunk touches it on either side."""
    lead: str
    """`+`, `(` or nothing: the character before the first digit."""


def _groups(text: str) -> list[list[tuple[int, int]]]:
    skip = [found.span() for found in _UUID.finditer(text)]
    groups: list[list[tuple[int, int]]] = []
    for found in _CHUNK.finditer(text):
        start, end = found.span()
        if any(left <= start < right for left, right in skip):
            continue
        if groups and _GAP.fullmatch(text, groups[-1][-1][1], start):
            groups[-1].append((start, end))
        else:
            groups.append([(start, end)])
    return groups


def _windows(text: str, group: list[tuple[int, int]], first: int) -> list[Number]:
    found: list[Number] = []
    total = 0
    for last in range(first, min(len(group), first + _MAX_CHUNKS)):
        total += group[last][1] - group[last][0]
        if total > MAX_DIGITS:
            break
        if total < MIN_DIGITS or (total == last - first + 1 < len(group)):
            continue  # single digits count only as a whole: "1 9 8 7 ...", not every part of a long row
        chunks = group[first : last + 1]
        start, end = chunks[0][0], chunks[-1][1]
        before = text[start - 1] if start else ""
        found.append(
            Number(
                start=start,
                end=end,
                digits="".join(text[left:right] for left, right in chunks),
                sizes=tuple(right - left for left, right in chunks),
                gaps=tuple(text[left[1] : right[0]] for left, right in pairwise(chunks)),
                whole=first == 0 and last == len(group) - 1,
                lead=before if before in ("+", "(") else "",
            )
        )
    return found


def numbers_in(text: str, /) -> list[Number]:
    """All readings of 6 to 20 digits; work is linear, since a reading spans at most 20 chunks."""
    return [number for group in _groups(text) for first in range(len(group)) for number in _windows(text, group, first)]
