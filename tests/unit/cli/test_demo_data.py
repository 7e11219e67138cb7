"""The made-up conversations of the demo. Its numbers are from the official test range and from fiction ranges."""

from importlib.resources import files
from pathlib import Path

import pytest

from oblio.filter.gate import judge
from oblio.history.formats.detect import open_source
from oblio.memory.extract import statements
from oblio.model.conversation import ReadMessage
from oblio.model.screening import Action

PEOPLE = ("anna", "boris", "clara")


def read(person: str) -> list[ReadMessage]:
    with (files("oblio") / "cli" / "demo_data" / f"{person}.jsonl").open("rb") as stream:
        items = [record.item for record in open_source(stream)]
    messages = [item for item in items if isinstance(item, ReadMessage)]
    assert len(messages) == len(items)
    return messages


def said(person: str) -> list[str]:
    return [message.text for message in read(person) if message.role == "user"]


@pytest.mark.parametrize("person", PEOPLE)
def test_everyone_has_several_dated_sessions(person: str) -> None:
    messages = read(person)
    assert len({message.conversation for message in messages}) == 4
    assert 25 <= len(said(person)) <= 40
    times = [message.at for message in messages if message.at is not None]
    assert len(times) == len(messages)
    assert times == sorted(times)
    assert {at.year for at in times} == {2026}


@pytest.mark.parametrize("person", PEOPLE)
def test_everyone_says_much_that_can_be_remembered(person: str) -> None:
    found = [statement for text in said(person) for statement in statements(text)]
    assert {statement.kind for statement in found} == {"preference", "goal", "difficulty", "fact"}
    assert len(found) >= 15


@pytest.mark.parametrize(
    ("person", "stopped"),
    [
        ("anna", ["national_id", "phone", "third_party", "secret", "health"]),
        ("boris", ["phone", "third_party", "child", "secret"]),
        ("clara", ["national_id", "third_party", "secret", "health", "child"]),
    ],
)
def test_the_filter_stops_the_planted_statements_and_no_other_message(person: str, stopped: list[str]) -> None:
    verdicts = [(message, judge(message.text)) for message in read(person)]
    caught = [(message, verdict) for message, verdict in verdicts if verdict.action is not Action.STORE]
    assert [verdict.reasons[0] for _, verdict in caught] == stopped
    assert all(message.role == "user" and statements(message.text) for message, _ in caught)


@pytest.mark.parametrize(("person", "word"), [("anna", "Oslo"), ("boris", "банк"), ("clara", "keramik")])
def test_there_is_a_topic_worth_forgetting(person: str, word: str) -> None:
    assert len([text for text in said(person) if word in text and statements(text)]) >= 2


def test_nothing_else_lies_beside_the_conversations() -> None:
    names = {Path(str(entry)).name for entry in (files("oblio") / "cli" / "demo_data").iterdir()}
    assert names == {f"{person}.jsonl" for person in PEOPLE}
