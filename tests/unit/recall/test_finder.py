"""Tests of recall over a store: the block changes nothing about the answers and brings nothing back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.unit.conftest import Agent, kept, statements, ticket_of

from oblio.errors.memory import BadLimit, EmptyQuery
from oblio.errors.storage import StoreBusy
from oblio.model.ids import ItemId
from oblio.model.memory import ItemType, Note, Recalled, Refused
from oblio.ports.store import Transaction
from oblio.recall.embed import HashedNgramEmbedder
from oblio.recall.finder import TAIL
from oblio.recall.ranker import Ranker
from oblio.service.subject import SubjectHandle

WORDS = ("tea", "rain", "loom", "train", "garden", "chess", "bread", "violin", "harbour", "winter", "lamp")
QUERIES = ("which tea in the rain", "bread or chess", "harbour 7", "winter", "nothing of that", "7")


def fill(agent: Agent, anna: SubjectHandle, count: int, /) -> list[ItemId]:
    """Remember different things in one transaction; quicker than one by one."""
    book, ticket, found = agent.parts.book, ticket_of(anna), []
    notes = [Note(text=f"Likes {WORDS[n % 11]} and {WORDS[n % 7]} number {n}", kind="fact") for n in range(count)]
    prepared = [each for note in notes if not isinstance(each := book.prepare(ticket, note), Refused)]
    with agent.parts.store.write() as tx:
        found = [kept(book.write(tx, ticket, each, now=agent.clock())) for each in prepared]
    assert len(found) == count
    return found


def blocks(anna: SubjectHandle, agent: Agent, /) -> int:
    """Count the recall blocks of a person."""
    with agent.parts.store.read() as tx:
        return len(tx.items.of(ticket_of(anna).subject, types=frozenset({ItemType.SEGMENT})))


def answers(anna: SubjectHandle, /) -> list[list[Recalled]]:
    """Ask every question, with limits that cut ties too."""
    return [anna.recall(query, limit=limit) for query in QUERIES for limit in (1, 7, 1_000)]


@pytest.fixture
def anna(agent: Agent) -> SubjectHandle:
    return agent.person()


@pytest.mark.slow
def test_answers_are_the_same_with_a_block_without_one_and_with_half_of_one(agent: Agent, anna: SubjectHandle) -> None:
    fill(agent, anna, TAIL // 2)
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    fill(agent, anna, TAIL // 2)
    half = answers(anna)
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    assert blocks(anna, agent) == 1
    whole = answers(anna)
    with agent.parts.store.write() as tx:
        agent.parts.finder._drop(tx, agent.parts.fence.enter(tx, ticket_of(anna)))
    assert blocks(anna, agent) == 0
    assert half == whole == answers(anna)
    assert all(len({answer.id for answer in found}) == len(found) for found in whole)
    assert [len(found) for found in whole[:3]] == [1, 7, TAIL]


def test_a_block_is_written_when_the_tail_is_longer_than_allowed(agent: Agent, anna: SubjectHandle) -> None:
    fill(agent, anna, TAIL)
    anna.recall("tea")
    assert blocks(anna, agent) == 0
    item = kept(anna.remember("Likes harbours"))
    before = anna.recall("harbours", limit=1)
    assert blocks(anna, agent) == 1
    assert anna.recall("harbours", limit=1) == before
    assert before[0].id == item
    with statements() as ran:
        anna.recall("tea")
    assert not [each for each in ran if each.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_nothing_erased_corrected_or_expired_comes_back_through_a_block(agent: Agent, anna: SubjectHandle) -> None:
    gone, changed = kept(anna.remember("Likes liquorice most of all")), kept(anna.remember("Plays the bassoon daily"))
    short = kept(anna.remember("Travels by zeppelin", kind="session"))
    finder, ticket = agent.parts.finder, ticket_of(anna)
    with agent.parts.store.read() as tx:
        early = finder._find(tx, ticket, now=agent.clock())
    assert early is not None
    finder.compact(ticket, now=agent.clock())
    anna.forget(gone)
    assert blocks(anna, agent) == 0
    finder.compact(ticket, now=agent.clock())
    anna.correct(changed, "Plays the oboe daily")
    finder.compact(ticket, now=agent.clock())
    agent.clock.move(days=2)
    for query in ("liquorice", "bassoon", "zeppelin"):
        assert [answer.text for answer in anna.recall(query, limit=1_000)] == ["Plays the oboe daily"]
    best = [(row.unit, 1.0) for row in early.rows]
    assert [answer.id for answer in finder._open(ticket, early, best)] == [short]
    finder.compact(ticket, now=agent.clock())
    assert [answer.text for answer in anna.recall("oboe", limit=1_000)] == ["Plays the oboe daily"]


def test_a_block_without_rows_is_not_written(agent: Agent, anna: SubjectHandle) -> None:
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    item = kept(anna.remember("Likes tea"))
    anna.consent.withdraw("memory")
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    assert blocks(anna, agent) == 0
    assert anna.memory(item).text == "Likes tea"


@pytest.mark.parametrize("limit", [0, -1, 1_001, True, 1.0, "1", None])
def test_a_limit_outside_its_bounds_is_refused(anna: SubjectHandle, limit: int) -> None:
    with pytest.raises(BadLimit):
        anna.recall("tea", limit=limit)


@pytest.mark.parametrize("query", ["", " \n\t", None, 7])
def test_an_empty_question_is_refused(anna: SubjectHandle, query: str) -> None:
    with pytest.raises(EmptyQuery):
        anna.recall(query)


def test_there_are_never_more_answers_than_asked_for(agent: Agent, anna: SubjectHandle) -> None:
    assert anna.recall("tea") == []
    fill(agent, anna, 12)
    assert [len(anna.recall("tea", limit=limit)) for limit in (1, 11, 12, 13, 1_000)] == [1, 11, 12, 12, 12]
    assert len(anna.recall("tea")) == 10


def test_equal_memories_are_ordered_the_same_on_every_call(agent: Agent, anna: SubjectHandle) -> None:
    for _ in range(5):
        kept(anna.remember("Likes tea"))
    first = anna.recall("tea", limit=3)
    assert len({answer.score for answer in first}) == 1
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    assert anna.recall("tea", limit=3) == first


def test_a_busy_writer_does_not_cost_the_answers(
    agent: Agent, anna: SubjectHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(agent, anna, TAIL + 1)
    before = anna.recall("bread", limit=5)
    with agent.parts.store.write() as tx:
        agent.parts.finder._drop(tx, agent.parts.fence.enter(tx, ticket_of(anna)))

    @contextmanager
    def busy(_store: object) -> Iterator[Transaction]:
        raise StoreBusy(seconds=10)
        yield

    with monkeypatch.context() as patched:
        patched.setattr(type(agent.parts.store), "write", busy)
        assert anna.recall("bread", limit=5) == before
    assert blocks(anna, agent) == 0


def test_memories_of_another_model_are_found_by_words_and_do_not_rewrite_the_block(
    agent: Agent, anna: SubjectHandle
) -> None:
    fill(agent, anna, TAIL + 1)
    other = HashedNgramEmbedder()
    object.__setattr__(other, "model", "other/1")
    finder = replace(agent.parts.finder, ranker=Ranker(other))
    with statements() as ran:
        found = finder.recall(ticket_of(anna), "bread", limit=3, now=agent.clock())
    assert all("bread" in answer.text for answer in found)
    assert not [each for each in ran if each.startswith("INSERT")]


def test_the_block_is_sealed(agent: Agent, anna: SubjectHandle) -> None:
    fill(agent, anna, 3)
    with agent.parts.store.read() as tx:
        rows = agent.parts.finder._find(tx, ticket_of(anna), now=agent.clock())
    assert rows is not None
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    raw = agent.raw()
    assert not [row for row in rows.rows if row.vector in raw or row.lexical in raw]
