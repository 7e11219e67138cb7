"""One normal form of a text, with a map from every normal character back to the text as given.

Invariants: the map never decreases; lower-casing the normal form keeps its length; a span of the normal form maps to a
span that covers every given character it came from, removed ones in between included.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final

_INVISIBLE: Final = frozenset("\u00ad\u180e\u034f\u061c\ufeff\u2060\u2061\u2062\u2063\u2064") | {
    chr(code)
    for span in ((0x200B, 0x2010), (0x202A, 0x202F), (0x2066, 0x2070), (0xFE00, 0xFE10))
    for code in range(*span)
}
_DASHES: Final = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u058a")
_PLAIN: Final = {
    "\u00a0": " ",
    "\u1680": " ",
    "\u0130": "I",
    "\u00b7": ".",
    "\u02bc": "'",
    "\u2019": "'",
    "\u2018": "'",
}
_WIDE: Final = 0x2000
# Everything that the slow path changes: text without such a character is its own normal form.
_SPECIAL: Final = re.compile(
    r"[\u00a0\u00ad\u00b7\u0130\u02bc\u0300-\u036f\u058a\u061c\u1680\u180e\u2000-\U0010ffff]|(?![0-9])\d"
)


@dataclass(frozen=True, slots=True)
class Normal:
    """Normal form of one text."""

    text: str = field(repr=False)
    given: str = field(repr=False)
    origin: tuple[int, ...] | None = field(default=None, repr=False)
    """Offset in `given` of each character of `text`; `None` when the two are equal."""

    def back(self, start: int, end: int, /) -> tuple[int, int]:
        """Map a non-empty span of the normal form to the span of the given text that it came from."""
        if self.origin is None:
            return start, end
        last = self.origin[end - 1] + 1
        after = self.origin[end] if end < len(self.origin) else len(self.given)
        return self.origin[start], max(last, after)


def _plain(char: str) -> str:
    """What one character becomes: nothing, one or a few characters."""
    if char in _INVISIBLE:
        return ""
    if char in _DASHES:
        return "-"
    if (known := _PLAIN.get(char)) is not None:
        return known
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if ord(char) >= _WIDE:
        return "".join(_PLAIN.get(part, part) for part in unicodedata.normalize("NFKC", char))
    return char


def normalise(given: str, /) -> Normal:
    """Fold compatibility forms, digits of every script, dashes and spaces; drop invisible characters.

    A combining mark joins the letter before it where Unicode has one character for both.
    """
    if _SPECIAL.search(given) is None:
        return Normal(given, given)
    out: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(given):
        if "\u0300" <= char <= "\u036f" and out:
            joined = unicodedata.normalize("NFC", out[-1] + char)
            if len(joined) == 1:
                out[-1] = joined
                continue
        for part in char if char < "\u00a0" else _plain(char):
            out.append(part)
            origin.append(index)
    return Normal("".join(out), given, tuple(origin))


def rebuilt(base: Normal, pieces: list[tuple[str, int]], /) -> Normal:
    """Make a further view from pieces and their offsets in the normal text; its map leads to the given text."""
    text = "".join(piece for piece, _ in pieces)
    at = base.origin
    origin = tuple(
        (offset + step if at is None else at[min(offset + step, len(at) - 1)])
        for piece, offset in pieces
        for step in range(len(piece))
    )
    return Normal(text, base.given, origin)
