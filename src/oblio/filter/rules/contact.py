"""E-mail addresses and telephone numbers."""

import re
from collections.abc import Iterator
from typing import Final

from phonenumbers import NumberParseException, is_possible_number, is_valid_number, parse

from oblio.filter.numbers import Number
from oblio.filter.reading import Reading
from oblio.filter.rules.base import AT_SIGN, DIGIT, rule

_LOCAL_MAX: Final = 64
_DOMAIN_MAX: Final = 255
_LOCAL: Final = re.compile(r"[\w.+%-]")
_DOMAIN: Final = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_BRACKET_AT: Final = re.compile(r"[(\[{<] ?(?:at|ät|@|snabel-a|собака) ?[)\]}>]", re.IGNORECASE)
_PLACEHOLDER: Final = frozenset(
    {"test", "user", "you", "your", "name", "username", "foo", "someone", "email", "git", "example"}
)
_PHONE_MIN, _PHONE_MAX = 7, 15
# Usual groupings: in these a number counts even when further digits stand beside it.
_GROUPINGS: Final = (
    (3, 7), (3, 8), (2, 8), (4, 6), (5, 6), (2, 9), (3, 3, 4), (1, 3, 3, 4), (3, 3, 2, 2), (1, 3, 3, 2, 2),
    (2, 2, 3, 2, 2), (2, 2, 2, 2, 2), (2, 1, 2, 2, 2, 2), (2, 3, 6), (2, 4, 6), (3, 4, 4), (4, 3, 3), (2, 3, 3, 2, 2),
    (3, 2, 2, 2), (2, 3, 2, 2, 2), (2, 4, 3, 3), (2, 2, 4, 4), (2, 1, 3, 3, 2), (9,), (10,), (11,), (12,), (2, 10),
)  # fmt: skip
_SHAPES: Final = frozenset(_GROUPINGS)
_PHONE_LABELLED_MAX: Final = 12
_DATES: Final = frozenset({(4, 2, 2), (2, 2, 4), (2, 2, 2)})


def _local_start(text: str, at: int) -> int:
    start = at
    while start and at - start < _LOCAL_MAX and _LOCAL.match(text[start - 1]):
        start -= 1
    return start


def _mailbox(text: str, left: int, right: int) -> tuple[int, int] | None:
    """Span of an address whose separator covers `left` to `right`."""
    start = _local_start(text, left)
    found = _DOMAIN.match(text, right, min(len(text), right + _DOMAIN_MAX))
    if start == left or found is None or found.group().rpartition(".")[2].isdigit():
        return None
    if text[start:left].lower() in _PLACEHOLDER and "example" in found.group().lower():
        return None
    return None if text[start:left] == "git" else (start, found.end())


@rule(
    "email.plain",
    "An e-mail address.",
    needs=(AT_SIGN,),
    fires=("skriv till kim.ek@example.org", "пишите на почта@пример.рф"),
    quiet=("the @cached decorator is handy", "expect test@example.com in the fixture"),
)
def email_plain(reading: Reading) -> Iterator[tuple[int, int]]:
    """Look left and right of each @; placeholder addresses of documentation are let through."""
    at = reading.text.find("@")
    while at >= 0:
        if (found := _mailbox(reading.text, at, at + 1)) is not None:
            yield found
        at = reading.text.find("@", at + 1)


