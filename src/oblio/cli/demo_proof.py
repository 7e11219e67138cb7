"""Second half of the demo: a person is erased while a late writer tries, others stay whole, bytes, old copy, proof."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import oblio
from oblio.cli import words
from oblio.cli.demo_people import texts_of
from oblio.cli.demo_stage import Stage
from oblio.cli.screen import columns, moment
from oblio.errors.access import SubjectErased, SubjectLocked
from oblio.errors.base import Fault
from oblio.errors.vault import StoreIsOlder
from oblio.model.erasure import Scope
from oblio.model.receipt import LIMITS

if TYPE_CHECKING:
    from oblio import Oblio, Receipt, Settings, SubjectHandle

GONE: Final = "boris"
OTHERS: Final = ("anna", "clara")
LATE: Final = "I prefer to stay after all"
INDEPENDENT: Final = Path(__file__).resolve().parents[3] / "docs" / "spec" / "verify_receipt.py"
SECONDS: Final = 60

State = dict[str, list[tuple[str, str]]]
"""Ids and texts of each person's memories."""


@dataclass(slots=True, kw_only=True)
class LateWriter:
    """Another part of the application, with a handle from before, that does not know of the erasure."""

    person: "SubjectHandle"
    wrote: int = 0
    refused: str | None = None
    begun: Event = field(default_factory=Event)
    stop: Event = field(default_factory=Event)

    def run(self) -> None:
        """Write until refused."""
        while self.refused is None and not self.stop.is_set():
            try:
                self.wrote += bool(self.person.remember(f"{LATE}, {self.wrote}", kind="session"))
            except (SubjectLocked, SubjectErased) as fault:
                self.refused = fault.code
            self.begun.set()


def memories_of(store: "Oblio", /) -> State:
    """Return what everybody has."""
    return {name: [(each.id, each.text) for each in store.subject(name).memories()] for name in (*OTHERS, GONE)}


def erase_one(stage: Stage, store: "Oblio", /) -> "Receipt":
    """Erase Boris while a writer with an old handle goes on writing."""
    with stage.act("Erase a person while a late writer tries to write"):
        person = store.subject(GONE)
        plan = person.plan(Scope.whole())
        stage.say(f"The plan for Boris: {words.counted(plan.counts)}. Digest {plan.digest[:16]}…")
        writer = LateWriter(person=store.subject(GONE))
        thread = Thread(target=writer.run, daemon=True)
        thread.start()
        writer.begun.wait(SECONDS)
        try:
            receipt = person.erase()
        finally:
            thread.join(SECONDS)
            writer.stop.set()
        steps = receipt.payload.steps
        rows = [(each.name, each.outcome.value, each.count, words.OUTCOMES[each.outcome]) for each in steps]
        stage.show(columns(("step", "outcome", "count", "meaning"), rows))
        stage.say("That is the plan, what was written until the lock, and the person's own sealed record.")
        says = (
            f"The late writer wrote {writer.wrote} time(s) before the lock and was refused after it: {writer.refused}."
        )
        stage.claim(writer.wrote > 0 and writer.refused is not None, says)
        again = store.subject(GONE)
        empty = not list(again.memories()) and not list(again.messages()) and not again.recall("итальянский")
        stage.claim(empty, "The same name is an empty person without consent now.")
        stage.claim(not again.remember("Hello") and receipt.payload.result == "complete", "The result is: complete.")
        stage.say(f"Backups of the database alone can show it until {moment(receipt.payload.horizon)}.")
        return receipt


def others_stay(stage: Stage, store: "Oblio", before: State, /) -> None:
    """Everybody else has exactly what they had."""
    with stage.act("Everybody else is untouched"):
        after = memories_of(store)
        for name in OTHERS:
            first = before[name][0]
            found = store.subject(name).recall(first[1], limit=1)
            same = before[name] == after[name] and bool(found) and found[0].id == first[0]
            stage.claim(
                same, f"{name.title()}: {len(after[name])} memories, the same ids and texts, and recall finds them."
            )


