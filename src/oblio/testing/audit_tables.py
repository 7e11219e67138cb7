"""The audit tables and the checkpoint place in memory, for tests. Not durable, not for production."""

from collections.abc import Mapping, Sequence

from oblio.ports.audit import NodeKey, NodeRow


class MemoryAuditTables:
    """`AuditTables` over dictionaries. The attributes are open so that a test can tamper with them."""

    def __init__(self) -> None:
        self.pending: dict[int, bytes] = {}
        self.leaves: dict[int, bytes | None] = {}
        self.hashes: dict[NodeKey, bytes] = {}
        self.checkpoints: dict[int, bytes] = {}
        self._next_row = 1

    def add_pending(self, body: bytes, /) -> None:
        """Keep a fact under the next row number."""
        self.pending[self._next_row] = body
        self._next_row += 1

    def take_pending(self, limit: int, /) -> Sequence[tuple[int, bytes]]:
        """Return up to `limit` waiting facts, lowest row first."""
        return sorted(self.pending.items())[:limit]

    def drop_pending(self, rows: Sequence[int], /) -> None:
        """Delete exactly these rows."""
        for row in rows:
            del self.pending[row]

    def size(self) -> int:
        """Return the highest index plus one."""
        return max(self.leaves, default=-1) + 1

    def add_leaves(self, leaves: Sequence[tuple[int, bytes]], /) -> None:
        """Store entry bytes.

        Raises:
            ValueError: an index exists.
        """
        _refuse_known({index for index, _ in leaves} & self.leaves.keys())
        self.leaves.update(leaves)

    def entry(self, index: int, /) -> bytes | None:
        """Return the bytes of one entry, if they are there."""
        return self.leaves.get(index)

    def entries(self, start: int, limit: int, /) -> Sequence[tuple[int, bytes | None]]:
        """Return up to `limit` existing leaves from `start` on."""
        if start < 0 or limit < 1:
            message = "start is at least 0 and limit at least 1"
            raise ValueError(message)
        near = [index for index in range(start, start + limit) if index in self.leaves]
        if len(near) < limit:
            near = sorted(index for index in self.leaves if index >= start)[:limit]
        return [(index, self.leaves[index]) for index in near]

    def drop_entry(self, index: int, /) -> None:
        """Forget the bytes of one existing entry."""
        if index in self.leaves:
            self.leaves[index] = None

    def add_nodes(self, nodes: Sequence[NodeRow], /) -> None:
        """Store hashes of complete subtrees.

        Raises:
            ValueError: a node exists.
        """
        fresh = {(level, index): value for level, index, value in nodes}
        _refuse_known(fresh.keys() & self.hashes.keys())
        self.hashes.update(fresh)

    def nodes(self, keys: Sequence[NodeKey], /) -> Mapping[NodeKey, bytes]:
        """Return the stored ones of the asked hashes."""
        return {key: self.hashes[key] for key in keys if key in self.hashes}

    def restart(self) -> None:
        """Empty every table."""
        for table in (self.pending, self.leaves, self.hashes, self.checkpoints):
            table.clear()

    def save_checkpoint(self, size: int, note: bytes, /) -> None:
        """Keep a signed checkpoint."""
        self.checkpoints[size] = note

    def last_checkpoint(self) -> bytes | None:
        """Return the checkpoint of the largest size."""
        return self.checkpoints[max(self.checkpoints)] if self.checkpoints else None


class MemoryCheckpointPlace:
    """`CheckpointPlace` in memory."""

    def __init__(self) -> None:
        self.note: bytes | None = None

    def save(self, note: bytes, /) -> None:
        """Replace the copy."""
        self.note = note

    def last(self) -> bytes | None:
        """Return the copy."""
        return self.note


def _refuse_known(known: set[int] | set[NodeKey]) -> None:
    if known:
        message = f"{len(known)} row(s) exist already"
        raise ValueError(message)
