"""Numbers that a state gives to a person."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from stdnum.de import idnr
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.no import fodselsnummer
from stdnum.pl import pesel
from stdnum.ru import inn
from stdnum.us import ssn

from oblio.filter.numbers import Number
from oblio.filter.reading import Reading
from oblio.filter.rules.base import DIGIT, rule
from oblio.filter.swedish import is_interim, is_personal

LABEL: Final = "label.national_id"
ENTITY: Final = "label.entity"
HARMLESS: Final = (ENTITY, "number.order")
_LABEL_MIN, _LABEL_MAX = 6, 16
_SWEDISH_SHAPES: Final = frozenset(
    {(10,), (12,), (6, 4), (8, 4), (2, 2, 2, 4), (4, 2, 2, 4), (4, 2, 2, 2), (2,) * 5, (2,) * 6, (1,) * 10, (1,) * 12}
)
_INTERIM: Final = re.compile(r"(?<![0-9A-Za-z])([0-9]{6}|[0-9]{8})[-+ ]?([A-Za-z])([0-9]{3})(?![0-9A-Za-z])")
_HETU: Final = re.compile(r"(?<![0-9A-Za-z])[0-9]{6}[-+A-FU-Ya-fu-y][0-9]{3}[0-9A-Ya-y](?![0-9A-Za-z])")
_NINO: Final = re.compile(
    r"(?<![0-9A-Za-z])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D](?![0-9A-Za-z])",
    re.IGNORECASE,
)
_DNI: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9]{8}|[XYZxyz][0-9]{7})[- ]?[A-Za-z](?![0-9A-Za-z])")
_SNILS: Final = re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{3}-[0-9]{3}[- ][0-9]{2}(?![0-9])")
_FOUR: Final = re.compile(r"[0-9]{4}")
_DATE: Final = re.compile(
    r"(?<![0-9])(?:(?:19|20)[0-9]{2}[-./][0-9]{1,2}[-./][0-9]{1,2}|[0-9]{1,2}[-./][0-9]{1,2}[-./](?:19|20)?[0-9]{2}"
    r"|[0-9]{1,2}(?:st|nd|rd|th|:e)?[. ]{1,2}(?:of )?[^\W\d_]{3,10},? (?:19|20)[0-9]{2}"
    r"|[^\W\d_]{3,10} [0-9]{1,2}(?:st|nd|rd|th)?,? (?:19|20)[0-9]{2})(?![0-9])"
)
_DATE_WITHIN: Final = 40
_AFTER: Final = 28
_SNILS_FREE: Final = 1_001_998


def harmless(reading: Reading, start: int, end: int) -> bool:
    """Whether a label of an order, an article or a legal entity stands right before the number."""
    return reading.labelled(*HARMLESS, start=start, end=end, before=14)


def _numbers(reading: Reading, sizes: tuple[int, ...], check: Callable[[Number], bool], /) -> Iterator[tuple[int, int]]:
    for number in reading.sized(*sizes):
        if check(number) and not harmless(reading, number.start, number.end):
            yield number.start, number.end


@rule(
    "national_id.se_personnummer",
    "A Swedish personal or coordination number: date and check digit fit.",
    needs=(DIGIT,),
    fires=("nr 19121212-1212", "skriv 121212 1212 där"),
    quiet=("nr 19121212-1213", "ordernummer 1212121212"),
)
def se_personnummer(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Swedish numbers by date and check digit, in usual groupings only."""
    return _numbers(reading, (10, 12), lambda number: number.sizes in _SWEDISH_SHAPES and is_personal(number.digits))


