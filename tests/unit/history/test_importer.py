"""Tests of the import: nothing twice, nothing back, nothing of people who allowed nothing; and every record counted."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import NOON, Agent, ticket_of

from oblio.errors.access import SubjectErased
from oblio.errors.consent import ConsentMissing
from oblio.errors.ingest import BadSource, SourceMissing
from oblio.errors.memory import BadTime
from oblio.history.importer import ImportReport
from oblio.model.memory import Kept, Said

CHAT: Sequence[tuple[str, str]] = (
    ("user", "I prefer metric units. What about you?"),
    ("assistant", "I have no units."),
    ("user", "Good morning!"),
    ("user", "I am learning Swedish. I have trouble with verbs."),
    ("user", "My card is 4111 1111 1111 1111, by the way."),
)
PAIR: dict[str, Any] = {
    "speaker_a": "Ida",
    "speaker_b": "Per",
    "session_1_date_time": "1:56 pm on 8 May, 2026",
    "session_1": [
        {"speaker": "Ida", "dia_id": "D1:1", "text": "I bought a loom."},
        {"speaker": "Per", "dia_id": "D1:2", "text": "I sold the boat."},
    ],
    "session_1_observation": {"Ida": [["Weaves at home.", "D1:1"]], "Per": [["Had a boat.", "D1:2"]]},
    "session_1_summary": "A loom was bought and a boat was sold.",
}


class StoppedError(Exception):
    """A power cut between two records."""


def quiet(_report: ImportReport) -> None:
    """Say nothing."""


def after(records: int) -> Callable[[ImportReport], None]:
    """Return a `tell` that stops the import behind some record."""

    def tell(report: ImportReport) -> None:
        if report.read == records:
            raise StoppedError

    return tell


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps({"role": role, "content": text}) for role, text in CHAT), encoding="utf-8")
    return path


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "pair.json"
    path.write_text(json.dumps(PAIR), encoding="utf-8")
    return path


def state(agent: Agent, name: str = "anna") -> tuple[set[str], set[str]]:
    """Return the ids of a person's messages and memories."""
    handle = agent.oblio.subject(name)
    return {message.id for message in handle.messages()}, {memory.id for memory in handle.memories()}


def test_messages_and_the_statements_in_them_arrive_and_the_numbers_add_up(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "memory", "history")
    report = agent.oblio.import_(chat, subject=anna)
    assert (report.read, report.messages, report.memories, report.derived) == (5, 5, 3, 0)
    assert (report.already, report.fenced, report.refused, report.skipped) == (0, 0, {"payment": 1}, {})
    assert report.cut == {"payment": 1}
    assert [(m.role, m.text) for m in anna.messages()][::-1] == [
        *CHAT[:4],
        ("user", "My card is [payment], by the way."),
    ]
    memories = {memory.text: memory for memory in anna.memories()}
    assert memories.keys() == {"I prefer metric units.", "I am learning Swedish.", "I have trouble with verbs."}
    first = next(message for message in anna.messages() if message.text == CHAT[0][1])
    assert memories["I prefer metric units."].sources == (first.id,)
    assert b"4111 1111" not in agent.raw()


def test_an_import_that_is_repeated_stores_nothing_twice(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "memory", "history")
    agent.oblio.import_(chat, subject=anna)
    before, rows = state(agent), agent.rows()
    again = agent.oblio.import_(chat, subject=anna)
    assert again.read == 0
    with agent.parts.store.write() as tx:
        tx.imports.delete(ticket_of(anna).subject)
    blind = agent.oblio.import_(chat, subject=anna)
    assert (blind.read, blind.already, blind.messages, blind.memories) == (5, 8, 0, 0)
    assert state(agent) == before
    assert agent.rows() == rows


@pytest.mark.parametrize("records", range(1, len(CHAT) + 1))
def test_an_import_stopped_behind_any_record_goes_on_there(agent: Agent, chat: Path, records: int) -> None:
    anna = agent.person("anna", "memory", "history")
    with pytest.raises(StoppedError):
        agent.oblio.import_(chat, subject=anna, tell=after(records))
    rest = agent.oblio.import_(chat, subject=anna)
    assert rest.read == len(CHAT) - records
    assert rest.already == 0
    assert [len(ids) for ids in state(agent)] == [5, 3]


