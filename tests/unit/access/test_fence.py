"""Tests of the fence: handles unborn, bound and old; tenants apart; another person's id is nobody's."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from tests.unit.conftest import Agent, kept, ticket_of

from oblio.errors.access import (
    BadId,
    BadTenant,
    EmptySubject,
    ErasedSource,
    SubjectErased,
    SubjectLocked,
    SubjectTooLong,
    SubjectUnreadable,
    TooManySources,
    UnknownItem,
)
from oblio.errors.base import Fault
from oblio.model.erasure import Scope
from oblio.model.ids import ItemId, new_id
from oblio.model.memory import Recipe
from oblio.model.provenance import MAX_SOURCES
from oblio.service.subject import SubjectHandle

Use = Callable[[SubjectHandle, str], object]
BY_ID: dict[str, Use] = {
    "memory": lambda handle, item: handle.memory(item),
    "correct": lambda handle, item: handle.correct(item, "Prefers imperial units"),
    "forget": lambda handle, item: handle.forget(item),
    "plan": lambda handle, item: handle.plan(Scope.of(item)),
    "trace": lambda handle, item: handle.trace(item),
    "derive": lambda handle, item: handle.derive("profile", sources=[item]),
    "remember": lambda handle, item: handle.remember("Likes tea", sources=[item]),
}


def fault(use: Use, handle: SubjectHandle, item: str) -> tuple[type[Fault], str]:
    """Return what a use raises, as the caller sees it."""
    with pytest.raises(Fault) as raised:
        use(handle, item)
    return raised.type, str(raised.value)


@pytest.mark.parametrize("use", BY_ID.values(), ids=BY_ID)
def test_another_persons_item_cannot_be_told_from_one_that_never_was(agent: Agent, use: Use) -> None:
    anna, bo = agent.person("anna"), agent.person("bo")
    kept(bo.remember("Likes coffee"))
    item = kept(anna.remember("Prefers metric units"))
    derived = kept(anna.derive("profile", sources=[item]))
    for theirs in (item, derived):
        assert fault(use, bo, theirs) == fault(use, bo, new_id()) == (UnknownItem, str(UnknownItem()))
    assert [memory.text for memory in anna.memories()] == ["Prefers metric units"]


@pytest.mark.parametrize("name", [name for name in BY_ID if name not in {"derive", "remember"}])
def test_a_handle_of_nobody_knows_no_item(agent: Agent, name: str) -> None:
    assert fault(BY_ID[name], agent.oblio.subject("nobody"), new_id())[0] is UnknownItem


@pytest.mark.parametrize("use", BY_ID.values(), ids=BY_ID)
def test_an_id_that_is_none_is_refused(agent: Agent, use: Use) -> None:
    anna = agent.person()
    for bad in ("", "x", "0" * 31, "0" * 33, "g" * 32, " " + "0" * 31, "00 " * 10 + "00"):
        with pytest.raises(BadId):
            use(anna, bad)


def test_an_id_in_capitals_is_the_same_id(agent: Agent) -> None:
    anna = agent.person()
    item = kept(anna.remember("Prefers metric units"))
    assert anna.memory(item.upper()).id == item


def test_two_handles_of_a_person_are_one_person(agent: Agent) -> None:
    first, second = agent.oblio.subject("anna"), agent.oblio.subject("anna")
    first.consent.grant("memory", notice="2026-11")
    second.consent.grant("memory", notice="2026-11")
    assert first.ticket() == second.ticket()
    assert len(first.consent.list()) == 1
    item = kept(first.remember("Prefers metric units"))
    assert second.memory(item).text == "Prefers metric units"


def test_two_spellings_are_two_persons(agent: Agent) -> None:
    tickets = {agent.person(name).ticket() for name in ("anna", "Anna", "anna ", "\u00e5", "a\u030a")}
    assert len(tickets) == 5


def test_a_handle_from_before_an_erasure_only_answers_about_the_erasure(agent: Agent) -> None:
    anna, other = agent.person(), agent.oblio.subject("anna")
    item = kept(other.remember("Prefers metric units"))
    receipt = anna.erase()
    uses: list[Callable[[], object]] = [
        *(partial(use, other, item) for use in BY_ID.values()),
        lambda: other.recall("units"),
        lambda: list(other.memories()),
        lambda: list(other.messages()),
        other.derived,
        lambda: other.remember("Likes tea"),
    ]
    for use in uses:
        with pytest.raises(SubjectErased):
            use()
    assert other.erase().to_json() == receipt.to_json()
    assert [row.request for row in other.requests()] == [receipt.payload.request]


def test_while_an_erasure_is_under_way_every_handle_of_the_person_is_locked(agent: Agent) -> None:
    anna, other = agent.person(), agent.oblio.subject("anna")
    item = kept(other.remember("Prefers metric units"))
    taken = anna.begin(Scope.whole())
    for use in (partial(use, other, item) for use in BY_ID.values()):
        with pytest.raises(SubjectLocked):
            use()
    with pytest.raises(SubjectLocked):
        other.recall("units")
    assert agent.oblio.subject("anna").ticket() is None
    assert other.begin(Scope.whole()).row.request == taken.row.request
    assert [row.request for row in other.requests()] == [taken.row.request]
    anna.finish(taken)
    with pytest.raises(SubjectErased):
        other.recall("units")


def test_a_person_asked_for_anew_after_an_erasure_is_empty_and_somebody_else(agent: Agent) -> None:
    anna = agent.person()
    kept(anna.remember("Prefers metric units"))
    before = ticket_of(anna).subject
    anna.erase()
    again = agent.oblio.subject("anna")
    assert again.ticket() is None
    assert again.recall("units") == []
    again.consent.grant("memory", notice="2026-11")
    assert ticket_of(again).subject != before
    assert list(again.memories()) == []
    assert list(again.requests()) == []
    with pytest.raises(SubjectErased):
        anna.recall("units")


def test_the_same_external_id_in_two_tenants_is_two_persons(agent: Agent) -> None:
    here, there = agent.person("anna"), agent.oblio.tenant("acme").subject("anna")
    assert there.ticket() is None
    there.consent.grant("memory", notice="2026-11")
    item = kept(here.remember("Prefers metric units"))
    assert there.recall("units") == []
    assert fault(BY_ID["memory"], there, item)[0] is UnknownItem
    kept(there.remember("Prefers imperial units"))
    here.erase()
    assert [memory.text for memory in there.memories()] == ["Prefers imperial units"]
    assert agent.oblio.tenant("default").subject("anna").ticket() is None


def test_a_ticket_of_another_tenant_or_generation_is_refused(agent: Agent) -> None:
    ticket = ticket_of(agent.person())
    for wrong in (
        replace(ticket, tenant=agent.oblio.tenant("acme").name),
        replace(ticket, generation=ticket.generation + 1),
    ):
        with agent.parts.store.read() as tx, pytest.raises(SubjectErased):
            agent.parts.fence.enter(tx, wrong)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", EmptySubject),
        ("  \t", EmptySubject),
        ("a" * 513, SubjectTooLong),
        ("\u00e5" * 257, SubjectTooLong),
        ("an\x00na", SubjectUnreadable),
        ("anna\n", SubjectUnreadable),
        ("\ud800", SubjectUnreadable),
        (7, SubjectUnreadable),
        (None, SubjectUnreadable),
    ],
)
def test_what_cannot_be_a_persons_id_is_refused_without_repeating_it(
    agent: Agent, name: str, error: type[Fault]
) -> None:
    with pytest.raises(error) as raised:
        agent.oblio.subject(name)
    assert not str(name).strip() or str(name) not in str(raised.value)


@pytest.mark.parametrize("name", ["", "Acme", "a b", "a" * 33, "\u00e5", "acme\n", None])
def test_what_cannot_be_a_tenant_is_refused(agent: Agent, name: str) -> None:
    with pytest.raises(BadTenant):
        agent.oblio.tenant(name)


def test_the_longest_id_of_a_person_is_one(agent: Agent) -> None:
    assert agent.person("a" * 512).ticket()


def test_more_sources_than_allowed_and_erased_ones_are_refused(agent: Agent) -> None:
    anna = agent.person()
    with pytest.raises(TooManySources):
        anna.remember("Likes tea", sources=[new_id() for _ in range(MAX_SOURCES + 1)])
    item = kept(anna.remember("Prefers metric units"))
    anna.forget(item)
    with pytest.raises(ErasedSource):
        anna.remember("Likes tea", sources=[item])
    with pytest.raises(ErasedSource):
        anna.derive("profile", sources=[item])
    assert agent.parts.late.refused == 2


def test_profiles_and_recall_blocks_are_no_sources(agent: Agent) -> None:
    anna = agent.person()
    kept(anna.remember("Prefers metric units"))
    agent.parts.finder.compact(ticket_of(anna), now=agent.clock())
    for hidden in (item.item for item in anna.plan(Scope.whole()).items):
        if hidden not in {memory.id for memory in anna.memories()}:
            with pytest.raises(UnknownItem):
                anna.derive("profile", sources=[hidden])
            with pytest.raises(UnknownItem):
                anna.remember("Likes tea", sources=[hidden])
    assert len(anna.plan(Scope.whole()).items) == 3


def test_another_persons_ticket_opens_only_what_the_owner_named(agent: Agent) -> None:
    anna, bo, cy = agent.person("anna"), agent.person("bo"), agent.person("cy")
    item = kept(bo.remember("Likes coffee"))
    sources = (ItemId(item),)
    workshop, ticket = agent.parts.workshop, ticket_of(anna)
    kept(workshop.derive(ticket, Recipe(name="pair", sources=sources, others=(ticket_of(bo),)), now=agent.clock()))
    with pytest.raises(UnknownItem):
        workshop.derive(ticket, Recipe(name="pair", sources=sources, others=(ticket_of(cy),)), now=agent.clock())
    assert [each.text for each in anna.derived()] == ["Likes coffee."]
    assert list(bo.derived()) == []
