"""Tests of the readable list: expiry by the day, order and pages, corrections, and what the filter refuses."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from tests.unit.conftest import NOON, Agent, kept, statements, ticket_of

from oblio.errors.access import UnknownItem
from oblio.errors.memory import BadTime, NoSuchKind
from oblio.model.memory import KINDS, Kept, Note, Origin, Refused
from oblio.model.screening import Reason

DAYS = {"preference": 365, "goal": 365, "difficulty": 180, "fact": 90, "session": 1, "sensitive": 30}


def texts(agent: Agent, name: str = "anna") -> list[str]:
    return [memory.text for memory in agent.oblio.subject(name).memories()]


def test_the_kinds_and_their_days_are_those_of_the_policy() -> None:
    assert {name: kind.days for name, kind in KINDS.items()} == DAYS


@pytest.mark.parametrize("kind", DAYS)
def test_a_memory_is_readable_to_the_end_of_its_last_day_and_not_after(agent: Agent, kind: str) -> None:
    anna = agent.person("anna", "memory", "sensitive")
    item = kept(anna.remember("Prefers metric units", kind=kind))
    last = (NOON + timedelta(days=DAYS[kind])).date()
    assert anna.memory(item).expires == last
    agent.clock.now = datetime(last.year, last.month, last.day, 23, 59, 59, 999_999, tzinfo=UTC)
    assert texts(agent) == ["Prefers metric units"]
    assert [answer.id for answer in anna.recall("units")] == [item]
    agent.clock.move(microseconds=1)
    assert texts(agent) == []
    assert anna.recall("units") == []
    for use in (
        lambda: anna.memory(item),
        lambda: anna.correct(item, "Prefers imperial units"),
        lambda: anna.derive("profile", sources=[item]),
    ):
        with pytest.raises(UnknownItem):
            use()
    assert anna.forget(item).payload.steps[0].count == 1


def test_said_at_dates_a_memory_and_does_not_move_its_expiry(agent: Agent) -> None:
    anna, said = agent.person(), datetime(2019, 5, 1, 8, tzinfo=timezone(timedelta(hours=2)))
    item = kept(anna.remember("Prefers metric units", kind="session", said_at=said, origin=Origin.IMPORT))
    memory = anna.memory(item)
    assert (memory.said_at, memory.saved, memory.expires) == (said, NOON, date(2026, 12, 1))
    assert (memory.origin, memory.kind, memory.sources) == (Origin.IMPORT, "session", ())


def test_a_time_without_zone_and_an_unknown_kind_are_refused(agent: Agent) -> None:
    anna = agent.person()
    with pytest.raises(BadTime):
        anna.remember("Prefers metric units", said_at=datetime(2026, 11, 30))  # noqa: DTZ001 -- the case
    with pytest.raises(NoSuchKind):
        anna.remember("Prefers metric units", kind="secret")
    assert texts(agent) == []


@pytest.mark.slow
def test_a_long_list_is_newest_first_complete_and_read_in_pages(agent: Agent) -> None:
    anna = agent.person()
    ticket = ticket_of(anna)
    with agent.parts.store.write() as tx:
        book = agent.parts.book
        prepared = book.prepare(ticket, Note(text="Prefers metric units", kind="preference"))
        assert not isinstance(prepared, Refused)
        written = [kept(book.write(tx, ticket, prepared, now=NOON)) for _ in range(1_200)]
    with statements() as ran:
        listed = [memory.id for memory in anna.memories()]
    assert listed == written[::-1]
    assert sum("FROM items" in statement for statement in ran) == 3


def test_a_list_that_is_read_while_it_shrinks_shows_nothing_twice_and_nothing_erased(agent: Agent) -> None:
    anna = agent.person()
    first, second = (kept(anna.remember(f"Prefers tea number {n}")) for n in range(2))
    listing = anna.memories()
    anna.forget(second)
    assert [memory.id for memory in listing] == [first]


def test_a_correction_keeps_everything_but_the_text(agent: Agent) -> None:
    anna = agent.person("anna", "memory")
    source = kept(anna.remember("Grew up with metres"))
    item = kept(anna.remember("Prefers metric units", kind="goal", sources=[source], said_at=NOON - timedelta(days=9)))
    before = anna.memory(item)
    agent.clock.move(days=3)
    assert anna.correct(item, "Prefers imperial units") == Kept(id=item)
    after = anna.memory(item)
    assert after.text == "Prefers imperial units"
    for name in ("id", "kind", "saved", "expires", "said_at", "origin", "sources"):
        assert getattr(after, name) == getattr(before, name)
    assert [answer.text for answer in anna.recall("imperial")][:1] == ["Prefers imperial units"]
    trace = anna.trace(item)
    assert (trace.version, trace.holders) == (2, 1)


def test_what_was_derived_is_made_anew_from_the_corrected_text(agent: Agent) -> None:
    anna = agent.person()
    item, other = kept(anna.remember("Prefers metric units")), kept(anna.remember("Likes tea"))
    kept(anna.derive("profile", sources=[item, other]))
    top = kept(anna.derive("title", sources=[anna.derived()[0].id]))
    anna.correct(item, "Prefers imperial units")
    found = {each.name: each for each in anna.derived()}
    assert found["profile"].text == "Prefers imperial units. Likes tea."
    assert (found["title"].id, found["title"].text) == (top, "Prefers imperial units.")


def test_a_refused_correction_leaves_the_old_text_and_what_was_made_from_it(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Prefers metric units"))
    kept(anna.derive("profile", sources=[item]))
    refused = anna.correct(item, "My brother Lars has schizophrenia")
    assert isinstance(refused, Refused)
    assert not refused
    assert anna.memory(item).text == "Prefers metric units"
    assert anna.derived()[0].text == "Prefers metric units."
    assert anna.trace(item).version == 1


def test_neither_an_old_text_nor_its_ciphertext_is_left_after_a_correction(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Prefers metric units above all"))
    with agent.parts.store.read() as tx:
        unit = anna.trace(item).unit
        assert unit is not None
        sealed = tx.contents.get([unit])[unit]
        wrapped = tx.unit_keys.holders([unit])[0].wrapped
    assert sealed[:64] in agent.raw()
    assert wrapped in agent.raw()
    anna.correct(item, "Prefers imperial units above all")
    for gone in (sealed[1:33], sealed[-32:], wrapped, b"Prefers metric units above all"):
        assert gone not in agent.raw()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("My brother Lars has schizophrenia and takes Zyprexa", Reason.HEALTH),
        ("api key sk-live-4f9d8c7b6a5e4d3c2b1a0f9e8d7c6b5a", Reason.SECRET),
        ("x" * 4_001, Reason.TOO_LONG),
        ("Prefers \x00 units", Reason.UNREADABLE),
    ],
)
def test_a_refused_text_leaves_nothing_in_any_file(agent: Agent, text: str, reason: Reason) -> None:
    anna, before = agent.person(), agent.rows()
    refused = anna.remember(text)
    assert isinstance(refused, Refused)
    assert reason in refused.reasons
    assert agent.rows() == before
    assert text.encode() not in agent.raw()
    assert text not in repr(refused)


def test_what_is_stored_is_in_no_file_in_clear(agent: Agent) -> None:
    anna = agent.person("anna@example.org")
    kept(anna.remember("Prefers metric units above all"))
    raw = agent.raw()
    for clear in ("Prefers metric units above all", "anna@example.org"):
        assert clear.encode() not in raw
        assert clear.encode("utf-16-le") not in raw
