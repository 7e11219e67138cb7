"""Work per call is bounded by one person's data: statements are counted, not timed."""

from collections.abc import Callable
from itertools import count

import pytest
from tests.unit.conftest import NOON, Agent, kept, statements, ticket_of

from oblio.model.ids import ItemId
from oblio.model.memory import Note, Refused
from oblio.service.subject import SubjectHandle

CROWD = 12
EACH = 40

Act = Callable[[SubjectHandle, ItemId], object]
CALLS: dict[str, tuple[Act, int]] = {
    "remember": (lambda anna, _: anna.remember("Likes green tea"), 14),
    "remember with a source": (lambda anna, item: anna.remember("Likes green tea", sources=[item]), 18),
    "recall": (lambda anna, _: anna.recall("tea"), 16),
    "memory": (lambda anna, item: anna.memory(item), 7),
    "memories": (lambda anna, _: list(anna.memories()), 7),
    "derive": (lambda anna, item: anna.derive("profile", sources=[item]), 32),
    "trace": (lambda anna, item: anna.trace(item), 9),
    "grant": (lambda anna, _: anna.consent.grant("history", notice="2026-11"), 12),
    "correct": (lambda anna, item: anna.correct(item, "Likes black tea"), 90),
    "forget": (lambda anna, item: anna.forget(item), 180),
    "erase": (lambda anna, _: anna.erase(), 200),
}


def crowd(agent: Agent, numbers: "count[int]") -> None:
    """Let other people in, with memories, derived items, a history of erasures and blocks."""
    book = agent.parts.book
    for _ in range(CROWD):
        other = agent.person(f"other-{next(numbers)}", "memory", "history")
        ticket = ticket_of(other)
        prepared = book.prepare(ticket, Note(text="Likes coffee", kind="fact"))
        assert not isinstance(prepared, Refused)
        with agent.parts.store.write() as tx:
            items = [kept(book.write(tx, ticket, prepared, now=NOON)) for _ in range(EACH)]
        other.derive("profile", sources=items[:3])
        agent.parts.finder.compact(ticket, now=NOON)
    other.erase()


def measured(agent: Agent, name: str, act: Act) -> int:
    """Count what one call costs a person who has two memories; every cache is warm."""
    anna = agent.person(name)
    kept(anna.remember("Likes rain"))
    item = kept(anna.remember("Likes tea"))
    with statements() as ran:
        act(anna, item)
    return len(ran)


@pytest.mark.slow
def test_no_call_costs_more_because_other_people_have_data(agent: Agent) -> None:
    numbers = count()
    measured(agent, "first", CALLS["erase"][0])  # frees slots, as they are afterwards
    alone = {name: measured(agent, f"alone {name}", act) for name, (act, _) in CALLS.items()}
    crowd(agent, numbers)
    crowded = {name: measured(agent, f"crowded {name}", act) for name, (act, _) in CALLS.items()}
    grown = {name: (alone[name], crowded[name]) for name in CALLS if crowded[name] > alone[name] + 2}
    # A slot that the crowd left free, and the hashes of a longer log, may cost a statement or two.
    assert set(grown) <= {"correct", "forget", "erase"}, grown
    assert all(now <= before + 12 for before, now in grown.values()), grown


@pytest.mark.parametrize("name", CALLS)
def test_a_call_needs_no_more_statements_than_it_did(agent: Agent, name: str) -> None:
    act, most = CALLS[name]
    assert measured(agent, "anna", act) <= most


def test_an_empty_answer_does_not_open_anything(agent: Agent) -> None:
    nobody = agent.oblio.subject("nobody")
    with statements() as ran:
        nobody.recall("tea")
        list(nobody.memories())
    assert len(ran) == 2
    assert all("FROM holders" in each for each in ran)