@rule(
    "email.spoken",
    "An e-mail address with the at-sign or the dot written as words.",
    needs=("mail.at",),
    fires=("kim(at)example.org", "kim snabel-a brevlada punkt se"),
    quiet=("meet at example dot", "моя собака любит снег"),
)
def email_spoken(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find bracketed at-words, and at-words followed by a domain whose dots are words."""
    for found in _BRACKET_AT.finditer(reading.text):
        left = found.start() - (reading.text[found.start() - 1 : found.start()] == " ")
        right = found.end() + (reading.text[found.end() : found.end() + 1] == " ")
        if (box := _mailbox(reading.text, left, right)) is not None:
            yield box
    for place in reading.where("mail.at"):
        last = _spoken_end(reading, place.last)
        if place.first and last is not None:
            yield reading.span(_spoken_start(reading, place.first - 1), last)


def _spoken_end(reading: Reading, at: int) -> int | None:
    """Index of the last token of "host dot tld" after the at-word."""
    last = None
    index = at + 1
    while reading.tagged(index + 1, "mail.dot") and 2 <= len(reading.word(index + 2)) <= 63:  # noqa: PLR2004 -- a DNS label
        index += 2
        last = index
    if last is None and reading.word(at) != "at" and (token := reading.tokens[at + 1 : at + 3])[1:]:
        joined = reading.text[token[0].end : token[1].start]
        return at + 2 if joined == "." else None
    return last if last is not None and reading.word(last).isalpha() else None


def _spoken_start(reading: Reading, index: int) -> int:
    while index > 1 and reading.tagged(index - 1, "mail.dot"):
        index -= 2
    return index


def _regions(number: Number) -> tuple[str, ...]:
    """Regions whose national form begins like this number."""
    digits = number.digits
    if digits[0] == "0":
        return ("SE", "GB", "FI", "DE", "FR")
    if digits[0] in "87" and len(digits) == 11:  # noqa: PLR2004 -- trunk 8 and ten digits
        return ("RU",)
    if len(digits) == 10 and number.sizes == (3, 3, 4):  # noqa: PLR2004 -- North American grouping
        return ("US",)
    if len(digits) == 9 and digits[0] in "6789":  # noqa: PLR2004 -- Spanish numbers have nine digits
        return ("ES",)
    return ()


def _valid(digits: str, region: str | None, *, strict: bool) -> bool:
    try:
        parsed = parse(digits, region)
    except NumberParseException:
        return False
    return bool(is_valid_number(parsed) if strict else is_possible_number(parsed))


def _is_phone(reading: Reading, number: Number) -> bool:
    if number.lead == "+":
        return _valid("+" + number.digits, None, strict=not number.whole)
    span = {"start": number.start, "end": number.end}
    if reading.labelled("number.order", "label.entity", before=14, **span) or reading.labelled(
        "number.unit", before=0, after=2, **span
    ):
        return False
    named = reading.labelled("label.phone", before=40, after=30, **span)
    regions = _regions(number)
    if not named and "-" not in number.gaps and number.digits[0] == "0" and not _mobile_like(number):
        return False
    if not named and len(number.digits) == 9 and number.digits[0] != "0":  # noqa: PLR2004 -- nine digits say little
        return False
    if any(_valid(number.digits, region, strict=True) for region in regions):
        return True
    strong = number.whole and reading.labelled("label.phone_strong", before=20, **span)
    return strong and len(number.digits) <= _PHONE_LABELLED_MAX and number.sizes not in _DATES


def _mobile_like(number: Number) -> bool:
    """Whether a number with a leading zero has the size of a phone number; short ones are counts or times."""
    return len(number.digits) in (10, 11) and number.digits[1] != "0"


@rule(
    "phone.number",
    "A telephone number: international, or valid in a region by its leading digits.",
    needs=(DIGIT,),
    fires=("ring 070-174 06 35", "call +44 20 7946 0321"),
    quiet=("the job took 300 to 900 ms", "ordernummer 0701740635"),
)
def phone_number(reading: Reading) -> Iterator[tuple[int, int]]:
    """Ask the library about own candidates only; a match inside a longer number does not count."""
    for number in reading.numbers:
        fits = (number.whole or number.sizes in _SHAPES) and _PHONE_MIN <= len(number.digits) <= _PHONE_MAX
        if fits and _is_phone(reading, number):
            start = number.start - (1 if number.lead else 0)
            yield start, number.end


RULES: Final = (email_plain, email_spoken, phone_number)
