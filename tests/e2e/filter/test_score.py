"""The given label sets, judged as a whole: floors that a change may not fall below.

The sets are not part of this repository; the tests run where the folder is present.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from oblio.filter.gate import judge
from oblio.model.screening import Action

ROOT: Final = Path(__file__).resolve().parents[3]
FOLDER: Final = Path(os.environ.get("OBLIO_SHARED_DATA", str(ROOT.parent / "shared"))) / "filter"
IDENTIFIERS: Final = frozenset({"national_id", "email", "phone", "address", "payment", "secret"})
SPELLINGS: Final = ("short_format", "separated_format", "long_format", "separated_long")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not FOLDER.is_dir(), reason="the label sets are not here; set OBLIO_SHARED_DATA to their folder"
    ),
]


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def _blocked(text: str) -> bool:
    return judge(text).action is not Action.STORE


def _score(name: str) -> tuple[float, float]:
    """Return recall and the share of harmless rows that are blocked."""
    rows = _rows(name)
    positive = [_blocked(row["text"]) for row in rows if row["expect"] != "store"]
    harmless = [_blocked(row["text"]) for row in rows if row["expect"] == "store"]
    return sum(positive) / len(positive), sum(harmless) / max(len(harmless), 1)


@pytest.mark.parametrize(
    ("name", "recall", "refused"),
    [
        ("dev.jsonl", 0.98, 0.02),
        ("stress.jsonl", 0.98, 0.02),
        ("external_molecare.jsonl", 0.90, 0.04),
        ("evasion.jsonl", 0.90, 0.0),
    ],
)
def test_recall_stays_above_and_false_refusals_below_their_floor(name: str, recall: float, refused: float) -> None:
    found, wrong = _score(name)
    assert found >= recall
    assert wrong <= refused


@pytest.mark.parametrize("name", ["dev.jsonl", "stress.jsonl"])
def test_nearly_every_row_of_each_category_is_blocked(name: str) -> None:
    total: Counter[str] = Counter()
    blocked: Counter[str] = Counter()
    for row in _rows(name):
        for category in row["categories"]:
            total[category] += 1
            blocked[category] += _blocked(row["text"])
    assert {category: round(blocked[category] / count, 2) for category, count in total.items()} == {
        category: pytest.approx(1.0, abs=0.06) for category in total
    }


@pytest.mark.parametrize("name", ["dev.jsonl", "stress.jsonl", "evasion.jsonl"])
def test_no_redaction_leaves_a_labelled_value_in_the_text(name: str) -> None:
    for row in _rows(name):
        kept = judge(row["text"]).text
        if kept is not None and row["expect"] != "store":
            assert all(row["text"][start:end] not in kept for start, end, *_ in row.get("spans") or ()), row["id"]


def _spellings(name: str) -> Iterator[tuple[str, bool]]:
    for row in json.loads((FOLDER / "public" / name).read_text(encoding="utf-8")):
        if isinstance(row, str):
            for number in (row, f"{row[:8]}-{row[8:]}", f"{row[2:8]}-{row[8:]}"):
                yield number, True
        elif row["valid"] or row["type"] == "org":
            for key in SPELLINGS:
                if key in row:
                    yield row[key], row["type"] != "org"


@pytest.mark.parametrize(
    "name", ["list.json", "interim.json", "allPins_sample1000.json", "allCoords_sample1000.json", "orgnumber.json"]
)
def test_public_swedish_numbers_are_all_told_apart(name: str) -> None:
    wrong = [number for number, block in _spellings(name) if _blocked(f"nr {number}") != block]
    assert len(wrong) == 0


def test_identifier_rules_stay_quiet_on_news() -> None:
    fired = sum(1 for row in _rows("public_news_fp.jsonl") if IDENTIFIERS & set(judge(row["text"]).reasons))
    assert fired <= 4
