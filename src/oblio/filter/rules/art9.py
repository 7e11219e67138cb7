"""Faith, politics, union, ethnic origin, sex life, biometrics (GDPR article 9) and criminal records (article 10)."""

from collections.abc import Iterator
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.base import rule
from oblio.filter.rules.exemption import idiomatic, in_title, topical
from oblio.filter.rules.frame import claimed, near_tokens, own

_NEAR: Final = 8
_BALLOT: Final = 4
_VOTE_BEFORE: Final = 6
_VOTE_AFTER: Final = 5


def _own(reading: Reading, *tags: str) -> Iterator[tuple[int, int]]:
    """Places of the tags that the person says of herself."""
    for place in reading.where(*tags):
        if not _kept(reading, place) and own(reading, place, within=_NEAR) and not topical(reading, place):
            yield reading.span(*place)


def _kept(reading: Reading, place: Tagged) -> bool:
    return idiomatic(reading, place) or in_title(reading, place)


@rule(
    "art9.faith",
    "The person's faith or its practice.",
    needs=("art9.faith", "art9.practice"),
    fires=("I'm a devout Lutheran", "Я атеист"),
    quiet=("I like Buddhist art", "Kyrkan är från medeltiden"),
)
def faith(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find words for believers and practices beside a word for the person."""
    return _own(reading, "art9.faith", "art9.practice")


@rule(
    "art9.diet",
    "Food by religious law.",
    needs=("art9.diet",),
    fires=("Only halal food please", "Kosher, tack"),
    quiet=("Vegetarian food please", "The salt is coarse"),
)
def diet(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find the words; whether they tell a faith is not decided, so they are refused."""
    return (reading.span(*place) for place in reading.where("art9.diet") if not _kept(reading, place))


@rule(
    "art9.politics",
    "The person's party, vote or political conviction.",
    needs=("art9.party", "art9.identity", "art9.leaning"),
    fires=("I vote for the greens", "Jag är kommunist"),
    quiet=("The party starts at eight", "Politics podcasts, please"),
)
def politics(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a party beside a word for voting or belonging, or a conviction that the person claims."""
    for place in reading.where("art9.party"):
        kept = _kept(reading, place) or topical(reading, place)
        if not kept and near_tokens(reading, place, "art9.vote", before=_VOTE_BEFORE, after=_VOTE_AFTER):
            yield reading.span(*place)
    for place in reading.where("art9.leaning"):
        tags = ("art9.ballot", "art9.vote")[: 1 + (place.first > 0 and reading.capital(place.first))]
        if not _kept(reading, place) and near_tokens(reading, place, *tags, before=_BALLOT, after=1):
            yield reading.span(*place)
    for place in reading.where("art9.identity"):
        if not _kept(reading, place) and claimed(reading, place):
            yield reading.span(*place)


@rule(
    "art9.union",
    "Membership of a trade union.",
    needs=("art9.union",),
    fires=("Jag är med i facket", "the trade union pays my course"),
    quiet=("Facklitteratur, tack", "the union type in the schema"),
)
def union(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find words for unions and their work."""
    for place in reading.where("art9.union"):
        if not _kept(reading, place) and not topical(reading, place):
            yield reading.span(*place)


@rule(
    "art9.ethnicity",
    "The person's ethnic origin.",
    needs=("art9.ethnic",),
    fires=("Jag är kurd", "я башкир из Уфы"),
    quiet=("Показывай курс валют", "the same settings"),
)
def ethnicity(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find words for origin beside a word for the person."""
    return _own(reading, "art9.ethnic")


@rule(
    "art9.sex",
    "The person's sex life or orientation.",
    needs=("art9.sex",),
    fires=("I'm bisexual", "Мы лесбийская пара"),
    quiet=("I read articles about queer theory", "the gate came down"),
)
def sex(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find words for orientation and sex beside a word for the person."""
    return _own(reading, "art9.sex")


@rule(
    "art9.biometric",
    "Biometric or genetic data that identify the person.",
    needs=("art9.biometric",),
    fires=("my fingerprint opens the door", "мой отпечаток в системе"),
    quiet=("the browser fingerprint changes", "CSS fingerprint in the build"),
)
def biometric(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find biometrics beside a word for the person."""
    return _own(reading, "art9.biometric")


@rule(
    "art9.criminal_record",
    "A conviction, a sentence or a charge.",
    needs=("art9.crime",),
    fires=("I spent a year in prison", "У меня судимость"),
    quiet=("The film is set in prison", "Charged with 20 euro"),
)
def criminal_record(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find criminal matters beside a word for the person."""
    return _own(reading, "art9.crime")


RULES: Final = (faith, diet, politics, union, ethnicity, sex, biometric, criminal_record)
