"""Health of the person, wider than a diagnosis (GDPR article 4(15))."""

from collections.abc import Iterator
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.base import rule
from oblio.filter.rules.exemption import TECHNICAL, idiomatic, in_title, topical
from oblio.filter.rules.frame import claimed, near_tokens, own

_SELF_WITHIN: Final = 7
_MEDICINE_WITHIN: Final = 3
_WHEN_WITHIN: Final = 6


def _kept(reading: Reading, place: Tagged) -> bool:
    return idiomatic(reading, place) or in_title(reading, place)


def _profession(reading: Reading, place: Tagged) -> bool:
    """Whether it is what the person works as."""
    return reading.tagged(place.first, "health.profession") and near_tokens(
        reading, place, "work.as", before=2, after=0
    )


@rule(
    "health.state",
    "Words that state a health matter by themselves: sick leave, wheelchair, pregnancy, sobriety.",
    needs=("health.always",),
    fires=("My wheelchair needs a ramp", "Gravid i sjätte månaden"),
    quiet=("We design ramps for wheelchair makers", "sick leave policy of the app"),
)
def state(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find them, unless they are the subject of somebody's work."""
    for place in reading.where("health.always"):
        if not _kept(reading, place) and not topical(reading, place):
            yield reading.span(*place)


@rule(
    "health.condition",
    "The name of an illness or impairment.",
    needs=("health.condition",),
    fires=("I have diabetes", "У меня астма"),
    quiet=("I build an app for people with diabetes", "I read articles about epilepsy research"),
)
def condition(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find names of illnesses; as a subject of work they are let through."""
    for place in reading.where("health.condition"):
        joke = TECHNICAL.covers(reading, place) and not claimed(reading, place)
        if not _kept(reading, place) and not topical(reading, place) and not joke:
            yield reading.span(*place)


@rule(
    "health.own",
    "A word about health beside a word for the person.",
    needs=("health.weak",),
    fires=("Min allergi är värst i maj", "My therapist helps with anxiety"),
    quiet=("I'm allergic to PowerPoint", "Операция сложения"),
)
def own_health(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find everyday words that speak of health only when a person says them of herself, or two of them together."""
    places = [
        place
        for place in reading.where("health.weak")
        if not _kept(reading, place) and not topical(reading, place) and not TECHNICAL.covers(reading, place)
        if not _profession(reading, place)
    ]
    pair = len({place.first for place in places}) > 1
    for place in places:
        part = place.first == place.last and reading.tagged(place.first, "health.part")
        if (pair and (not part or len(places) > 1)) or (not part and own(reading, place, within=_SELF_WITHIN)):
            yield reading.span(*place)


@rule(
    "health.shape",
    'A word with the ending of a medical term after "I have".',
    needs=("health.shape",),
    fires=("I have vasculitis", "my lesion grew"),
    quiet=("the diagnosis page has empathy", "write about academia"),
)
def shape(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find medical endings that the person claims."""
    for place in reading.where("health.shape"):
        if reading.tagged(place.first, "health.shape_not") or _kept(reading, place) or topical(reading, place):
            continue
        if claimed(reading, place):
            yield reading.span(*place)


@rule(
    "health.told",
    "A phrase about a diagnosis, a prescription or one's doctor.",
    needs=("health.frame",),
    fires=("got diagnosed with xyz", "Läkaren säger att det är Abc"),
    quiet=("The printer wrote it", "Врачи пишут статьи"),
)
def told(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find the phrases; what follows them does not matter."""
    for place in reading.where("health.frame"):
        if not _kept(reading, place):
            yield reading.span(*place)


@rule(
    "health.medicine",
    "The name of a medicine.",
    needs=("health.medicine",),
    fires=("citalopram helps me", "пью метформин"),
    quiet=("I work on an article about aspirin", "meeting in april"),
)
def medicine(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find medicines by name or by the ending of their class."""
    for place in reading.where("health.medicine"):
        if not _kept(reading, place) and not topical(reading, place):
            yield reading.span(*place)


@rule(
    "health.taken",
    "Something with a name or a dose that is taken regularly.",
    needs=("health.take",),
    fires=("I take Zyxoril every morning", "jag tar 50 mg på kvällen"),
    quiet=("I take the bus every morning", "Jag tar Tvärbanan på morgonen"),
)
def taken(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find "take", a capital word and a time; or "take" and a dose."""
    for place in reading.where("health.take"):
        for index in range(place.last + 1, min(place.last + 1 + _MEDICINE_WITHIN, len(reading.tokens))):
            here = Tagged(index, index)
            named = reading.capital(index) and not reading.tagged(index, "health.not_medicine", "self")
            if (
                named
                and index == place.last + 1
                and near_tokens(reading, here, "health.when", "health.dose", before=0, after=_WHEN_WITHIN)
            ):
                yield reading.span(place.first, index)
                break
            if reading.tagged(index, "health.dose"):
                yield reading.span(place.first, index)
                break


@rule(
    "health.measured",
    "A measured value of the body.",
    needs=("health.weigh",),
    fires=("I weigh 92 kg", "Mitt blodtryck är 150/95"),
    quiet=("I weigh options carefully", "the line weight is 400"),
)
def measured(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a word for a measurement, a number within four words and a word for the person right before."""
    for place in reading.where("health.weigh"):
        number = next((at for at in range(place.last + 1, place.last + 5) if reading.word(at)[:1].isdigit()), None)
        if number is not None and near_tokens(reading, place, "self", before=2, after=0) and not _kept(reading, place):
            yield reading.span(place.first, number)


RULES: Final = (state, condition, own_health, shape, told, medicine, taken, measured)
