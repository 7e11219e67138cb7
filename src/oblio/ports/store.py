"""The store: transactions over the tables, and the physical side of its files."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from oblio.ports.audit import AuditTables
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


class Transaction(Protocol):
    """One transaction. Commits when its `with` block ends, rolls back when the block raises."""

    @property
    def singletons(self) -> Singletons: ...
    @property
    def holders(self) -> Holders: ...
    @property
    def subject_keys(self) -> SubjectKeys: ...
    @property
    def unit_keys(self) -> UnitKeys: ...
    @property
    def contents(self) -> Contents: ...
    @property
    def items(self) -> Items: ...
    @property
    def edges(self) -> Edges: ...
    @property
    def consents(self) -> Consents: ...
    @property
    def tombstones(self) -> Tombstones: ...
    @property
    def erasures(self) -> Erasures: ...
    @property
    def receipts(self) -> Receipts: ...
    @property
    def imports(self) -> Imports: ...
    @property
    def audit(self) -> AuditTables: ...


class Store(Protocol):
    """A database. Safe to use from many threads; SQLite also from many processes."""

    @property
    def keys_in_tables(self) -> bool:
        """True where subject keys live in tables (PostgreSQL), false where they live in a slot file (SQLite)."""
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """Open a consistent read-only view. A write through it raises."""
        ...

    def write(self) -> AbstractContextManager[Transaction]:
        """Open a write transaction; on SQLite it takes the writer lock, then `BEGIN IMMEDIATE`."""
        ...

    def fresh(self) -> AbstractContextManager[Transaction]:
        """Like `read`, over a new connection that shares no page cache with the others; for verification (X13)."""
        ...

    def settle(self) -> bool:
        """Write the log back into the main file and empty it. Return false when a reader kept that from happening."""
        ...

    def compact(self) -> None:
        """Rewrite the main file without its free space (`VACUUM`)."""
        ...

    def size(self) -> int:
        """Return the bytes of all data files."""
        ...

    def close(self) -> None: ...


class Residue(Protocol):
    """Looks for bytes in every live file of data and keys."""

    def found(self, needles: Sequence[bytes], /) -> frozenset[int]:
        """Return the indexes of the needles (each at least 12 bytes) that occur in any file now.

        Files that grow while they are read are read again; blocks overlap, so that no needle hides on a boundary.
        """
        ...


class Exclusive(Protocol):
    """A lock that one worker holds over all processes, released by the system when its process dies."""

    def hold(self, *, wait: bool) -> AbstractContextManager[bool]:
        """Enter with true when the lock was taken; with false when another worker has it.

        With `wait` it gives the other one time to finish, some minutes at most.
        """
        ...


Cut = Callable[[str], None]
"""Called with the name of each durable step just passed. Tests inject one that kills the process; production none."""


def uncut(_point: str, /) -> None:
    """Do nothing: the cut of production."""