@rule(
    "national_id.se_interim",
    "A Swedish interim number: a letter in the serial.",
    needs=(DIGIT,),
    fires=("nr 850214-J222", "19850214-J222 i kortet"),
    quiet=("nr 850214-J223", "nr 850214-Q222"),
)
def se_interim(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find interim numbers."""
    return (found.span() for found in _INTERIM.finditer(reading.text) if is_interim(*found.groups()))


@rule(
    "national_id.fi_hetu",
    "A Finnish personal identity code with its check character.",
    needs=(DIGIT,),
    fires=("tunnus 131052-308T", "131052A308T lomakkeessa"),
    quiet=("tunnus 131052-308U", "versio 131352-308T"),
)
def fi_hetu(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Finnish codes, temporary ones included."""
    for found in _HETU.finditer(reading.text):
        if hetu.is_valid(found.group().upper(), allow_temporary=True):
            yield found.span()


@rule(
    "national_id.no_fodselsnummer",
    "A Norwegian birth or D-number: two check digits and a date fit.",
    needs=(DIGIT,),
    fires=("fnr 15108695088", "nr 151086 95088"),
    quiet=("nr 15108695087", "ordre nr 99108695088"),
)
def no_fodselsnummer(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Norwegian numbers."""
    shapes = {(11,), (6, 5), (1,) * 11}
    return _numbers(
        reading, (11,), lambda number: number.sizes in shapes and bool(fodselsnummer.is_valid(number.digits))
    )


@rule(
    "national_id.dk_cpr",
    "A date, a dash and four digits, as a Danish number is written.",
    needs=(DIGIT,),
    fires=("nr 211062-5629", "skriv 010190-1234 på skemaet"),
    quiet=("nr 321062-5629", "artikelnummer 211062-5629"),
)
def dk_cpr(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Danish numbers; numbers since 2007 have no check digit, so the shape and the date decide."""
    return _numbers(
        reading,
        (10,),
        lambda number: (
            number.sizes == (6, 4) and number.gaps == ("-",) and number.whole and bool(cpr.is_valid(number.digits))
        ),
    )


@rule(
    "national_id.us_ssn",
    "A US social security number in its usual grouping.",
    needs=(DIGIT,),
    fires=("use 219-42-7781 there", "ssn 219 42 7781"),
    quiet=("use 000-42-7781 there", "item 219-42-7781 is blue"),
)
def us_ssn(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find grouped numbers; a bare run of nine digits needs a label."""
    return _numbers(
        reading,
        (9,),
        lambda number: number.sizes == (3, 2, 4) and number.whole and bool(ssn.is_valid("-".join(_cut(number)))),
    )


def _cut(number: Number) -> Iterator[str]:
    at = 0
    for size in number.sizes:
        yield number.digits[at : at + size]
        at += size


@rule(
    "national_id.fr_nir",
    "A French social security number with its key.",
    needs=(DIGIT,),
    fires=("le 2 69 05 49 588 157 80", "269054958815780 sur la carte"),
    quiet=("le 2 69 05 49 588 157 81", "commande 269054958815780"),
)
def fr_nir(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find French numbers of 15 digits."""
    return _numbers(reading, (15,), lambda number: bool(nir.is_valid(number.digits)))


@rule(
    "national_id.pl_pesel",
    "A Polish PESEL: date and check digit fit.",
    needs=(DIGIT,),
    fires=("nr 44051401359", "wpisz 44051401359 tam"),
    quiet=("nr 44051401358", "nr 44951401359"),
)
def pl_pesel(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Polish numbers."""
    return _numbers(reading, (11,), lambda number: number.sizes == (11,) and bool(pesel.is_valid(number.digits)))


@rule(
    "national_id.es_dni",
    "A Spanish DNI or NIE with its check letter.",
    needs=(DIGIT,),
    fires=("número 54362315K aquí", "nie X2482300W aquí"),
    quiet=("número 54362315L aquí", "modelo X2482300A"),
)
def es_dni(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Spanish numbers by their letter."""
    for found in _DNI.finditer(reading.text):
        value = found.group().upper().replace("-", "").replace(" ", "")
        if (dni if value[0].isdigit() else nie).is_valid(value):
            yield found.span()


@rule(
    "national_id.uk_nino",
    "A UK national insurance number by its letters and grouping.",
    needs=(DIGIT,),
    fires=("put QQ 12 34 56 C".replace("QQ", "JG"), "NI ab123456c".replace("ab", "ZE")),
    quiet=("part DQ123456C", "part JG 12 34 56 X"),
)
def uk_nino(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find national insurance numbers."""
    return (found.span() for found in _NINO.finditer(reading.text))


def _snils(digits: str) -> bool:
    number = int(digits[:9])
    if number <= _SNILS_FREE:
        return False
    total = sum(int(digit) * (9 - place) for place, digit in enumerate(digits[:9]))
    return total % 101 % 100 == int(digits[9:])


@rule(
    "national_id.ru_snils",
    "A Russian pension insurance number in its grouping, check digits fit.",
    needs=(DIGIT,),
    fires=("112-233-445 95", "номер 112-233-445-95"),
    quiet=("112-233-445 96", "112-233-445 штук"),
)
def ru_snils(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find SNILS by shape and check digits."""
    for found in _SNILS.finditer(reading.text):
        if _snils("".join(filter(str.isdigit, found.group()))):
            yield found.span()


@rule(
    "national_id.ru_inn",
    "A Russian personal tax number: twelve digits, two check digits fit or the label stands there.",
    needs=(DIGIT,),
    fires=("номер 123456789047", "ИНН 1234 5678 9012"),
    quiet=("ИНН компании 7707083893", "номер 123456789046 на складе"),
)
def ru_inn(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find personal tax numbers; ten digits belong to a legal entity."""
    for number in reading.sized(12):
        if not number.whole:
            continue
        if reading.labelled("label.inn", start=number.start, end=number.end) or (
            inn.is_valid(number.digits) and not harmless(reading, number.start, number.end)
        ):
            yield number.start, number.end


@rule(
    "national_id.passport",
    "A passport or driving licence number after its label.",
    needs=("label.passport", "label.licence"),
    fires=("passport no. 904417725", "паспорт серия 77 03 номер 112358"),
    quiet=("my passport expires in 2030", "паспорт изделия на 4 страницы"),
)
def passport(reading: Reading) -> Iterator[tuple[int, int]]:
    """Take what follows the label: six or more digits, a letter or two among them, words like "number" between."""
    for place in reading.where("label.passport", "label.licence"):
        found = _series(reading, place.last + 1)
        if found is not None:
            yield found


def _series(reading: Reading, first: int) -> tuple[int, int] | None:
    """Span of the digit-bearing words among the next eight, when they hold at least six digits."""
    picked = [
        token
        for token in reading.tokens[first : first + 8]
        if any(map(str.isdigit, token.word)) and token.start - reading.tokens[first].start < 60  # noqa: PLR2004
    ]
    digits = sum(sum(map(str.isdigit, token.word)) for token in picked)
    return (picked[0].start, picked[-1].end) if _LABEL_MIN <= digits <= _LABEL_MAX else None


@rule(
    "national_id.labelled",
    "A number after or before the name of a personal number, right or wrong.",
    needs=(LABEL,),
    fires=("personnummer 850709-9802", "SSN 536904398"),
    quiet=("the SSN column has 200 rows", "organisationsnummer 556677-8899"),
)
def labelled(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find what a label announces; the check digit does not matter then."""
    for number in reading.sized(*range(_LABEL_MIN, _LABEL_MAX + 1)):
        if not number.whole:
            continue
        if reading.labelled(LABEL, start=number.start, end=number.end, after=_AFTER) and not reading.labelled(
            ENTITY, start=number.start, end=number.end
        ):
            yield number.start, number.end


@rule(
    "national_id.checked",
    "A German tax id or an NHS number named as such.",
    needs=(DIGIT,),
    fires=("Steuer-ID 65929970489", "NHS number: 401 023 2137"),
    quiet=("Nummer 65929970488", "call 401 023 2138 rows"),
)
def checked(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find NHS numbers in their 3-3-4 grouping and German tax ids, by check digit."""
    for number in reading.sized(10, 11):
        fits = (number.sizes == (3, 3, 4) and number.lead != "(" and nhs.is_valid(number.digits)) or (
            number.sizes in {(11,), (2, 3, 3, 3)}
            and number.whole
            and number.lead != "+"
            and idnr.is_valid(number.digits)
        )
        if fits and not harmless(reading, number.start, number.end):
            yield number.start, number.end


@rule(
    "national_id.last_four",
    "The last digits of a personal number beside a birth date.",
    needs=("label.last_four",),
    fires=("född 3 maj 1980, sista fyra 1234", "born 1980, last four 9871"),
    quiet=("the last four releases", "the last four 2024 reports"),
)
def last_four(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find four digits within three words of the label when birth is spoken of."""
    for place in reading.where("label.last_four"):
        for token in reading.tokens[place.last + 1 : place.last + 4]:
            if _FOUR.fullmatch(token.word) and reading.has("label.birth"):
                yield token.start, token.end


@rule(
    "national_id.birth_date",
    "A full date of birth; not decided yet, so refused.",
    needs=("label.birth",),
    fires=("DOB: 1982-08-21", "I was born on 12 May 1990"),
    quiet=("I was born in 1990", "the card is due 2031-02-14"),
)
def birth_date(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find day, month and year shortly after a word for birth."""
    for place in reading.where("label.birth"):
        found = _DATE.search(reading.low, reading.tokens[place.last].end, reading.tokens[place.last].end + _DATE_WITHIN)
        if found is not None:
            yield found.span()


RULES: Final = (
    se_personnummer,
    se_interim,
    fi_hetu,
    no_fodselsnummer,
    dk_cpr,
    us_ssn,
    fr_nir,
    pl_pesel,
    es_dni,
    uk_nino,
    ru_snils,
    ru_inn,
    passport,
    labelled,
    checked,
    last_four,
    birth_date,
)