def test_an_import_that_breaks_inside_a_record_leaves_nothing_of_that_record(
    agent: Agent, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = agent.person("anna", "memory", "history")
    seal, calls = agent.parts.keys.seal, []

    def breaks(*arguments: Any, **named: Any) -> None:
        calls.append(1)
        if len(calls) == 5:  # the fourth message, its first statement
            raise StoppedError
        seal(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(type(agent.parts.keys), "seal", lambda _keys, *arguments, **named: breaks(*arguments, **named))
        with pytest.raises(StoppedError):
            agent.oblio.import_(chat, subject=anna)
    assert [len(ids) for ids in state(agent)] == [3, 1]
    agent.oblio.import_(chat, subject=anna)
    assert [len(ids) for ids in state(agent)] == [5, 3]


def test_what_was_erased_does_not_come_back_with_a_repeated_import(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "memory", "history")
    agent.oblio.import_(chat, subject=anna)
    gone = next(memory.id for memory in anna.memories() if memory.kind == "goal")
    anna.forget(gone)
    with agent.parts.store.write() as tx:
        tx.imports.delete(ticket_of(anna).subject)
    report = agent.oblio.import_(chat, subject=anna)
    assert (report.fenced, report.already, report.memories) == (1, 7, 0)
    assert gone not in state(agent)[1]
    assert len(state(agent)[1]) == 2


def test_with_history_alone_messages_are_kept_and_nothing_is_taken_from_them(agent: Agent, chat: Path) -> None:
    report = agent.oblio.import_(chat, subject=agent.person("anna", "history"))
    assert (report.messages, report.memories) == (5, 0)
    assert report.refused == {"consent_missing": 4}
    assert [len(ids) for ids in state(agent)] == [5, 0]


def test_with_memory_alone_statements_are_kept_without_the_messages(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "memory")
    report = agent.oblio.import_(chat, subject=anna)
    assert (report.messages, report.memories, report.fenced) == (0, 3, 0)
    assert report.refused == {"consent_missing": 5, "payment": 1}
    assert {memory.sources for memory in anna.memories()} == {()}
    anna.forget(next(iter(anna.memories())).id)
    assert [len(ids) for ids in state(agent)] == [0, 2]


def test_a_source_needs_exactly_one_way_to_its_people(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "history")
    with pytest.raises(BadSource):
        agent.oblio.import_(chat)
    with pytest.raises(BadSource):
        agent.oblio.import_(chat, subject=anna, each_author=agent.oblio.subject)
    with pytest.raises(ConsentMissing):
        agent.oblio.import_(chat, subject=agent.oblio.subject("nobody"))
    with pytest.raises(SourceMissing) as raised:
        agent.oblio.import_(chat.with_name("nothing.jsonl"), subject=anna)
    assert "nothing" not in str(raised.value)


def test_each_author_gets_their_own_messages_statements_and_the_common_summary(agent: Agent, pair: Path) -> None:
    for name in ("ida", "per"):
        agent.person(name, "memory", "history")
    report = agent.oblio.import_(pair, each_author=lambda author: agent.oblio.subject(author.lower()))
    assert (report.messages, report.memories, report.derived) == (2, 2, 2)
    assert (report.fenced, report.refused) == (0, {})
    ida, per = agent.oblio.subject("ida"), agent.oblio.subject("per")
    assert [message.text for message in ida.messages()] == ["I bought a loom."]
    assert [memory.text for memory in per.memories()] == ["Had a boat."]
    for handle in (ida, per):
        assert [(each.name, len(each.sources)) for each in handle.derived()] == [("session-summary", 2)]
    again = agent.oblio.import_(pair, each_author=lambda author: agent.oblio.subject(author.lower()))
    assert (again.already, again.messages, again.memories, again.derived) == (6, 0, 0, 0)
    per.erase()
    assert [each.text for each in ida.derived()] == ["I bought a loom."]


def test_records_of_an_author_who_allowed_nothing_are_counted_and_left_out(agent: Agent, pair: Path) -> None:
    agent.person("ida", "memory", "history")
    report = agent.oblio.import_(pair, each_author=lambda author: agent.oblio.subject(author.lower()))
    assert (report.read, report.messages, report.memories, report.derived) == (5, 1, 1, 1)
    assert report.refused == {"consent_missing": 2}
    assert agent.oblio.subject("per").ticket() is None


def test_an_erasure_while_an_import_runs_ends_it_and_leaves_no_position(agent: Agent, chat: Path) -> None:
    anna = agent.person("anna", "memory", "history")

    def tell(report: ImportReport) -> None:
        if report.read == 2:
            agent.oblio.subject("anna").erase()

    with pytest.raises(SubjectErased):
        agent.oblio.import_(chat, subject=anna, tell=tell)
    with pytest.raises(SubjectErased):
        agent.oblio.import_(chat, subject=anna, tell=quiet)
    rows = agent.rows()
    assert [rows[table] for table in ("imports", "items", "contents", "unit_keys")] == [0, 0, 0, 0]


def test_a_position_is_not_kept_for_a_person_who_was_erased_before_a_record_without_content(
    agent: Agent, tmp_path: Path
) -> None:
    path, anna = tmp_path / "noise.jsonl", agent.person("anna", "history")
    path.write_text('{"role": "user", "content": "Good morning!"}\nnoise\n', encoding="utf-8")
    agent.oblio.import_(path, subject=anna, tell=lambda _report: (anna.erase(), None)[1])
    assert agent.rows()["imports"] == 0


def test_a_message_is_kept_with_its_role_and_time_and_only_with_consent(agent: Agent) -> None:
    anna = agent.person("anna", "history")
    history, ticket = agent.parts.history, ticket_of(anna)
    done = history.add(ticket, Said(role="stranger", text="Good morning!", at=NOON), now=NOON)
    assert isinstance(done, Kept)
    (message,) = anna.messages()
    assert (message.id, message.role, message.said_at, message.state) == (done.id, "user", NOON, "live")
    agent.clock.move(days=366)
    assert list(anna.messages()) == []
    anna.consent.withdraw("history")
    assert not history.add(ticket, Said(role="user", text="Good evening!"), now=NOON)


def test_a_message_without_zone_or_that_cannot_be_read_is_not_kept(agent: Agent) -> None:
    anna, history = agent.person("anna", "history"), agent.parts.history
    with pytest.raises(BadTime):
        history.add(ticket_of(anna), Said(role="user", text="Hi!", at=NOON.replace(tzinfo=None)), now=NOON)
    for text in ("x" * 64_001, "Hi \x00"):
        assert not history.add(ticket_of(anna), Said(role="user", text=text), now=NOON)
    assert list(anna.messages()) == []
