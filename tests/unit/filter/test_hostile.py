"""Hostile texts: work grows with the length and no faster, in processor time, with room for noise."""

from time import process_time

import pytest

from oblio.filter.findings import findings
from oblio.filter.normalise import normalise
from oblio.filter.reading import Reading

SHORT, LONG = 3_000, 30_000
GROWTH = 30.0  # ten times the text; a square would be a hundred
SHORTEST = 0.002  # seconds; below that a reading is noise

PIECES = {
    "digits apart": "1 ",
    "digits": "7",
    "labels and numbers": "pnr 19121212-1212 ",
    "phones": "070-174 06 35, ",
    "cards": "4242 4242 4242 4242 ",
    "at signs": "a@",
    "brackets": "(at) ",
    "spoken mail": "a at b dot c ",
    "one long word": "a",
    "dashes": "-",
    "dashed word": "a-",
    "quotes": '"a ',
    "guillemets": "«a» ",
    "letters apart": "p a s s ",
    "zero width": "a\u200b",
    "marks": "a\u0301",
    "mixed script": "aа",
    "number words": "two ",
    "kin": "my mother ",
    "pronouns": "she ",
    "names": "Anna Lind ",
    "health": "I have diabetes ",
    "secrets": "password is x ",
    "assignments": "password=",
    "urls": "://a:b@",
    "header": "authorization: ",
    "base64": "aB3",
    "capitals": "GB82",
    "streets": "bor på Tallgatan 5 ",
    "russian streets": "ул. Зелёная, д. 9 ",
    "born": "born 1 ",
    "ages": "I'm ",
    "brackets of marks": "[a",
    "new lines": "\n1",
}


def _cost(text: str) -> float:
    """Least processor time of two runs, in seconds; waiting for others does not count."""
    spent = []
    for _ in range(2):
        begin = process_time()
        findings(Reading(normalise(text)))
        spent.append(process_time() - begin)
    return min(spent)


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_work_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    short = _cost((piece * SHORT)[:SHORT])
    long = _cost((piece * LONG)[:LONG])
    assert long <= GROWTH * max(short, SHORTEST)