def look_at_bytes(stage: Stage, store: "Oblio", texts: list[str], /) -> None:
    """Look for every text of Boris in every live file, and for a planted one."""
    with stage.act("Look at the bytes"):
        found = store.scan_all(texts)
        stage.claim(
            not any(found.values()),
            f"{len(texts)} texts of Boris, in {len(found)} forms each: 0 found in any live file.",
        )
        folder = Path(store.health().key_place)
        planted = folder / "planted"
        planted.write_bytes(b"\0" + texts[0].encode() + b"\0")
        try:
            control = store.scan_all(texts)
        finally:
            planted.unlink()
        stage.claim(control["utf-8"] > 0, "The same search finds one of them in a file where it was planted.")
        stage.say(
            "Content is sealed, so it is in no file at any time. What the erasure destroyed are the keys and the "
            "sealed content: the receipt's step `bytes` looked for both before and after."
        )


def prove(stage: Stage, receipt: "Receipt", public_key: str, folder: Path, /) -> None:
    """Check the receipt offline, by ourselves and by a program that shares no code, and a changed one."""
    with stage.act("Check the proof offline"):
        file = folder / "receipt.json"
        file.write_text(receipt.to_json(), encoding="ascii")
        oblio.Receipt.from_json(file.read_bytes()).verify(public_key)
        stage.claim(True, "The receipt verifies: signature, log entry, inclusion proof.")  # noqa: FBT003 -- or it raised
        if INDEPENDENT.is_file():
            command = [sys.executable, str(INDEPENDENT), str(file), public_key]
            done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS)  # noqa: S603 -- our own file
            stage.claim(done.returncode == 0, "So says docs/spec/verify_receipt.py, which shares no code with Oblio.")
        else:
            stage.say(
                "docs/spec/verify_receipt.py, the independent check, is in the source folder only: left out here."
            )
        stage.claim(_refused(_changed(receipt), public_key), "With one count changed it does not verify.")
        silent = GONE not in receipt.to_json().lower()
        stage.claim(silent, "It names nobody.")
        stage.say("It lists what it does not cover:")
        for token in receipt.payload.limits:
            stage.quote(LIMITS[token], who="-")


def old_copy(stage: Stage, folder: Path, copy: bytes, before: State, settings: "Settings") -> None:
    """Put a database from before the erasure back, beside today's keys."""
    with stage.act("Put an old copy of the database back"):
        place = folder / "put-back"
        place.mkdir()
        path = place / "agent.db"
        path.write_bytes(copy)
        path.chmod(0o600)
        shutil.copytree(folder / "agent.keys", place / "agent.keys")
        stage.claim(_is_older(path, settings), "It does not open: the key place knows that it is old.")
        done = oblio.Oblio.restore(path, settings=settings)
        replayed = done.erased_subjects if done else 0
        stage.claim(replayed == 1, "`oblio restore` replays the erasures: 1 person.")
        with oblio.Oblio.open(path, settings=settings) as store:
            after = memories_of(store)
        stage.claim(not after[GONE], "It opens, and Boris is not in it.")
        whole = all(after[name] == before[name] for name in OTHERS)
        stage.claim(whole, "Anna and Clara are in it, whole.")


def whole_log(stage: Stage, store: "Oblio", receipt: "Receipt", /) -> None:
    """Check the audit log against itself, the checkpoint outside, and the receipt."""
    with stage.act("Check the log"):
        report = store.verify_audit(receipts=(receipt,))
        says = f"{report.entries} entries match their hashes, the signed root, the checkpoint outside and the receipt."
        stage.claim(report.outside == report.entries and report.documents == 1, says)


def all_texts(store: "Oblio", /) -> list[str]:
    """Return what Boris has said and what was made of it."""
    return list(dict.fromkeys(texts_of(store.subject(GONE))))


def _changed(receipt: "Receipt") -> str:
    document = json.loads(receipt.to_json())
    document["payload"]["steps"][0]["count"] += 1
    return json.dumps(document)


def _refused(text: str, public_key: str) -> bool:
    try:
        oblio.Receipt.from_json(text).verify(public_key)
    except Fault:
        return True
    return False


def _is_older(path: Path, settings: "Settings") -> bool:
    try:
        oblio.Oblio.open(path, settings=settings).close()
    except StoreIsOlder:
        return True
    return False
