"""`kill -9` at random moments of a random life: what was promised holds, what was forgotten stays forgotten."""

import os
import platform
import random
import shutil
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fault.wander import NAMES, Model
from tests.fault.world import faults, folder, left, needles, opened
from tests.fault.zygote import KILLED, Order, Zygote

from oblio.service.oblio import Oblio
from oblio.wiring import Parts

GATE_MOMENTS, GATE_SEED = 40, 20261130
SOAK_MOMENTS = 2_000
PER_STORE = 25
"""Kills of one store after each other, before a new one is made."""

LONGEST_SECONDS = 0.5


@dataclass(slots=True, kw_only=True)
class Round:
    """One store over many kills."""

    zygote: Zygote
    choose: random.Random
    place: Path = field(default_factory=folder)
    model: Model = field(default_factory=lambda: Model(texts={name: set() for name in NAMES}, gone=set()))
    marks: dict[bytes, str] = field(default_factory=dict)
    used: frozenset[int] = frozenset()
    deeds: Counter[str] = field(default_factory=Counter)

    def moment(self) -> list[str]:
        """Let a child live and die, open the store, and return what is not as it must be."""
        journal = self.place / "journal"
        journal.unlink(missing_ok=True)
        seconds = self.choose.uniform(0, LONGEST_SECONDS)
        order = Order(
            life="wander",
            path=str(self.place),
            seconds=seconds,
            journal=str(journal),
            seed=self.choose.randrange(2**32),
        )
        ending = self.zygote.run(order)
        self.model.read(journal)
        self.deeds[self.model.open["will"] if self.model.open else "between"] += 1
        with opened(self.place) as (oblio, parts):
            bad = [] if ending == KILLED else [f"the child {ending}"]
            # A program that the killed process had just forked may keep its lock for a moment; this waits for it.
            for row in oblio.open_requests():
                parts.machine.work(row.request)
            bad += faults(parts, used=self.used)
            bad += self._texts(oblio) + self._bytes(parts)
            with parts.store.read() as tx:
                self.used |= {tx.singletons.vault().cur}
        self.model.open = None
        return bad

    def _texts(self, oblio: Oblio) -> list[str]:
        bad, everything = [], ""
        for name in NAMES:
            person = oblio.subject(name)
            memories = {memory.text for memory in person.memories()}
            bad += self.model.judge(name, memories)
            everything += " ".join([*memories, *(each.text or "" for each in person.derived())])
            everything += " ".join(each.text for each in person.recall("tea in the morning", limit=1_000))
        return bad + [f"{count} texts came back" for count in [sum(t in everything for t in self.model.gone)] if count]

    def _bytes(self, parts: Parts) -> list[str]:
        """Look for what opened contents that are gone by now."""
        now = needles(parts)
        dead = [needle for needle, unit in self.marks.items() if unit not in set(now.values())]
        self.marks = now
        return [f"{count} needles left" for count in [left(parts, dead)] if count]


def wandered(moments: int, seed: int) -> tuple[list[tuple[int, int, list[str]]], Counter[str]]:
    """Kill at many moments. Return (number, seed, faults) of each that failed, and what was open when it came."""
    failed: list[tuple[int, int, list[str]]] = []
    deeds: Counter[str] = Counter()
    with Zygote() as zygote:
        for first in range(0, moments, PER_STORE):
            here = Round(zygote=zygote, choose=random.Random(seed + first))
            for number in range(first, min(first + PER_STORE, moments)):
                if bad := here.moment():
                    failed.append((number, seed + first, bad))
                    break
            deeds += here.deeds
            shutil.rmtree(here.place)
    return failed, deeds


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_forty_random_moments_every_promise_holds(capsys: pytest.CaptureFixture[str]) -> None:
    failed, deeds = wandered(GATE_MOMENTS, GATE_SEED)
    with capsys.disabled():
        print(f" [seed {GATE_SEED}, interrupted: {dict(deeds)}]", end="")  # noqa: T201 -- a failure must be repeatable
    assert not failed
    assert sum(deeds.values()) == GATE_MOMENTS


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_killed_at_two_thousand_random_moments_every_promise_holds() -> None:
    seed = int(datetime.now(UTC).strftime("%Y%m%d"))
    began = time.monotonic()
    failed, deeds = wandered(SOAK_MOMENTS, seed)
    report(Path(os.environ["OBLIO_SOAK_REPORTS"]) / "kill9.md", seed, failed, deeds, time.monotonic() - began)
    assert not failed


def report(
    path: Path, seed: int, failed: list[tuple[int, int, list[str]]], deeds: Counter[str], seconds: float
) -> None:
    """Write what was done and found."""
    rows = "".join(f"| {deed} | {count} |\n" for deed, count in deeds.most_common())
    broken = "".join(f"* moment {number}, seed {here}: {'; '.join(bad)}\n" for number, here, bad in failed) or "None.\n"
    path.write_text(
        f"""# `kill -9` at random moments

A process works on a store with three people: it remembers, derives over several levels and people, corrects, forgets,
erases, withdraws consent and compacts. It is killed after a random time of 0 to {LONGEST_SECONDS} s. Then the store is
opened and everything is read back: what was promised is there, what was forgotten is nowhere, every request is
completed with one receipt, every key opens, the log verifies, and the bytes that opened what is gone are in no file.
Each store is killed {PER_STORE} times after each other. Made by `make soak` ({Path(__file__).name}).

* Date: {datetime.now(UTC).date()}
* Moments: {sum(deeds.values())} in {seconds / 60:.0f} minutes, first seed {seed}
* Failures: {len(failed)}
* Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.system()} {platform.machine()}

| interrupted | times |
|---|---|
{rows}
## Failures

{broken}""",
        encoding="utf-8",
    )
