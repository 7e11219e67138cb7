"""A small world for crash tests: two people, sentences that can be recognised, and what must hold whatever happened."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oblio.model.erasure import State
from oblio.model.ids import HolderId, SubjectId, UnitId
from oblio.model.memory import ItemType
from oblio.model.subject import HolderRole, HolderState
from oblio.ports.keys import binding_of
from oblio.ports.store import uncut
from oblio.service.oblio import Oblio
from oblio.settings import Settings
from oblio.vault.slots import HEADER_BYTES
from oblio.wiring import Parts, build

SETTINGS = Settings(embedder="ngram")
DATABASE = "agent.db"
NOTICE = "2026-11"
PEOPLE = ("anna", "bo")

SHARED = "Prefers metric units"
FIRST = "Wants to walk along the northern coast"
SECOND = "Keeps two old bicycles in the cellar"
THIRD = "Likes tea with cardamom"
CHANGED = "Likes coffee with cinnamon"

FIRST_EPOCHS = frozenset({1})

_STRUCTURE = {
    "contents of no item": "SELECT count(*) FROM contents WHERE unit NOT IN"
    " (SELECT unit FROM items WHERE unit NOTNULL)",
    "items without content": "SELECT count(*) FROM items WHERE unit NOTNULL"
    " AND unit NOT IN (SELECT unit FROM contents)",
    "keys of no content": "SELECT count(*) FROM unit_keys WHERE unit NOT IN (SELECT unit FROM contents)",
    "items without a key of their owner": "SELECT count(*) FROM items AS i WHERE unit NOTNULL AND NOT EXISTS"
    " (SELECT 1 FROM unit_keys AS k WHERE k.unit = i.unit AND k.holder = i.subject)",
    "items without an owner": "SELECT count(*) FROM items WHERE subject NOT IN"
    " (SELECT holder FROM holders WHERE state <> 'erased')",
    "keys without a holder": "SELECT count(*) FROM unit_keys WHERE holder NOT IN"
    " (SELECT holder FROM holders WHERE state <> 'erased')",
    "edges to nothing": "SELECT count(*) FROM edges WHERE item NOT IN (SELECT item FROM items)"
    " OR source NOT IN (SELECT item FROM items)",
    "derived from nothing": "SELECT count(*) FROM items WHERE type = 'derived'"
    " AND item NOT IN (SELECT item FROM edges)",
    "blank with text": "SELECT count(*) FROM items WHERE (state = 'blank') <> (unit ISNULL)",
    "items with a tombstone": "SELECT count(*) FROM items WHERE item IN (SELECT item FROM tombstones)",
    "retired keys": "SELECT count(*) FROM holders WHERE retired_slot NOTNULL",
    "consents of nobody": "SELECT count(*) FROM consents WHERE subject NOT IN"
    " (SELECT holder FROM holders WHERE state <> 'erased')",
    "completed requests without one receipt": "SELECT count(*) FROM erasures WHERE state = 'completed' AND 1 <>"
    " (SELECT count(*) FROM receipts WHERE receipts.request = erasures.request)",
    "plans of completed requests": "SELECT count(*) FROM erasure_plans",
    "rebuilds": "SELECT count(*) FROM rebuilds",
    "rotations under way": "SELECT count(*) FROM vault WHERE new NOTNULL OR retiring NOTNULL",
}


def folder() -> Path:
    """Return a new folder in memory where there is one: a killed process loses nothing the system has taken over."""
    shared = Path("/dev/shm")  # noqa: S108 -- only for speed; the name in it is random
    place = shared if shared.is_dir() and os.access(shared, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="oblio-fault-", dir=place))


def parts_of(path: Path, cut: Callable[[str], None] = uncut) -> Parts:
    """Open the store in a folder, as `Oblio.open` does, with a cut."""
    return build(path / DATABASE, SETTINGS, cut=cut)


@contextmanager
def opened(path: Path, cut: Callable[[str], None] = uncut) -> Iterator[tuple[Oblio, Parts]]:
    """Open the store in a folder and close it again."""
    parts = parts_of(path, cut)
    with Oblio(parts) as oblio:
        yield oblio, parts


def kept(answer: Any) -> str:
    """Return the id of what was kept."""
    assert answer, answer
    return str(answer.id)


def furnish(oblio: Oblio, folder: Path) -> None:
    """Give both people memories, messages, and derived items over two levels and over both of them."""
    anna, bo = (oblio.subject(name) for name in PEOPLE)
    for person in (anna, bo):
        for purpose in ("memory", "history"):
            person.consent.grant(purpose, notice=NOTICE)
    source = folder / "past.jsonl"
    source.write_text('{"id": "m1", "role": "user", "content": "I prefer window seats on trains."}\n', encoding="utf-8")
    oblio.import_(source, subject=anna)
    shared, first, second = (kept(anna.remember(text)) for text in (SHARED, FIRST, SECOND))
    theirs, other = (kept(bo.remember(text)) for text in (SHARED, THIRD))
    profile = kept(anna.derive("profile", sources=(shared, first)))
    kept(anna.derive("headline", sources=(profile, second)))
    kept(anna.derive("echo", sources=(first,)))
    kept(bo.derive("together", sources=(theirs, first), with_=(anna,)))
    kept(bo.derive("taste", sources=(other,)))


def the(oblio: Oblio, name: str, text: str) -> str:
    """Return the id of one memory by its text."""
    return next(memory.id for memory in oblio.subject(name).memories() if memory.text == text)


@dataclass(frozen=True, slots=True)
class Facts:
    """What can be seen of a store, without anything random: two runs that end alike have equal facts."""

    people: dict[str, Any] = field(default_factory=dict)
    requests: tuple[Any, ...] = ()


def facts(oblio: Oblio) -> Facts:
    """Read everything back."""
    return Facts(people={name: _person(oblio, name) for name in PEOPLE}, requests=_requests(oblio))


def _person(oblio: Oblio, name: str) -> dict[str, Any]:
    person = oblio.subject(name)
    return {
        "memories": sorted((memory.text, memory.kind, str(memory.expires)) for memory in person.memories()),
        "messages": sorted((message.text, message.state.value) for message in person.messages()),
        "derived": sorted((each.name, each.text or "", each.state.value) for each in person.derived()),
        "recall": sorted(found.text for found in person.recall("what does this person like", limit=50)),
        "consents": sorted((grant.purpose.value, grant.withdrawn_at is None) for grant in person.consent.list()),
    }


def _requests(oblio: Oblio) -> tuple[Any, ...]:
    with oblio._parts.store.read() as tx:
        numbers = [row.request for holder in _holders(tx) for row in tx.erasures.of(holder)]
    found = []
    for number in numbers:
        row, steps = oblio.steps(number)
        counted = tuple((step.name, step.outcome.value, step.count, step.reason) for step in steps)
        oblio.receipt(number).verify(oblio.public_key)
        found.append((row.scope.value, row.state.value, row.result, row.horizon is not None, row.rebuilt, counted))
    return tuple(sorted(found, key=str))


def _holders(tx: Any) -> list[Any]:
    return [row.holder for row in tx.holders.page(after=None, limit=1_000) if row.role is HolderRole.SUBJECT]


def faults(parts: Parts, *, blank: bool = False, used: frozenset[int] = FIRST_EPOCHS) -> list[str]:
    """Return everything that is wrong with a store that nobody works on; empty when it is sound.

    Args:
        parts: of the open store.
        blank: whether rebuilds may wait.
        used: epochs that were current before.
    """
    parts.notary.publish()
    spared = {"rebuilds"} if blank else set()
    with closing(sqlite3.connect(f"file:{parts.store.files[0]}?mode=ro", uri=True)) as database:
        found = [
            f"{count} {name}"
            for name, query in _STRUCTURE.items()
            if name not in spared and (count := database.execute(query).fetchone()[0])
        ]
    return found + _unfinished(parts) + _keys(parts) + _place(parts, used) + _log(parts)


def _unfinished(parts: Parts) -> list[str]:
    """Find requests that are not completed, with what stopped them."""
    with parts.store.read() as tx:
        rows = [row for holder in _holders(tx) for row in tx.erasures.of(holder) if row.state is not State.COMPLETED]
        steps = [(row.state.value, row.planned, *tx.erasures.steps(row.request)) for row in rows]
    return [f"a request is {step}" for step in steps]


def _keys(parts: Parts) -> list[str]:
    """Open everything that is there."""
    found = []
    with parts.store.read() as tx:
        for row in tx.holders.page(after=None, limit=1_000):
            if row.role is not HolderRole.SUBJECT or row.state is HolderState.ERASED:
                continue
            found += [] if row.state is HolderState.ACTIVE and parts.keys.holds(tx, row.holder) else ["a person's key"]
            items = [item for item in tx.items.of(SubjectId(row.holder), types=frozenset(ItemType)) if item.unit]
            bindings = [binding_of(item) for item in items]
            bodies = parts.keys.open(tx, row.holder, bindings)
            found += ["a live item does not open"] if len(bodies) != len(bindings) else []
    return found


def _place(parts: Parts, used: frozenset[int]) -> list[str]:
    """Find keys and slots of epochs that were current once: they would open old backups.

    A rotation that was killed may leave an epoch behind that never was current. Nothing is sealed under it.
    """
    with parts.store.read() as tx:
        epoch = tx.singletons.vault().cur
    found = []
    for path in parts.place.files():
        role, _, rest = path.name.partition(".")
        number = int(rest.partition(".")[0]) if role in {"epoch", "slots"} else epoch
        if number in used - {epoch}:
            found.append(f"{path.name} in the key place")
        if number != epoch and role == "slots" and any(path.read_bytes()[HEADER_BYTES:]):
            found.append(f"keys in {path.name}")
    return found


def _log(parts: Parts) -> list[str]:
    report = parts.verify_log()
    return ["the log is not clean"] if report.waiting or report.dropped or report.unexplained else []


def needles(parts: Parts, *, gone: frozenset[str] | None = None) -> dict[bytes, str]:
    """Return needle -> unit for the contents and wrapped keys in a store, or of the units `gone` only.

    Recall blocks are copies that come and go with reading, so they are left out.
    """
    found: dict[bytes, str] = {}
    with parts.store.read() as tx:
        for row in tx.holders.page(after=None, limit=1_000):
            items = tx.items.of(SubjectId(row.holder), types=frozenset(ItemType) - {ItemType.SEGMENT, ItemType.TARGET})
            for unit in (item.unit for item in items if item.unit and (gone is None or item.unit in gone)):
                own = set(parts.keys.needles(tx, HolderId(row.holder), ()))
                found.update(
                    {each: unit for each in parts.keys.needles(tx, row.holder, (UnitId(unit),)) if each not in own}
                )
    return found


def units(parts: Parts) -> frozenset[str]:
    """Return every unit that has content."""
    with closing(sqlite3.connect(f"file:{parts.store.files[0]}?mode=ro", uri=True)) as database:
        return frozenset(bytes(row[0]).hex() for row in database.execute("SELECT unit FROM contents"))


def left(parts: Parts, wanted: list[bytes]) -> int:
    """Return how many needles are in any live file."""
    return len(parts.residue.found(wanted))
