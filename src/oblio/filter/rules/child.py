"""Children: of somebody's family, named with an age, or the person herself when she is not grown up."""

import re
from collections.abc import Iterator
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.base import ALWAYS, DIGIT, rule
from oblio.filter.rules.exemption import PET, in_title
from oblio.filter.rules.frame import near_tokens
from oblio.filter.rules.third_party import LANGUAGES, owned

_CARE_WITHIN: Final = 6
_ADULT: Final = 18
_BRACKETED: Final = re.compile(r"(?<=\w )\(([0-9]{1,2})\)")
_TOLD_WITHIN: Final = 4
_AGE: Final = re.compile(
    r"(?:\bi'?m|\bi am|\bjag är|\bмне|\bich bin|\bj'ai|\btengo)\s(?:bara |only |just |всего |nur |solo |erst )?"
    r"(?P<age>[0-9]{1,2}|\w{3,12})"
    r"(?P<rest>\s(?:years? old|yo|y/o|år|лет|год|года|jahre alt|ans|años)\b|\s?[.,!?]|\s?$|\s(?:and|och|и)\b)"
)


def _thing(reading: Reading, place: Tagged) -> bool:
    inside = any(reading.tagged(index, "child.exempt") for index in range(place.first, place.last + 1))
    return (
        inside
        or reading.tagged(place.last + 1, "child.thing")
        or (reading.word(place.last + 1) == "s" and reading.tagged(place.last + 2, "child.thing"))
    )


@rule(
    "child.kin",
    "A child of the person's family.",
    needs=(*(f"child.{language}" for language in LANGUAGES), "child.bare"),
    fires=("My daughter is six", "Hämta barnen på dagis"),
    quiet=("I draw children's books", "the child process inherits"),
)
def child_kin(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find possessive and child word, definite child words, and children beside words of their care or age."""
    for place, owner in owned(reading, "child"):
        if _thing(reading, place) or in_title(reading, place):
            continue
        cared = reading.tagged(place.first, "child.many") and near_tokens(
            reading, place, "child.care", before=_CARE_WITHIN, after=_CARE_WITHIN
        )
        if owner is not None or cared or _have(reading, place):
            yield reading.span(place.first if owner is None else owner, place.last)
    for place in reading.where("child.bare"):
        if not _thing(reading, place) and not in_title(reading, place):
            yield reading.span(*place)


def _have(reading: Reading, place: Tagged) -> bool:
    """Whether "I have" stands within three words before."""
    return any(reading.tagged(index, "self.have") for index in range(max(place.first - 3, 0), place.first))


@rule(
    "child.own_age",
    "The person says that she is under eighteen.",
    needs=(ALWAYS,),
    fires=("I'm 11 years old", "Мне двенадцать лет"),
    quiet=("I'm 31 years old", "I'm 12 minutes late"),
)
def own_age(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find an age under eighteen after "I am"; a bare number counts only at the end of a clause, a word likewise."""
    for found in _AGE.finditer(reading.low):
        age = found.group("age")
        index = reading.at_character(found.start("age"))
        young = int(age) < _ADULT if age.isdigit() else reading.tagged(index, "child.number")
        if young and (
            not age.isdigit() or len(found.group("rest").strip(" .,!?")) > 1 or found.group("rest").strip() != ""
        ):
            yield found.span()


@rule(
    "child.school",
    "The person says that she is a pupil or a minor.",
    needs=("child.own",),
    fires=("I'm in 5th grade", "jag går i sexan"),
    quiet=("I teach fifth graders", "grade the tests"),
)
def school(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find phrases of school children about themselves."""
    return (reading.span(*place) for place in reading.where("child.own") if not in_title(reading, place))


@rule(
    "child.named",
    "A name with an age under eighteen, of which something is said that only a person does.",
    needs=(DIGIT,),
    fires=("Nelly, 9 år, leker helst ute", "Timur 5 лет, любит рисовать"),
    quiet=("Lagavulin, 16 years old, is smoky", "My dog Rex, 7 years old, likes snow"),
)
def named(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a capital word, an age and a verb within four words, or a given name and an age; pets are let through.

    An age alone in brackets, as newspapers write it, counts behind a given name.
    """
    for found in _BRACKETED.finditer(reading.text):
        at = reading.at_character(found.start()) - 1
        here = Tagged(at, at + 1)
        if int(found.group(1)) < _ADULT and _given(reading, at) and not PET.covers(reading, here):
            yield reading.span(*here)
    for place in reading.where("child.age"):
        age = place.first - 1
        word = reading.word(age)
        if not (word.isdigit() and len(word) <= 2 and int(word) < _ADULT and reading.capital(age - 1)):  # noqa: PLR2004
            continue
        here = Tagged(age - 1, place.last)
        known = _given(reading, age - 1)
        told = near_tokens(reading, here, "child.mind", before=0, after=_TOLD_WITHIN)
        if (known or told) and not PET.covers(reading, here):
            yield reading.span(*here)


def _given(reading: Reading, index: int) -> bool:
    return reading.capital(index) and reading.tagged(index, "name.given")


RULES: Final = (child_kin, own_age, school, named)
