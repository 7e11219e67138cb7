"""Figures of the vault over a SQLite file: create, seal, open, re-key, rotate. Prints milliseconds."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from oblio.model.ids import HolderId, new_id
from oblio.model.subject import Holder
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.testing.people import NOON, admitted, found, opened, sealed
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace

SUBJECTS = 10_000


@contextmanager
def timed(what: str, count: int = 1) -> Iterator[None]:
    """Print how long one of `count` took."""
    began = time.perf_counter()
    yield
    print(f"{what:<52} {(time.perf_counter() - began) * 1000 / count:10.3f} ms")


def rekeyed(store: SqliteStore, ring: Keyring, units: int) -> None:
    """Re-key a holder of `units`, then settle."""
    who = admitted(store, ring)
    sealed(store, ring, who, count=units)
    with timed(f"re-key a holder of {units:,} units"), store.write() as tx:
        ring.rekey(tx, who)
    with timed("  settle it"), store.write() as tx:
        ring.settle(tx, [who])


def many(store: SqliteStore, ring: Keyring) -> None:
    """Admit many holders in one transaction, and rotate."""
    with timed(f"admit one of {SUBJECTS:,} in one transaction", SUBJECTS), store.write() as tx:
        for _ in range(SUBJECTS):
            ring.admit(tx, Holder(holder=HolderId(new_id())))
    with timed(f"rotate {SUBJECTS:,} holders"):
        ring.rotate(now=NOON)


def repeated(what: str, act: Callable[[], object], times: int) -> None:
    """Print the mean of some calls."""
    with timed(what, times):
        for _ in range(times):
            act()


def main() -> None:
    """Measure in a temporary directory."""
    with tempfile.TemporaryDirectory() as folder:
        with timed("create a key place"):
            place = KeyPlace.create(Path(folder) / "agent.keys", new_id())
        store = open_sqlite(Path(folder) / "agent.db")
        found(store, place.store_id)
        ring = Keyring(place, store)
        repeated("admit a holder, own transaction", lambda: admitted(store, ring), 50)
        who = admitted(store, ring)
        repeated("seal a content, own transaction", lambda: sealed(store, ring, who), 50)
        bindings = sealed(store, ring, who, count=1000)
        with timed("seal one of 1,000 in one transaction", 1000):
            sealed(store, ring, who, count=1000)
        repeated("open a content, key in memory", lambda: opened(store, ring, who, bindings[:1]), 200)
        with timed("open one of 1,000 at once", 1000):
            opened(store, ring, who, bindings)

        def cold() -> None:
            ring.forget_cached(who)
            opened(store, ring, who, bindings[:1])

        repeated("open a content, key from the slot file", cold, 200)
        for units in (100, 4096):
            rekeyed(store, ring, units)
        gone = admitted(store, ring)
        with timed("destroy a holder's key"), store.write() as tx:
            ring.destroy(tx, gone)
        many(store, ring)
        store.close()


if __name__ == "__main__":
    main()
