"""Postal addresses: street with number, or a street after a word for living somewhere."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from oblio.filter.reading import Reading
from oblio.filter.rules.base import DIGIT, rule

_HOUSE: Final = re.compile(r"[0-9]{1,5}(?:[-/]?[0-9]{1,4})?[a-zа-я]?(?:[0-9]{1,3})?")
_POSTCODE_UK: Final = re.compile(r"(?<![0-9A-Za-z])[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}(?![0-9A-Za-z])")
_IPV4: Final = re.compile(r"(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9]|\.[0-9])")
_BYTE: Final = 255
_COUNTED: Final = ("number.month", "number.counted", "number.unit")
_STREET: Final = ("street.ending", "street.ending_weak")
_FRAME: Final = ("frame.residence", "frame.delivery")
_FRAME_WORDS: Final = 9
_NAME_WORDS: Final = 4
_STREET_WITHIN: Final = 7
_SHORTEST_STREET: Final = 3


def _house(reading: Reading, index: int) -> bool:
    """Whether the token is a house number: up to five digits, not a count or a date."""
    if not 0 <= index < len(reading.tokens):
        return False
    if reading.tagged(index + 1, *_COUNTED):
        return False
    return _HOUSE.fullmatch(reading.word(index)) is not None or reading.tagged(index, "number.word")


def _framed(reading: Reading, index: int, *tags: str) -> bool:
    """Whether a word for living or delivering ends within the words before `index`."""
    return any(reading.tagged(at, *tags) for at in range(max(index - _FRAME_WORDS, 0), index))


def _after_label(reading: Reading, index: int) -> int:
    """Skip "nr", "д.", "number" before a house number."""
    return index + 1 if reading.tagged(index, "street.house") else index


def _street(reading: Reading, index: int, tag: str) -> bool:
    """Whether a token is a street name, not the bare word for street, and written with a capital."""
    if not reading.tagged(index, tag) or not reading.capital(index):
        return False
    word = reading.word(index)
    longest = max(
        len(end) for end in reading.lexicon.endings if tag in reading.lexicon.endings[end] and word.endswith(end)
    )
    return len(word) >= longest + _SHORTEST_STREET


def _begin(reading: Reading, index: int) -> int:
    """Include a capital word before the street name (Norra, Stora) unless it opens the sentence."""
    return index - 1 if index > 1 and reading.capital(index - 1) and not reading.tagged(index - 1, *_FRAME) else index


@rule(
    "address.street_number",
    "A street name with its ending and a house number.",
    needs=_STREET,
    fires=("Hämta på Tallgatan 14", "ich wohne Lindenstraße 12"),
    quiet=("Vägen 40 meter bort", "Tallgatan är bullrig"),
)
def street_number(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find Germanic street names; doubtful endings need a word for living or delivering before them."""
    for place in reading.where(*_STREET):
        at = place.first
        number = _after_label(reading, at + 1)
        strong = _street(reading, at, "street.ending")
        weak = not strong and _street(reading, at, "street.ending_weak") and _framed(reading, at, *_FRAME)
        if (strong or weak) and _house(reading, number) and _near(reading, at, number):
            yield reading.span(_begin(reading, at), number)


def _near(reading: Reading, first: int, last: int) -> bool:
    gap = reading.text[reading.tokens[first].end : reading.tokens[last].start]
    return len(gap) < 14 and not {"(", ")", ":", ";", "?", "!"} & set(gap)  # noqa: PLR2004 -- "nummer" and two spaces


