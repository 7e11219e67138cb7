"""`kill -9` at every durable step: whatever was done when it came, the next opening ends it, once and the same way."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from tests.fault.lives import DEEDS, RECORD
from tests.fault.world import (
    FIRST,
    SECOND,
    SHARED,
    Facts,
    facts,
    faults,
    folder,
    furnish,
    left,
    needles,
    opened,
    units,
)
from tests.fault.zygote import ENDED, KILLED, Order, Zygote

from oblio.erasure import correct, machine
from oblio.vault import files, head, keyring, ledger, place, rotation, slot_keys

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ENUMERATED: Final = frozenset(
    chain.from_iterable(
        module.CUTS for module in (correct, machine, files, head, keyring, ledger, place, rotation, slot_keys)
    )
)
LIVES: Final = ("create", *DEEDS)
GONE: Final = {"forget": (FIRST,), "erase": (FIRST, SECOND), "correct": (SECOND,)}
"""What nobody may read after a life."""

Place = tuple[str, int]
"""A cut point and its occurrence."""


@dataclass(slots=True, kw_only=True)
class World:
    """A prepared store, and what an undisturbed run of each life makes of a copy of it."""

    base: Path
    zygote: Zygote
    before: Facts
    marks: Mapping[bytes, str] = field(repr=False)
    after: dict[str, tuple[Facts, list[bytes]]] = field(default_factory=dict)
    passed: dict[str, list[str]] = field(default_factory=dict)

    def copy(self, life: str) -> Path:
        """Return a folder for one run: a copy of the prepared store, empty where the life makes one."""
        target = folder()
        if life != "create":
            shutil.copytree(self.base, target, dirs_exist_ok=True)
        return target

    def reference(self, life: str) -> tuple[Facts, list[bytes]]:
        """Return what an undisturbed run leads to, and the needles of what vanished."""
        if life not in self.after:
            target = self.copy(life)
            with opened(target) as (oblio, parts):
                there = units(parts)
                DEEDS[life](oblio, parts, target)
                gone = there - units(parts)
                self.after[life] = facts(oblio), [each for each, unit in self.marks.items() if unit in gone]
            shutil.rmtree(target)
        return self.after[life]

    def points(self, life: str) -> list[str]:
        """Return the cut points that a life passes, in order."""
        if life not in self.passed:
            target = self.copy(life)
            self.passed[life] = self.record(life, target)
            shutil.rmtree(target)
        return self.passed[life]

    def record(self, life: str, target: Path) -> list[str]:
        """Let a life run to its end and return the points it passed."""
        journal = target / "journal"
        assert self.zygote.run(Order(life=life, path=str(target), journal=str(journal))) == ENDED
        return journal.read_text(encoding="utf-8").split() if journal.exists() else []

    def kill(self, life: str, target: Path, at: Place) -> None:
        """Let a life run until it dies at a place."""
        assert self.zygote.run(Order(life=life, path=str(target), point=at[0], nth=at[1])) == KILLED, (life, at)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    base = folder()
    with Zygote() as zygote:
        with opened(base) as (oblio, parts):
            furnish(oblio, base)
            before, marks = facts(oblio), needles(parts)
            assert left(parts, list(marks)) == len(marks) > 20
        yield World(base=base, zygote=zygote, before=before, marks=marks)
    shutil.rmtree(base)


def places(points: list[str], *, most: int = 3) -> list[Place]:
    """Return every occurrence of each point, of one that is passed often only the first ones and the last."""
    chosen = []
    for point, count in Counter(points).items():
        chosen += [(point, nth) for nth in sorted({*range(1, min(count, most) + 1), count})]
    return chosen


def wrong(world: World, life: str, target: Path, *, must_end: bool) -> list[str]:
    """Open a store after a crash, let the caller repeat what did not happen, and return what is not as it must be."""
    after, gone = world.reference(life)
    with opened(target) as (oblio, parts):
        found = facts(oblio)
        bad = [] if found in (world.before, after) or life == "import" else ["neither before nor after"]
        if must_end and found != after:
            bad.append("was not carried on")
        if found != after or life == "import":
            DEEDS[life](oblio, parts, target)
            bad += ["a repetition ends differently"] if facts(oblio) != after else []
        bad += faults(parts)
        bad += [f"{count} needles left"] if (count := left(parts, gone)) else []
        readable = str(found.people if must_end else facts(oblio).people)
        bad += [f"{text} is readable" for text in GONE.get(life, ()) if text in readable]
        bad += ["the other one lost something"] if SHARED not in str(found.people["bo"]) else []
    return bad


@pytest.mark.parametrize("life", list(DEEDS))
def test_killed_at_any_step_the_next_opening_ends_it_once_and_the_same_way(world: World, life: str) -> None:
    points = world.points(life)
    committed = {"forget": "erasure.locked", "erase": "erasure.locked", "correct": "correct.replaced"}.get(life)
    first = points.index(committed) if committed else len(points)
    bad = {}
    for at in places(points):
        target = world.copy(life)
        world.kill(life, target, at)
        index = [number for number, point in enumerate(points) if point == at[0]][at[1] - 1]
        if found := wrong(world, life, target, must_end=index >= first):
            bad[at] = found
        else:
            shutil.rmtree(target)
    assert not bad


def test_a_creation_that_is_killed_anywhere_is_done_again(world: World) -> None:
    bad = {}
    for at in places(world.points("create"), most=8):
        target = world.copy("create")
        world.kill("create", target, at)
        with opened(target) as (oblio, parts):
            found = faults(parts)
            carla = oblio.subject("carla")
            carla.consent.grant("memory", notice="2026-11")
            carla.remember(SHARED)
            found += [] if [each.text for each in carla.recall("units")] == [SHARED] else ["nothing is recalled"]
            receipt = carla.erase()
            receipt.verify(oblio.public_key)
            found += faults(parts)
        if found:
            bad[at] = found
        else:
            shutil.rmtree(target)
    assert not bad


@pytest.mark.parametrize("life", ["forget", "erase", "correct", "rotate"])
def test_killed_again_while_the_first_crash_is_mended_it_still_ends_the_same_way(world: World, life: str) -> None:
    choose = random.Random(life)
    committed = {"forget": "erasure.locked", "erase": "erasure.locked", "correct": "correct.replaced"}.get(life)
    points = world.points(life)
    later = points[points.index(committed) if committed else points.index("rotation.begun") :]
    bad = {}
    for point in dict.fromkeys(later):
        crashed = world.copy(life)
        world.kill(life, crashed, (point, 1))
        probe = folder()
        shutil.copytree(crashed, probe, dirs_exist_ok=True)
        again = places(world.record("open", probe))
        for second in choose.sample(again, min(2, len(again))):
            target = folder()
            shutil.copytree(crashed, target, dirs_exist_ok=True)
            world.kill("open", target, second)
            if found := wrong(world, life, target, must_end=committed is not None):
                bad[point, second] = found
            shutil.rmtree(target)
        shutil.rmtree(probe)
        shutil.rmtree(crashed)
    assert not bad


def test_every_enumerated_step_is_passed_and_every_step_passed_is_enumerated(world: World) -> None:
    reached = set(chain.from_iterable(world.points(life) for life in LIVES))
    assert reached == ENUMERATED | {RECORD}
