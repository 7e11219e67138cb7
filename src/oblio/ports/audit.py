"""What the audit log asks of the place that stores it.

All methods of `AuditTables` run inside the caller's transaction. At most one transaction at a time may call
`drop_pending`, `add_leaves`, `add_nodes` and `save_checkpoint`: the sequencer holds a store-wide lock meanwhile.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

NodeKey: TypeAlias = tuple[int, int]
"""Level (0 = leaves) and index within that level of one complete subtree."""

NodeRow: TypeAlias = tuple[int, int, bytes]
"""Level, index and 32-byte hash of one complete subtree."""


class AuditTables(Protocol):
    """The tables `audit_*` within one open transaction."""

    def add_pending(self, body: bytes, /) -> None:
        """Keep a fact until the sequencer gives it a position. MUST be part of the caller's transaction."""

    def take_pending(self, limit: int, /) -> Sequence[tuple[int, bytes]]:
        """Return up to `limit` waiting facts with their row numbers, lowest first, and leave them there."""

    def drop_pending(self, rows: Sequence[int], /) -> None:
        """Delete exactly these rows.

        MUST NOT delete by "up to": a lower number may belong to a transaction that commits later.
        """

    def size(self) -> int:
        """Return the number of leaves: the highest index plus one, 0 when there is none."""

    def add_leaves(self, leaves: Sequence[tuple[int, bytes]], /) -> None:
        """Store entry bytes under their indexes. MUST refuse an index that exists."""

    def entry(self, index: int, /) -> bytes | None:
        """Return the bytes of one entry; `None` when they were dropped or never existed."""

    def entries(self, start: int, limit: int, /) -> Sequence[tuple[int, bytes | None]]:
        """Return up to `limit` existing leaves from index `start` on, by index; `None` stands for dropped bytes."""

    def drop_entry(self, index: int, /) -> None:
        """Forget the bytes of one entry. The leaf itself and every hash stay (rule L4)."""

    def add_nodes(self, nodes: Sequence[NodeRow], /) -> None:
        """Store hashes of complete subtrees, level 0 included. MUST refuse a node that exists."""

    def nodes(self, keys: Sequence[NodeKey], /) -> Mapping[NodeKey, bytes]:
        """Return those of the asked hashes that are stored. SHOULD be one statement for up to 4,096 keys."""

    def restart(self) -> None:
        """Empty every table of the log: the next entry is the first of a new log, which commits to the old one."""

    def save_checkpoint(self, size: int, note: bytes, /) -> None:
        """Keep a signed checkpoint; the one with the largest `size` is the last."""

    def last_checkpoint(self) -> bytes | None:
        """Return the signed checkpoint of the largest size."""


class CheckpointPlace(Protocol):
    """Where the newest checkpoint is copied to: outside the data directory, beside the keys."""

    def save(self, note: bytes, /) -> None:
        """Replace the copy. MUST be durable, and whole after a power cut: either the old one or the new one."""

    def last(self) -> bytes | None:
        """Return the copy, `None` if none was ever saved."""
