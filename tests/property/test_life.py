"""Random lives of three people on a real store, with crashes: what a plain model says is what can be read."""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.fault.wander import sentence
from tests.fault.world import NOTICE, faults, folder, parts_of

from oblio.errors.access import SubjectErased
from oblio.model.memory import ItemState, Kept
from oblio.service.oblio import Oblio
from oblio.service.subject import SubjectHandle

NAMES = ("anna", "bo", "cleo")
SHARED = "Prefers metric units"
CUTS = (
    "slot.written",
    "slot.synced",
    "ledger.written",
    "slot.zeroed",
    "rekey.batch",
    "erasure.locked",
    "erasure.baseline",
    "erasure.key",
    "erasure.rows",
    "erasure.destroyed",
    "erasure.settled",
    "erasure.rebuilt",
    "rotation.begun",
    "rotation.switched",
    "rotation.destroyed",
    "erasure.bytes",
    "erasure.completing",
    "erasure.completed",
    "correct.replaced",
    "correct.settled",
)


class Crash(BaseException):
    """Ends the work at a cut."""


@dataclass(slots=True)
class Person:
    """What is promised to one person; ids are those that the store gave."""

    consent: bool = False
    memories: dict[str, str] = field(default_factory=dict)
    derived: dict[str, frozenset[str]] = field(default_factory=dict)
    """Derived item -> its sources, of which some may belong to others."""


