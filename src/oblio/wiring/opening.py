"""From a path to an open store: its key place, the row that says what it is, and what a crash left half done."""

import hmac
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from oblio.erasure.restore import Replayed
from oblio.errors.audit import LogBehind
from oblio.errors.settings import DatabaseLost, FilterModeFixed, NoStore, StoreForged
from oblio.errors.storage import StoreBusy
from oblio.errors.vault import StoreIsOlder
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.ids import new_id, raw
from oblio.model.retention import POLICY
from oblio.ports.store import Cut, uncut
from oblio.ports.tables import StoreRow, VaultRow
from oblio.settings import Settings
from oblio.storage.locks import EXCLUSIVE_SECONDS, FileExclusive
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.vault.place import FIRST_EPOCH, KeyPlace
from oblio.wiring.assembly import Assembly
from oblio.wiring.builds import sqlite_module
from oblio.wiring.parts import Parts

FORMAT: Final = 1


def utc_now() -> datetime:
    """Return the time of this machine: the clock of production."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a store is opened."""

    path: Path
    """The SQLite file."""
    settings: Settings
    filter_mode: Literal["enforce", "observe"] | None = None
    """Only when creating; must be the same, or `None`, when the store exists."""
    create: bool = True
    """Whether to make a store that is missing."""
    cut: Cut = uncut
    """Called after each durable step; production does nothing."""
    clock: Callable[[], datetime] = utc_now


def build(
    path: Path,
    settings: Settings,
    /,
    *,
    filter_mode: Literal["enforce", "observe"] | None = None,
    create: bool = True,
    cut: Cut = uncut,
) -> Parts:
    """Open or make the store at `path` as `Opening` says; raises what `opened` raises."""
    return opened(Opening(path=path, settings=settings, filter_mode=filter_mode, create=create, cut=cut))


def opened(opening: Opening, /) -> Parts:
    """Open or make a store and return its parts, with everything that a crash left carried on.

    Raises:
        NoStore, FilterModeFixed, DatabaseLost, StoreForged: see there.
        Fault: keys or database are missing, damaged, foreign, old copies or not accessible.
    """
    with ExitStack() as closing:
        with _creating(opening):
            assembly = _assembly(opening, closing)
            # Under the writer's lock: an erasure between the two readings would look like an old copy.
            with assembly.store.write() as tx:
                assembly.place.head.check(tx)
        parts = assembly.parts()
        parts.catch_up()
        closing.pop_all()
    return parts


def replayed(opening: Opening, /) -> Replayed | None:
    """Replay the erasure ledger over an old copy of the database that was put back; afterwards it can be opened.

    Returns:
        What was done; `None` when the database is as new as its key place and nothing was touched.

    Raises:
        NoStore: there is none.
        KeysAreOlder: not the database but the key place is an old copy.
        Fault: keys or database are missing, damaged, foreign or not accessible.
    """
    with ExitStack() as closing, _creating(replace(opening, create=False)):
        assembly = _assembly(opening, closing)
        try:
            with assembly.store.write() as tx:
                assembly.place.head.check(tx)
            assembly.notary.repair()
        except (StoreIsOlder, LogBehind):
            return assembly.replay.run()
    return None


@contextmanager
def _creating(opening: Opening) -> Iterator[None]:
    """Keep other processes from making or restoring the store meanwhile.

    Raises:
        NoStore: there is none, and none shall be made.
        StoreBusy: another process is still at it.
    """
    path = opening.path
    if not opening.create and not path.exists():
        raise NoStore
    with FileExclusive(path.with_name(f"{path.name}-create"), seconds=EXCLUSIVE_SECONDS).hold(wait=True) as mine:
        if not mine:
            raise StoreBusy(seconds=EXCLUSIVE_SECONDS)
        yield


def _assembly(opening: Opening, closing: ExitStack) -> Assembly:
    path, chosen = opening.path, opening.filter_mode
    # Checks the mode before anything is made: a store of an unknown one could never be opened again.
    settings = opening.settings if chosen is None else replace(opening.settings, filter_mode=chosen)
    place = _key_place(opening)
    store = open_sqlite(path, module=sqlite_module(opening.settings))
    closing.callback(store.close)
    row = _describe(store, place, settings.filter_mode, now=opening.clock())
    if chosen is not None and chosen != row.filter_mode:
        raise FilterModeFixed(mode=row.filter_mode)
    return Assembly(
        path=path,
        settings=opening.settings,
        store=store,
        place=place,
        row=row,
        cut=opening.cut,
        clock=opening.clock,
    )


def _key_place(opening: Opening) -> KeyPlace:
    """Open the key place, or make one for a database that does not exist yet.

    A key place without a database is what a crash of the very first open leaves, or a database that was lost: the
    counters tell them apart when the store is opened.
    """
    path, cut = opening.path, opening.cut
    directory = opening.settings.keys or path.with_suffix(".keys")
    if not path.exists() and not (directory / "store.key").exists():
        return KeyPlace.create(directory, new_id(), cut=cut)
    if not path.exists() and (directory / "creating").exists():
        return KeyPlace.create(directory, new_id(), cut=cut)
    return KeyPlace.open(directory, cut=cut)


def _describe(store: SqliteStore, place: KeyPlace, filter_mode: str, *, now: datetime) -> StoreRow:
    """Return the row that says what this store is; write it when the store is new.

    The first counter is 1, so that a key place tells from then on that it had a database.

    Raises:
        DatabaseLost: the database is new and its key place is not.
        StoreForged: the row does not authenticate under the key place.
    """
    with store.read() as tx:
        row = tx.singletons.store()
    if row is None:
        if place.head.position().counter:
            raise DatabaseLost
        row = StoreRow(
            store=place.store_id,
            format=FORMAT,
            created_at=now,
            filter_mode=filter_mode,
            seal=_seal(place, place.store_id, filter_mode),
        )
        with store.write() as tx:
            tx.singletons.create(row, VaultRow(cur=FIRST_EPOCH, counter=1))
            entry = AuditEntry(
                time=row.created_at, action=AuditAction.STORE_CREATED, actor=ActorRole.SYSTEM, policy=POLICY
            )
            tx.audit.add_pending(entry.canonical())
        place.head.publish(1)
    if not hmac.compare_digest(row.seal, _seal(place, row.store, row.filter_mode)) or row.store != place.store_id:
        raise StoreForged
    return row


def _seal(place: KeyPlace, store: str, filter_mode: str) -> bytes:
    return place.derived.mac("store", raw(store), filter_mode.encode())
