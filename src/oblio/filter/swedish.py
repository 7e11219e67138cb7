"""Swedish personal numbers: ordinary, coordination (day + 60) and interim (a letter in the serial).

Source: the form set out by the Swedish Tax Agency: `[CC]YYMMDD[-+]NNNC`, the last digit by Luhn over the ten digits.
Own code, because the library at hand knows neither coordination nor interim numbers.
"""

from datetime import date
from typing import Final

INTERIM_LETTERS: Final = "TRSUWXJKLMN"
_CENTURIES: Final = (1800, 1900, 2000)
_SHORT: Final = 10
_LONG: Final = 12
_SHIFT: Final = 60


def luhn(digits: str, /) -> bool:
    """Whether the digits satisfy the Luhn check."""
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) << (index & 1)
        total += value - 9 if value > 9 else value  # noqa: PLR2004 -- two digits are added up
    return total % 10 == 0


def real_date(year: int, month: int, day: int, /) -> bool:
    """Whether the calendar has this day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _dated(years: list[int], month: int, day: int) -> bool:
    if day >= _SHIFT:  # coordination numbers may leave month or day open
        return 0 <= month <= 12 and day <= _SHIFT + 31  # noqa: PLR2004 -- months and days
    return any(real_date(year, month, day) for year in years)


def is_personal(digits: str, /) -> bool:
    """Whether 10 or 12 digits can be the number of a Swedish person: a date and the check digit."""
    if len(digits) == _LONG:
        years = [int(digits[:4])]
        if years[0] // 100 not in (18, 19, 20):
            return False
        digits = digits[2:]
    elif len(digits) == _SHORT:
        years = [century + int(digits[:2]) for century in _CENTURIES]
    else:
        return False
    return _dated(years, int(digits[2:4]), int(digits[4:6])) and luhn(digits)


def is_interim(day: str, letter: str, serial: str, /) -> bool:
    """Whether a date of 6 or 8 digits, a letter and three digits make an interim number (check digit: letter as 1)."""
    return letter.upper() in INTERIM_LETTERS and is_personal(f"{day}1{serial}")