class Life(RuleBasedStateMachine):
    """Three people; every rule does one thing to the store and the same to the model."""

    def __init__(self) -> None:
        super().__init__()
        self.place = folder()
        self.crash_at: str | None = None
        self.choose = random.Random(0)
        self.people = {name: Person() for name in NAMES}
        self.gone: set[str] = set()
        self.old: list[SubjectHandle] = []
        self.open()

    def open(self) -> None:
        """Open the store as a new process does."""
        self.parts = parts_of(self.place, self.cut)
        self.oblio = Oblio(self.parts)
        self.old.clear()  # they belong to the process before

    def cut(self, point: str) -> None:
        """Crash where it was ordered."""
        if point == self.crash_at:
            self.crash_at = None
            raise Crash

    def teardown(self) -> None:
        self.oblio.close()
        shutil.rmtree(self.place)

    def guarded(self, act: Callable[[], object]) -> bool:
        """Do something that may crash; afterwards everybody opens the store anew. Return whether it crashed."""
        try:
            act()
        except Crash:
            self.parts.store.close()
            self.open()
            return True
        finally:
            self.crash_at = None
        return False

    def item(self, data: st.DataObject, name: str) -> str:
        """Choose one memory of a person."""
        return data.draw(st.sampled_from(sorted(self.people[name].memories)))

    def forgotten(self, items: set[str]) -> None:
        """Take items away from the model, with everything that only they support."""
        for person in self.people.values():
            person.memories = {item: text for item, text in person.memories.items() if item not in items}
        while True:
            dead = {
                item
                for person in self.people.values()
                for item, sources in person.derived.items()
                if item in items or sources <= items
            }
            if dead <= items:
                break
            items |= dead
        for person in self.people.values():
            person.derived = {item: sources - items for item, sources in person.derived.items() if item not in items}

    @rule(name=st.sampled_from(NAMES))
    def grant(self, name: str) -> None:
        self.oblio.subject(name).consent.grant("memory", notice=NOTICE)
        self.people[name].consent = True

    @rule(name=st.sampled_from(NAMES))
    def withdraw(self, name: str) -> None:
        assert self.oblio.subject(name).consent.withdraw("memory") == self.people[name].consent
        self.people[name].consent = False

    @rule(name=st.sampled_from(NAMES), shared=st.booleans())
    def remember(self, name: str, *, shared: bool) -> None:
        text = SHARED if shared else sentence(self.choose)
        answer = self.oblio.subject(name).remember(text)
        assert isinstance(answer, Kept) == self.people[name].consent
        if isinstance(answer, Kept):
            self.people[name].memories[answer.id] = text

    @precondition(lambda self: any(person.memories and person.consent for person in self.people.values()))
    @rule(data=st.data())
    def derive(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from([n for n, p in self.people.items() if p.memories and p.consent]))
        others = [n for n in NAMES if n != name and self.people[n].memories]
        live = [each.id for each in self.oblio.subject(name).derived() if each.text is not None]
        mine = [*self.people[name].memories, *live]
        theirs = [item for other in others for item in self.people[other].memories]
        sources = data.draw(st.sets(st.sampled_from(sorted(mine + theirs)), min_size=1, max_size=4))
        handles = [self.oblio.subject(other) for other in others]
        answer = self.oblio.subject(name).derive("profile", sources=sorted(sources), with_=handles)
        assert isinstance(answer, Kept)
        self.people[name].derived[answer.id] = frozenset(sources)

    @precondition(lambda self: any(person.memories for person in self.people.values()))
    @rule(data=st.data(), crash=st.none() | st.sampled_from(CUTS))
    def correct(self, data: st.DataObject, crash: str | None) -> None:
        name = data.draw(st.sampled_from([n for n, p in self.people.items() if p.memories]))
        item, text, person = self.item(data, name), sentence(self.choose), self.people[name]
        self.crash_at = crash
        crashed = self.guarded(lambda: self.oblio.subject(name).correct(item, text))
        found = self.oblio.subject(name).memory(item).text
        assert found in ({text, person.memories[item]} if crashed or not person.consent else {text})
        if found == text and person.memories[item] != SHARED:
            self.gone.add(person.memories[item])
        person.memories[item] = found

    @precondition(lambda self: any(person.memories for person in self.people.values()))
    @rule(data=st.data(), crash=st.none() | st.sampled_from(CUTS))
    def forget(self, data: st.DataObject, crash: str | None) -> None:
        name = data.draw(st.sampled_from([n for n, p in self.people.items() if p.memories]))
        item = self.item(data, name)
        self.crash_at = crash
        crashed = self.guarded(lambda: self.oblio.subject(name).forget(item).verify(self.oblio.public_key))
        if crashed and item in {memory.id for memory in self.oblio.subject(name).memories()}:
            return
        self.gone |= {self.people[name].memories[item]} - {SHARED}
        self.forgotten({item})

    @rule(name=st.sampled_from(NAMES), crash=st.none() | st.sampled_from(CUTS))
    def erase(self, name: str, crash: str | None) -> None:
        handle, person = self.oblio.subject(name), self.people[name]
        there = handle.ticket() is not None
        self.crash_at = crash
        crashed = self.guarded(lambda: handle.erase().verify(self.oblio.public_key))
        if crashed and self.oblio.subject(name).ticket() is not None:
            return
        if there and not crashed:
            self.old.append(handle)
        self.gone |= set(person.memories.values()) - {SHARED}
        self.forgotten({*person.memories, *person.derived})
        self.people[name] = Person()

    @rule()
    def reopen(self) -> None:
        self.oblio.close()
        self.open()

    @rule(name=st.sampled_from(NAMES))
    def compact(self, name: str) -> None:
        ticket = self.oblio.subject(name).ticket()
        if ticket is not None:
            self.parts.finder.compact(ticket, now=self.parts.clock())

    @invariant()
    def what_is_promised_is_there_and_nothing_else(self) -> None:
        for name, person in self.people.items():
            handle = self.oblio.subject(name)
            assert {memory.id: memory.text for memory in handle.memories()} == person.memories
            assert {each.id for each in handle.derived()} == set(person.derived)
            recalled = {each.id for each in handle.recall("what", limit=1_000)}
            assert recalled == (set(person.memories) if person.consent else set())

    @invariant()
    def derived_texts_say_only_what_their_sources_say(self) -> None:
        texts = {item: text for person in self.people.values() for item, text in person.memories.items()}
        for name, person in self.people.items():
            for each in self.oblio.subject(name).derived():
                assert frozenset(each.sources) == person.derived[each.id]
                assert (each.text is None) == (each.state is ItemState.BLANK)
                known = {texts[item] for item in self.below(each.id)}
                said = {part.strip(" .") for part in (each.text or "").split(".")} - {""}
                assert said <= known

    def below(self, item: str) -> set[str]:
        """Return the memories that a derived item rests on."""
        edges = {item: sources for person in self.people.values() for item, sources in person.derived.items()}
        return {leaf for source in edges[item] for leaf in (self.below(source) if source in edges else {source})}

    @invariant()
    def nothing_forgotten_is_readable(self) -> None:
        everything = " ".join(
            text
            for name in NAMES
            for text in (
                *(memory.text for memory in self.oblio.subject(name).memories()),
                *(each.text or "" for each in self.oblio.subject(name).derived()),
            )
        )
        assert not [text for text in self.gone if text in everything]

    @invariant()
    def the_store_is_sound(self) -> None:
        assert faults(self.parts, blank=True) == []

    @invariant()
    def old_handles_refuse(self) -> None:
        for handle in self.old:
            with pytest.raises(SubjectErased):
                handle.remember("Prefers tea")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_random_lives_match_the_model() -> None:
    run(examples=12, steps=25)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many_long_random_lives_match_the_model() -> None:
    run(examples=200, steps=60)


def run(*, examples: int, steps: int) -> None:
    """Live random lives."""
    run_state_machine_as_test(Life, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None))
