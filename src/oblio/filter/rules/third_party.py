"""Statements about an identifiable other person: default deny for kin, roles, pronouns and names."""

from collections.abc import Iterator
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.base import ALWAYS, rule
from oblio.filter.rules.exemption import GRAMMAR, PET, PUBLIC, THING, in_title

LANGUAGES: Final = ("en", "sv", "ru", "other")
_ADJECTIVES: Final = 2
_SHORT: Final = 3
_RU_VERB_ENDINGS: Final = ("ил", "ал", "ел", "ла", "лся", "лась", "ит", "ет", "ёт", "ут", "ют", "ится", "ется")


def owner_before(reading: Reading, index: int, language: str) -> int | None:
    """Index of a possessive of that language at most two adjectives before the word, only spaces between."""
    for at in range(index - 1, max(index - 2 - _ADJECTIVES, -1), -1):
        gap = reading.text[reading.tokens[at].end : reading.tokens[at + 1].start]
        if gap.strip():
            return None
        if reading.tagged(at, f"poss.{language}"):
            return at
    return None


def owned(reading: Reading, tag: str, /) -> Iterator[tuple[Tagged, int | None]]:
    """Places of a list that exists per language, each with the index of its possessive."""
    for language in LANGUAGES:
        for place in reading.where(f"{tag}.{language}"):
            yield place, owner_before(reading, place.first, language)


def _thing(reading: Reading, place: Tagged) -> bool:
    """Whether the word is the first half of a thing: "brother printer", "customer portal"."""
    exempt = any(reading.tagged(index, "kin.exempt", "idiom") for index in range(place.first, place.last + 1))
    after = place.last + 1
    return exempt or (
        reading.tagged(after, "kin.thing", "role.product")
        and reading.text[reading.tokens[place.last].end : reading.tokens[after].start] in (" ", "-")
    )


