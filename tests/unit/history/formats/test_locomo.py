"""LoCoMo files: self-made samples, and the counts of the real data where it is at hand."""

import io
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from oblio.history.formats.detect import open_source
from oblio.history.formats.limits import Limits
from oblio.history.formats.locomo import read, session_time
from oblio.history.formats.message import Found
from oblio.model.conversation import ReadMessage, ReadStatement, ReadSummary, Skip, Skipped

SAMPLE: dict[str, Any] = {
    "speaker_a": "Ida",
    "speaker_b": "Per",
    "session_2_date_time": "12:05 am on 3 June, 2026",
    "session_2": [{"speaker": "Per", "dia_id": "D2:1", "text": "I sold the boat."}],
    "session_1_date_time": "1:56 pm on 8 May, 2026",
    "session_1": [
        {"speaker": "Ida", "dia_id": "D1:1", "text": "I bought a loom."},
        {"speaker": "Per", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a boat on a lake"},
        {"speaker": "Per", "dia_id": "D1:2", "text": "again"},
        {"speaker": "Per", "text": "no id"},
        {"speaker": "Per", "dia_id": "D1:4", "text": " "},
        "noise",
    ],
    "session_1_observation": {
        "Ida": [["Ida weaves.", "D1:1"], ["Both own things.", "D1:1, D1:2"], ["Bent.", "D:1:1"], ["Gone.", "D9:9"]],
        "Per": [["Per had a boat.", ["D1:2", "D2:1"]], ["No source.", []], ["Half.", ["D1:2", 7]], ["", "D1:1"], 3],
    },
    "session_1_summary": "Ida and Per spoke of what they own.",
    "session_2_summary": "Per sold a boat.",
}


def read_all(value: Any) -> list[Found]:
    return list(read(io.BytesIO(json.dumps(value).encode()), name="two", limits=Limits()))


def test_turns_come_in_the_order_of_sessions_with_captions_and_times() -> None:
    turns = [item for _, item, _ in read_all(SAMPLE) if isinstance(item, ReadMessage)]
    assert [(turn.message, turn.author, turn.parent, turn.role) for turn in turns] == [
        ("D1:1", "Ida", None, "user"),
        ("D1:2", "Per", "D1:1", "user"),
        ("D2:1", "Per", None, "user"),
    ]
    assert turns[1].text == "Look! [image: a boat on a lake]"
    assert [turn.at for turn in turns] == [
        datetime(2026, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2026, 5, 8, 13, 56, tzinfo=UTC),
        datetime(2026, 6, 3, 0, 5, tzinfo=UTC),
    ]
    assert {turn.conversation for turn in turns} == {"two"}


def test_a_fact_is_kept_only_with_all_its_sources() -> None:
    facts = [item for _, item, _ in read_all(SAMPLE) if isinstance(item, ReadStatement)]
    assert [(fact.author, fact.evidence) for fact in facts] == [
        ("Ida", ("D1:1",)),
        ("Ida", ("D1:1", "D1:2")),
        ("Per", ("D1:2", "D2:1")),
    ]


def test_what_is_left_out_is_counted_by_reason() -> None:
    assert Counter(item.reason for _, item, _ in read_all(SAMPLE) if isinstance(item, Skipped)) == {
        Skip.DUPLICATE: 1,
        Skip.UNREADABLE: 4,
        Skip.EMPTY: 1,
        Skip.EVIDENCE: 4,
    }


def test_a_summary_names_all_turns_of_its_session() -> None:
    summaries = [item for _, item, _ in read_all(SAMPLE) if isinstance(item, ReadSummary)]
    assert [(summary.session, summary.sources) for summary in summaries] == [(1, ("D1:1", "D1:2")), (2, ("D2:1",))]


def test_a_summary_of_a_session_without_turns_is_left_out() -> None:
    found = read_all({"session_1": [], "session_1_summary": "Nothing."})
    assert [item.reason for _, item, _ in found if isinstance(item, Skipped)] == [Skip.EVIDENCE]


def test_the_nested_shape_reads_the_same() -> None:
    nested = {
        "sample_id": "s-1",
        "qa": [],
        "conversation": {key: value for key, value in SAMPLE.items() if not key.endswith(("_summary", "_observation"))},
        "observation": {"session_1_observation": SAMPLE["session_1_observation"]},
        "session_summary": {key: value for key, value in SAMPLE.items() if key.endswith("_summary")},
    }
    found, flat = read_all([nested, nested]), read_all(SAMPLE)
    assert len(found) == 2 * len(flat)
    assert {item.conversation for _, item, _ in found if isinstance(item, ReadMessage)} == {"s-1"}


@pytest.mark.parametrize("value", [{"qa": []}, [[1]], {"session_x": []}])
def test_an_object_without_sessions_is_unreadable(value: Any) -> None:
    assert [item for _, item, _ in read_all(value)] == [Skipped(reason=Skip.UNREADABLE, record=1)]


@pytest.mark.parametrize("text", ["", "8 May, 2026", "1:56 pm on 31 June, 2026", "1:56 pm on 8 Maj, 2026", None, 3])
def test_a_time_that_cannot_be_read_is_none(text: object) -> None:
    assert session_time(text) is None


@pytest.mark.parametrize(("text", "hour"), [("12:00 am on 1 May, 2026", 0), ("12:00 pm on 1 May, 2026", 12)])
def test_noon_and_midnight_are_told_apart(text: str, hour: int) -> None:
    assert session_time(text) == datetime(2026, 5, 1, hour, tzinfo=UTC)


def test_the_real_data_is_read_without_loss() -> None:
    folder = os.environ.get("OBLIO_SHARED_DATA", Path(__file__).parents[5] / "shared")
    path = Path(folder) / "data" / "locomo10.zip"
    if not path.exists():
        pytest.skip("the LoCoMo archive is not at hand: set OBLIO_SHARED_DATA to its folder")
    counts = Counter(type(record.item) for record in open_source(path))
    assert counts == {ReadMessage: 5_882, ReadStatement: 2_541, ReadSummary: 272}
