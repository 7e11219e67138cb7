"""Number words as digits: "noll sju noll" reads 0 7 0, "сто двадцать три" reads 123."""

from typing import Final

from oblio.filter.lexicon import LEXICON

_TAG: Final = "num."
_TENS: Final = range(20, 100, 10)
_UNITS: Final = range(1, 10)
_HUNDRED: Final = 100


def _table() -> dict[str, int]:
    plain = {
        word: int(tag.removeprefix(_TAG))
        for word, tags in LEXICON.exact.items()
        for tag in tags
        if tag.startswith(_TAG)
    }
    tens = [(word, value) for word, value in plain.items() if value in _TENS]
    units = [(word, value) for word, value in plain.items() if value in _UNITS]
    compounds = {
        f"{ten}{hyphen}{unit}": high + low for ten, high in tens for unit, low in units for hyphen in ("", "-")
    }
    return compounds | plain


WORDS: Final = _table()


def joins(value: int, following: int, /) -> bool:
    """Whether a spoken number goes on: tens take a unit, hundreds take anything below a hundred."""
    if value % _HUNDRED == 0 and value:
        return 0 < following < _HUNDRED
    return value % 10 == 0 and value % _HUNDRED in _TENS and following in _UNITS