@rule(
    "third_party.kin",
    "A relative or partner of the person.",
    needs=(*(f"kin.{language}" for language in LANGUAGES), "kin.bare", "kin.former"),
    fires=("My wife sings in a choir", "Mamma ringer på söndagar"),
    quiet=("Mother's Day flowers", "Dotterbolaget växer"),
)
def kin(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find possessive and kin word, and kin words that need no possessive."""
    for place, owner in owned(reading, "kin"):
        if owner is not None and not _thing(reading, place) and not in_title(reading, place):
            yield reading.span(owner, place.last)
    for place in reading.where("kin.bare"):
        if not _thing(reading, place) and not in_title(reading, place):
            yield reading.span(*place)
    for place in reading.where("kin.former"):
        owner = owner_before(reading, place.first, "ru")
        if owner is not None and _alone(reading, place.first):
            yield reading.span(owner, place.last)


def _alone(reading: Reading, index: int) -> bool:
    """Whether no noun can follow an adjective: the clause ends, or a verb or a short word comes next."""
    after = reading.word(index + 1)
    gap = reading.text[reading.tokens[index].end :][:1]
    return gap != " " or len(after) <= _SHORT or reading.tagged(index + 1, "person.verb")


@rule(
    "third_party.role",
    "One person by a role: boss, neighbour, customer.",
    needs=(*(f"role.{language}" for language in LANGUAGES), "role.definite"),
    fires=("My boss wants reports", "Grannen har flyttat"),
    quiet=("My colleagues like standups", "the customer portal is slow"),
)
def role(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find possessive and role; definite role words; and an article and a role that says, has or does something."""
    for place, owner in owned(reading, "role"):
        if _thing(reading, place) or in_title(reading, place) or reading.tagged(place.first, "role.group"):
            continue
        if owner is not None:
            yield reading.span(owner, place.last)
        elif _acting(reading, place):
            yield reading.span(*place)
    for place in reading.where("role.definite"):
        if not in_title(reading, place):
            yield reading.span(*place)


def _acting(reading: Reading, place: Tagged) -> bool:
    """Whether an article stands before the role and a person's verb or possessive behind it."""
    after = place.last + 1
    if reading.tagged(place.first, "role.ru") and reading.word(after).endswith(_RU_VERB_ENDINGS):
        return True
    determined = any(reading.tagged(index, "det") for index in range(max(place.first - 3, 0), place.first))
    if reading.word(after) == "s" and reading.text[reading.tokens[after].start - 1] == "'":
        return determined and not reading.tagged(after + 1, "role.product")
    if reading.word(place.first) == "user" and place.first <= 1:  # how extracted memories name the subject herself
        return False
    verb = "person.told" if reading.tagged(place.first, "role.weak") else "person.verb"
    return determined and reading.tagged(after, verb)


@rule(
    "third_party.person",
    "A woman, man or person who is spoken of.",
    needs=("person.noun", ALWAYS),
    fires=("the woman from the shop", "Killen på jobbet är sur"),
    quiet=("man pages are long", "Woman in Gold"),
)
def person(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find nouns for a grown person after an article, or with a definite ending; and "the person who"."""
    for place in reading.where("person.noun"):
        if _thing(reading, place) or all(map(reading.capital, (place.first - 1, place.first))):
            continue  # "The Old Man": a noun and the word before it with capitals are a name of something
        word = reading.word(place.first)
        definite = (word.endswith(("en", "an")) and word not in ("woman", "man")) or not word.isascii()
        if (
            definite or reading.tagged(place.first - 1, "det", *(f"poss.{language}" for language in LANGUAGES))
        ) and not in_title(reading, place):
            yield reading.span(*place)
    for index, token in enumerate(reading.tokens):
        told = token.word in _PEOPLE and (
            reading.tagged(index + 1, "person.verb") or reading.word(index + 1) in _PEOPLE_WHERE
        )
        if (
            told
            and not reading.capital(index)
            and any(reading.tagged(at, "det", "number.word") for at in range(max(index - 2, 0), index))
        ):
            yield reading.span(index, index)


_PEOPLE: Final = frozenset({"person", "people", "personen", "holder", "owner"})
_PEOPLE_WHERE: Final = frozenset({"in", "from", "made", "on"})


@rule(
    "third_party.pronoun",
    "He or she: a statement about another person.",
    needs=("pronoun",),
    fires=("She is on a visa", "Он опаздывает"),
    quiet=("My dog is old, he sleeps a lot", "Mina pronomen är hon"),
)
def pronoun(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find third-person pronouns, unless a pet or the pronouns themselves are meant, or a work by a Russian one."""
    for place in reading.where("pronoun"):
        start, end = reading.span(*place)
        slash = "/" in (reading.text[start - 1 : start], reading.text[end : end + 1])
        exempt = slash or PET.covers(reading, place) or GRAMMAR.covers(reading, place) or in_title(reading, place)
        if not exempt and (reading.word(place.first).isascii() or not THING.covers(reading, place)):
            yield start, end


@rule(
    "third_party.name",
    "The name of a person who is not the subject.",
    needs=("name.given", "name.patronymic", "name.surname", "name.honorific"),
    fires=("Kalla in Petra Ekblom", "call Lisa tomorrow"),
    quiet=("The novel about Anna Lind is long", "My dog Lisa sleeps"),
)
def name(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find given name and surname, or a given name that acts or is acted upon; public works, pets and own names not."""
    for place in _named(reading):
        exempt = PUBLIC.covers(reading, place) or PET.covers(reading, place) or in_title(reading, place)
        if not exempt and not _own_name(reading, place.first):
            yield reading.span(*place)


def _named(reading: Reading) -> Iterator[Tagged]:
    """Names of persons: two parts, or a given name of which something is said."""
    for place in reading.where("name.given"):
        at = place.first
        if reading.capital(at) and _surname(reading, at + 1):
            yield Tagged(at, at + 1)
        elif reading.capital(at) and _related(reading, at):
            yield place
    for place in reading.where("name.patronymic", "name.surname"):
        if reading.capital(place.first) and reading.capital(place.first - 1):
            yield Tagged(place.first - 1, place.first)
    for place in reading.where("name.honorific"):
        if _addressed(reading, place.last + 1):
            yield Tagged(place.first, place.last + 1)


def _addressed(reading: Reading, index: int) -> bool:
    """Whether a name follows "Dr" or "Mrs": a capital word after a space or a full stop, no brand or title."""
    if not reading.capital(index) or reading.tagged(index, "name.not_surname"):
        return False
    return reading.text[reading.tokens[index - 1].end : reading.tokens[index].start] in (" ", ". ")


def _own_name(reading: Reading, index: int) -> bool:
    """Whether "my name is" or the like leads to the name, and no relation or role could be meant instead."""
    before = index - 1
    while reading.tagged(before, "name.honorific"):
        before -= 1
    others = (f"{tag}.{language}" for tag in ("role", "kin") for language in LANGUAGES)
    return reading.tagged(before, "name.own") and not reading.has(*others)


def _surname(reading: Reading, index: int) -> bool:
    if not reading.capital(index) or reading.tagged(index, "name.not_surname", "number.month"):
        return False
    gap = reading.text[reading.tokens[index - 1].end : reading.tokens[index].start]
    return gap == " " and len(reading.word(index)) > 1 and reading.word(index).isalpha()


def _related(reading: Reading, index: int) -> bool:
    """Whether something is said of the name: a verb or possessive behind it, or a word like "call" or "with" before."""
    if reading.tagged(index + 1, "person.verb", "person.where") or reading.tagged(index - 1, "person.verb_to"):
        return True
    return reading.word(index + 1) == "s" and reading.text[reading.tokens[index].end] == "'"


RULES: Final = (kin, role, person, pronoun, name)