@rule(
    "address.residence",
    "A street after a word for living there, also without a number.",
    needs=("frame.residence",),
    fires=("Jag bor på Tallgatan, andra våningen", "I live on Maple Street"),
    quiet=("Biblioteket finns intill Tallgatan", "Jag bor i Lund"),
)
def residence(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a street name within seven words of the verb, in the same clause."""
    for place in reading.where("frame.residence"):
        for index in reading.beside(place, before=0, after=_STREET_WITHIN):
            if reading.tagged(index, "clause.join"):
                break
            if _street(reading, index, "street.ending"):
                yield reading.span(index, index)
                continue
            english_name = reading.capital(index) and reading.tagged(index + 1, "street.en")
            if reading.capital(index + 1) and (english_name or reading.tagged(index, "street.ru", "street.es")):
                yield reading.span(index, index + 1)


@rule(
    "address.english",
    "A house number and a street of English form.",
    needs=("street.en", "street.en_weak", "street.flat"),
    fires=("bring it to 8 Thornfield Road", "deliver to Flat 12, Elm House"),
    quiet=("use 3 Google Drive folders", "the road has 12 lanes"),
)
def english(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find number, one to three capital words and a street word; doubtful street words need a frame."""
    for place in reading.where("street.en", "street.en_weak"):
        if not reading.capital(place.first):
            continue
        for number in range(place.first - 2, max(place.first - 5, -1), -1):
            if not all(reading.capital(index) for index in range(number + 1, place.first)):
                break
            strong = reading.tagged(place.first, "street.en") or _framed(reading, number, *_FRAME)
            if strong and _house(reading, number):
                yield reading.span(number, place.first)
                break
    for place in reading.where("street.flat"):
        if _house(reading, place.last + 1) and _framed(reading, place.first, *_FRAME):
            yield reading.span(place.first, place.last + 1)


@rule(
    "address.framed",
    "A number and a name, or a name and a number, after a word for living or delivering.",
    needs=_FRAME,
    fires=("parcels go to 31 Winter Hollow", "живу на Ленина 5"),
    quiet=("I live at sea 5 months a year", "parcels go to the office"),
)
def framed(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a house number beside capital words within nine words of the frame."""
    for place in reading.where("frame.residence", "frame.delivery"):
        for index in range(place.last + 1, min(place.last + _FRAME_WORDS, len(reading.tokens))):
            if not _house(reading, index) or not reading.word(index)[0].isdigit() or reading.word(index - 1) in _WHEN:
                continue
            name = index - 1 - reading.tagged(index - 1, "street.house")
            if reading.capital(index + 1) and _touching(reading, index, index + 1) and _names_only(reading, index + 1):
                yield reading.span(index, index + 1)
            elif name > place.last and _named_before(reading, name):
                yield reading.span(name, index)


_WHEN: Final = frozenset(
    {"i", "in", "в", "kl", "since", "sedan", "с", "version", "before", "after", "by", "före", "efter", "до", "после"}
)
_ON: Final = frozenset({"på", "at", "on", "на", "в", "to", "till", "en", "de", "am", "an"})


def _touching(reading: Reading, left: int, right: int) -> bool:
    return reading.text[reading.tokens[left].end : reading.tokens[right].start] in (" ", ", ")


def _names_only(reading: Reading, index: int) -> bool:
    return not reading.tagged(index, *_COUNTED) and len(reading.word(index)) > 1


def _named_before(reading: Reading, name: int) -> bool:
    """Whether "на Ленина" stands there: a preposition of place and a capital word, a house number right behind."""
    return (
        reading.capital(name)
        and not reading.tagged(name, "number.month")
        and _touching(reading, name, name + 1)
        and (reading.word(name - 1) in _ON - {"в", "to", "till", "de"} or reading.capital(name - 1))
        and reading.text[reading.tokens[name].start - 1 : reading.tokens[name].start] == " "
    )


@rule(
    "address.russian",
    "A Russian street with a house number.",
    needs=("street.ru",),
    fires=("адрес: ул. Зелёная, д. 9", "Садовый пр-т, дом 11"),
    quiet=("Проспект музея уже скачан", "на улице Зелёной 12 декабря"),
)
def russian(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find street word, name and number; or name, street word and number."""
    for place in reading.where("street.ru"):
        for number in range(place.first + 1, min(place.first + 7, len(reading.tokens))):
            labelled = reading.tagged(number - 1, "street.house")
            named = any(map(reading.capital, range(place.first + 1, number))) or reading.capital(place.first - 1)
            if (
                reading.word(number)[0].isdigit()
                and _house(reading, number)
                and named
                and (labelled or _plain(reading, place.first, number))
            ):
                yield reading.span(place.first - reading.capital(place.first - 1) if place.first else 0, number)
                break


def _plain(reading: Reading, street: int, number: int) -> bool:
    """Whether only capital words stand between street word and number, or nothing but a comma after a name."""
    return all(map(reading.capital, range(street + 1, number))) and number - street <= _NAME_WORDS


@rule(
    "address.romance",
    "A French or Spanish street with a house number.",
    needs=("street.fr", "street.es"),
    fires=("j'habite 7 rue du Moulin", "vivo en Calle Mayor 5"),
    quiet=("la rue est calme", "el paseo dura 20 minutos"),
)
def romance(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find the number before a French street word, or behind a Spanish street name."""
    for place in reading.where("street.fr"):
        if _house(reading, place.first - 1) and reading.word(place.first - 1)[0].isdigit():
            yield reading.span(place.first - 1, min(place.first + 2, len(reading.tokens) - 1))
    for place in reading.where("street.es"):
        for number in range(place.first + 2, min(place.first + 7, len(reading.tokens))):
            named = any(map(reading.capital, range(place.first + 1, number)))
            if named and reading.word(number)[0].isdigit() and _house(reading, number):
                yield reading.span(place.first, number)
                break


@rule(
    "address.postcode",
    "A British postcode.",
    needs=(DIGIT,),
    fires=("parcels to LS1 4ZZ please", "bor nära SW1A 1AA"),
    quiet=("room LS1 4 is free", "use H264 1AB".lower()),
)
def postcode(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find British postcodes written with their space."""
    return (found.span() for found in _POSTCODE_UK.finditer(reading.text) if " " in found.group())


@rule(
    "address.public_ip",
    "A public internet address; not decided yet, so refused.",
    needs=(DIGIT,),
    fires=("my server is 8.8.8.8", "доступ с 81.2.69.142"),
    quiet=("the server is 192.168.1.20", "we run version 8.8.8.8"),
)
def public_ip(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find global IPv4 addresses, versions aside."""
    for found in _IPV4.finditer(reading.text):
        parts = [int(part) for part in found.group().split(".")]
        known = all(part <= _BYTE for part in parts) and ip_address(".".join(map(str, parts))).is_global
        if known and not reading.labelled("number.version", start=found.start(), end=found.end(), before=12):
            yield found.span()


@rule(
    "address.box",
    "A post office box.",
    needs=("address.box",),
    fires=("PO Box 311, Cork", "Postbox 12"),
    quiet=("the post box is red", "Box 12 is empty"),
)
def box(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find the words with a number behind them."""
    for place in reading.where("address.box"):
        if reading.word(place.last + 1)[:1].isdigit():
            yield reading.span(place.first, place.last + 1)


RULES: Final = (street_number, residence, english, framed, russian, romance, postcode, public_ip, box)
