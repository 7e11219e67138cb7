"""Cards and bank accounts."""

import re
from collections.abc import Iterator
from typing import Final

from stdnum import iban

from oblio.filter.reading import Reading
from oblio.filter.rules.base import DIGIT, rule
from oblio.filter.rules.national_id import harmless
from oblio.filter.swedish import luhn

_CARD_HEADS: Final = ("34", "36", "37", "38", "39", "4", "5", "60", "62", "64", "65", "35", "30", "22", "2131", "1800")
_CARD_SHAPES: Final = frozenset(
    {(16,), (15,), (14,), (19,), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 3)}
)
_CARD_MIN, _CARD_MAX, _CARD_USUAL = 12, 19, 14
_IBAN: Final = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]){10,36}(?![0-9a-z])")
_IBAN_SIZES: Final = range(34, 14, -1)
_CVV: Final = re.compile(r"[0-9]{3,4}")
_RU_ACCOUNT: Final = re.compile(r"(?<![0-9])(?:408|423|426|407|405|406)[0-9]{17}(?![0-9])")
_ISO_DATE: Final = (4, 2, 2)
_BETWEEN: Final = frozenset(
    {"is", "no", "no.", "nr", "nr.", "number", "är", "номер", "ist", "est", "es", "-", "#", "и"}
)
_ACCOUNT_MIN, _ACCOUNT_MAX = 6, 20


@rule(
    "payment.card",
    "A card number: known first digits and check digit.",
    needs=(DIGIT,),
    fires=("betala med 5105 1051 0510 5100", "card 4012.8888.8888.1881"),
    quiet=("betala med 5105 1051 0510 5101", "ordernummer 4012888888881881"),
)
def card(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find card numbers; 12 and 13 digits (old or rare cards, also bar codes) need the word card."""
    for number in reading.sized(*range(_CARD_MIN, _CARD_MAX + 1)):
        size = len(number.digits)
        shaped = number.whole or number.sizes in _CARD_SHAPES
        if not (shaped and _CARD_MIN <= size <= _CARD_MAX and number.digits.startswith(_CARD_HEADS)):
            continue
        if not luhn(number.digits) or harmless(reading, number.start, number.end):
            continue
        if size >= _CARD_USUAL or reading.labelled("label.card", start=number.start, end=number.end):
            yield number.start, number.end


@rule(
    "payment.card_labelled",
    "Thirteen to nineteen digits after the word card, right or wrong.",
    needs=("label.card",),
    fires=("charge card 5105 1051 0510 5109", "kortnummer 5105105105105101"),
    quiet=("the card layout has 1200 pixels", "card 4242 4242"),
)
def card_labelled(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find what a label announces; the check digit does not matter then."""
    for number in reading.numbers:
        fits = number.whole and _CARD_USUAL - 1 <= len(number.digits) <= _CARD_MAX
        if fits and reading.labelled("label.card", start=number.start, end=number.end, before=25):
            yield number.start, number.end


@rule(
    "payment.iban",
    "An international bank account number whose check digits fit.",
    needs=(DIGIT,),
    fires=("till GB82 WEST 1234 5698 7654 32", "money to DE89370400440532013000"),
    quiet=("till GB83 WEST 1234 5698 7654 32", "tag NO2031PLANBOARD is set"),
)
def iban_number(reading: Reading) -> Iterator[tuple[int, int]]:
    """Try every length that an account number can have, longest first."""
    for found in _IBAN.finditer(reading.text):
        places = [index for index in range(found.start(), found.end()) if reading.text[index] != " "]
        for size in _IBAN_SIZES:
            if size <= len(places):
                value = "".join(reading.text[index] for index in places[:size])
                if iban.is_valid(value, check_country=False):
                    yield found.start(), places[size - 1] + 1
                    break


@rule(
    "payment.cvv",
    "A card security code after its label.",
    needs=("label.cvv",),
    fires=("cvc 731", "the CVV is 0042"),
    quiet=("the CVV field is required", "cvv checks take 20 ms"),
)
def cvv(reading: Reading) -> Iterator[tuple[int, int]]:
    """Take three or four digits within three words of the label."""
    for place in reading.where("label.cvv"):
        for token in reading.tokens[place.last + 1 : place.last + 4]:
            if _CVV.fullmatch(token.word):
                yield token.start, token.end


@rule(
    "payment.account",
    "A bank account, sort or routing number after its label.",
    needs=("label.account",),
    fires=("kontonummer 8327-9 123 456 789", "sort code 30-11-45"),
    quiet=("the account lists 200 users", "bankkonto saknas 2031-02-14"),
)
def account(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find digits shortly after a label."""
    for number in reading.numbers:
        fits = number.whole and _ACCOUNT_MIN <= len(number.digits) <= _ACCOUNT_MAX and number.sizes != _ISO_DATE
        if fits and _account_label(reading, number.start, number.end):
            yield number.start, number.end


def _account_label(reading: Reading, start: int, end: int) -> bool:
    """Whether a label stands before the number with nothing but "is", "number" or signs between."""
    for place in reading.near("label.account", start=start, end=end, before=16):
        gap = reading.text[reading.tokens[place.last].end : start].lower()
        if all(word in _BETWEEN for word in gap.replace(":", " ").replace("№", " ").replace("=", " ").split()):
            return True
    return False


@rule(
    "payment.ru_account",
    "A Russian account number of twenty digits.",
    needs=(DIGIT,),
    fires=("счёт 40817810099910004321", "на 42301810000000000123 в банке"),
    quiet=("код 10817810099910004321", "на 4081781009991000432 единиц"),
)
def ru_account(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find accounts by the class in their first three digits."""
    return (found.span() for found in _RU_ACCOUNT.finditer(reading.text))


@rule(
    "payment.card_tail",
    "The last digits of a card.",
    needs=("card.tail",),
    fires=("my card ends with 4821", "kortet slutar på 4821"),
    quiet=("the card ends the section", "my card has 4821 points"),
)
def card_tail(reading: Reading) -> Iterator[tuple[int, int]]:
    """Take four digits within three words of the phrase."""
    for place in reading.where("card.tail"):
        for token in reading.tokens[place.last + 1 : place.last + 4]:
            if _CVV.fullmatch(token.word):
                yield token.start, token.end


RULES: Final = (card, card_tail, card_labelled, iban_number, cvv, account, ru_account)
