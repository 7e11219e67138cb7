"""A store in memory that behaves: writes one at a time, rollback, snapshot reads, and images like those of a backup."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oblio.ports.audit import AuditTables
from oblio.ports.store import Transaction, uncut
from oblio.ports.tables import (
    Consents,
    Contents,
    Edges,
    Erasures,
    Holders,
    Imports,
    Items,
    Receipts,
    Singletons,
    SubjectKeys,
    Tombstones,
    UnitKeys,
)
from oblio.testing.log import MemoryAudit
from oblio.testing.requests import MemoryConsents, MemoryErasures, MemoryImports, MemoryReceipts, MemoryTombstones
from oblio.testing.state import State
from oblio.testing.tables import (
    MemoryContents,
    MemoryEdges,
    MemoryHolders,
    MemoryItems,
    MemorySingletons,
    MemorySubjectKeys,
    MemoryUnitKeys,
)


class MemoryTransaction:
    """Every table over one state."""

    def __init__(self, state: State, /) -> None:
        self.singletons: Singletons = MemorySingletons(state)
        self.holders: Holders = MemoryHolders(state)
        self.subject_keys: SubjectKeys = MemorySubjectKeys(state)
        self.unit_keys: UnitKeys = MemoryUnitKeys(state)
        self.contents: Contents = MemoryContents(state)
        self.items: Items = MemoryItems(state)
        self.edges: Edges = MemoryEdges(state)
        self.consents: Consents = MemoryConsents(state)
        self.tombstones: Tombstones = MemoryTombstones(state)
        self.erasures: Erasures = MemoryErasures(state)
        self.receipts: Receipts = MemoryReceipts(state)
        self.imports: Imports = MemoryImports(state)
        self.audit: AuditTables = MemoryAudit(state)


class MemoryStore:
    """`Store` in memory.

    A write works on a copy that replaces the committed state when its block ends without an error. A read sees the
    state that was committed when it began; whatever it writes is an error, raised when its block ends.

    Args:
        keys_in_tables: what the attribute says; the vault keeps subject keys in tables where it is true.
        cut: called with "commit" before and "committed" after each commit; a test raises from it to lose or keep it.
    """

    def __init__(self, *, keys_in_tables: bool = False, cut: Callable[[str], None] = uncut) -> None:
        self.keys_in_tables = keys_in_tables
        self.settles = True
        """What `settle` returns; false stands for a reader that is in the way."""
        self.compacted = 0
        self.closed = False
        self._cut = cut
        self._lock = threading.RLock()
        self._committed = State()
        self._writing = False

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Open a view of what is committed now."""
        view = self._committed.copy()
        before = view.copy()
        yield MemoryTransaction(view)
        if view != before:
            message = "a read transaction was written to"
            raise RuntimeError(message)

    @contextmanager
    def fresh(self) -> Iterator[Transaction]:
        """Open a view, as `read` does."""
        with self.read() as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open the one write transaction; a second one in the same thread is a mistake and raises."""
        with self._lock:
            if self._writing:
                message = "a write transaction is open in this thread"
                raise RuntimeError(message)
            self._writing = True
            try:
                state = self._committed.copy()
                yield MemoryTransaction(state)
                self._cut("commit")
                self._committed = state
                self._cut("committed")
            finally:
                self._writing = False

    def settle(self) -> bool:
        """Return `settles`: there is no log to write back."""
        return self.settles

    def compact(self) -> None:
        """Count the call: there is no free space."""
        self.compacted += 1

    def size(self) -> int:
        """Return the bytes of ciphertext and wrapped keys."""
        state = self._committed
        return sum(map(len, state.contents.values())) + sum(len(row.wrapped) for row in state.unit_keys.values())

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    def image(self) -> State:
        """Return what a backup taken now would hold."""
        return self._committed.copy()

    def put_back(self, image: State, /) -> None:
        """Replace everything with an image, as a restore of the data set does."""
        self._committed = image.copy()
