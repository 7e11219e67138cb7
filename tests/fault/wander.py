"""A life at random over several people, which writes down what it is about to do and what was promised to it."""

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fault.world import NOTICE, opened
from tests.fault.zygote import Order

from oblio.model.memory import Kept
from oblio.service.oblio import Oblio
from oblio.service.subject import SubjectHandle
from oblio.wiring import Parts

NAMES = ("anna", "bo", "cleo")
DEEDS = {"remember": 6, "derive": 4, "correct": 3, "forget": 3, "erase": 1, "withdraw": 1, "compact": 1, "join": 2}
_SYLLABLES = ("ba", "de", "fi", "go", "lu", "me", "no", "pa", "ri", "so", "tu", "va")


def sentence(choose: random.Random) -> str:
    """Return a sentence that nobody said before."""
    word = "".join(choose.choice(_SYLLABLES) for _ in range(8))
    return f"Prefers tea from {word} in the morning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanderer:
    """One child at work."""

    oblio: Oblio
    parts: Parts
    choose: random.Random
    write: Callable[[dict[str, Any]], None]

    def step(self) -> None:
        """Do one thing and write down both what it will be and that it is done."""
        (deed,) = self.choose.choices(list(DEEDS), weights=list(DEEDS.values()))
        name = self.choose.choice(NAMES)
        person = self.oblio.subject(name)
        if "memory" not in {each.purpose.value for each in person.consent.list() if each.withdrawn_at is None}:
            self.write({"will": "grant", "who": name})
            person.consent.grant("memory", notice=NOTICE)
            self.write({"done": True})
        getattr(self, f"_{deed}")(name, person)

    def _remember(self, name: str, person: SubjectHandle) -> None:
        text = sentence(self.choose)
        self.write({"will": "remember", "who": name, "text": text})
        self.write({"done": isinstance(person.remember(text), Kept)})

    def _derive(self, name: str, person: SubjectHandle, *others: SubjectHandle) -> None:
        mine = [each.id for each in person.memories()]
        ids = [
            *mine,
            *(each.id for each in person.derived() if each.text),
            *(m.id for other in others for m in other.memories()),
        ]
        if mine:
            sources = self.choose.sample(ids, self.choose.randint(1, min(4, len(ids))))
            self.write({"will": "derive", "who": name})
            person.derive("profile", sources=sources, with_=others)
            self.write({"done": True})

    def _join(self, name: str, person: SubjectHandle) -> None:
        other = self.oblio.subject(self.choose.choice([each for each in NAMES if each != name]))
        self._derive(name, person, *([other] if other.ticket() else []))

    def _correct(self, name: str, person: SubjectHandle) -> None:
        memories = list(person.memories())
        if memories:
            old, text = self.choose.choice(memories), sentence(self.choose)
            self.write({"will": "correct", "who": name, "old": old.text, "text": text})
            self.write({"done": isinstance(person.correct(old.id, text), Kept)})

    def _forget(self, name: str, person: SubjectHandle) -> None:
        memories = list(person.memories())
        if memories:
            old = self.choose.choice(memories)
            self.write({"will": "forget", "who": name, "old": old.text})
            person.forget(old.id).verify(self.oblio.public_key)
            self.write({"done": True})

    def _erase(self, name: str, person: SubjectHandle) -> None:
        self.write({"will": "erase", "who": name})
        person.erase().verify(self.oblio.public_key)
        self.write({"done": True})

    def _withdraw(self, name: str, person: SubjectHandle) -> None:
        self.write({"will": "withdraw", "who": name})
        person.consent.withdraw("memory")
        self.write({"done": True})

    def _compact(self, _name: str, person: SubjectHandle) -> None:
        ticket = person.ticket()
        if ticket is not None:
            self.parts.finder.compact(ticket, now=self.parts.clock())


def wander(order: Order) -> None:
    """Work until somebody kills this process."""
    assert order.journal is not None
    journal = os.open(order.journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(line: dict[str, Any]) -> None:
        os.write(journal, (json.dumps(line) + "\n").encode())

    with opened(Path(order.path)) as (oblio, parts):
        wanderer = Wanderer(oblio=oblio, parts=parts, choose=random.Random(order.seed), write=write)
        while True:
            wanderer.step()


@dataclass(slots=True)
class Model:
    """What was promised: the texts of everybody, and the texts that may never be read again."""

    texts: dict[str, set[str]]
    gone: set[str]
    open: dict[str, Any] | None = None

    def read(self, journal: Path) -> None:
        """Take in what a child wrote; at most its last deed is open."""
        lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
        for line in map(json.loads, lines):
            if "will" in line:
                self.open = line
            elif self.open is not None:
                if line["done"]:
                    self.texts[self.open["who"]], gone = _after(self.texts[self.open["who"]], self.open)
                    self.gone |= gone
                self.open = None

    def judge(self, name: str, found: set[str]) -> list[str]:
        """Compare with what is there after a crash; an open deed may have happened or not."""
        want, mine = self.texts[name], self.open is not None and self.open["who"] == name
        also, gone = _after(want, self.open) if mine and self.open else (want, set())
        if found not in (want, also):
            return [f"{name}: {len(want - found)} missing, {len(found - want)} too many"]
        self.texts[name] = set(found)
        self.gone |= gone - found
        return []


def _after(texts: set[str], deed: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Return the texts after a deed, and those that are gone by it."""
    will = deed["will"]
    if will == "erase":
        return set(), set(texts)
    if will in {"forget", "correct"}:
        return (texts - {deed["old"]}) | ({deed["text"]} if will == "correct" else set()), {deed["old"]}
    return (texts | {deed["text"]}, set()) if will == "remember" else (texts, set())
