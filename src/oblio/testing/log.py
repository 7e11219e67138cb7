"""The tables of the audit log in the in-memory store."""

# ruff: noqa: D102 -- the ports say what each method must do

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oblio.ports.audit import NodeKey, NodeRow
from oblio.testing.state import State
from oblio.testing.tables import clash


@dataclass(frozen=True, slots=True)
class MemoryAudit:
    """`AuditTables` in memory."""

    state: State

    def add_pending(self, body: bytes, /) -> None:
        self.state.pending[self.state.next("pending")] = body

    def take_pending(self, limit: int, /) -> Sequence[tuple[int, bytes]]:
        return sorted(self.state.pending.items())[:limit]

    def drop_pending(self, rows: Sequence[int], /) -> None:
        for row in rows:
            self.state.pending.pop(row, None)

    def size(self) -> int:
        return max(self.state.leaves, default=-1) + 1

    def add_leaves(self, leaves: Sequence[tuple[int, bytes]], /) -> None:
        for index, body in leaves:
            if index in self.state.leaves:
                clash("leaves")
            self.state.leaves[index] = body

    def entry(self, index: int, /) -> bytes | None:
        return self.state.leaves.get(index)

    def entries(self, start: int, limit: int, /) -> Sequence[tuple[int, bytes | None]]:
        return sorted((leaf for leaf in self.state.leaves.items() if leaf[0] >= start), key=lambda leaf: leaf[0])[
            :limit
        ]

    def drop_entry(self, index: int, /) -> None:
        if index in self.state.leaves:
            self.state.leaves[index] = None

    def add_nodes(self, nodes: Sequence[NodeRow], /) -> None:
        for level, index, digest in nodes:
            if (level, index) in self.state.nodes:
                clash("nodes")
            self.state.nodes[level, index] = digest

    def nodes(self, keys: Sequence[NodeKey], /) -> Mapping[NodeKey, bytes]:
        return {key: self.state.nodes[key] for key in keys if key in self.state.nodes}

    def restart(self) -> None:
        for table in (self.state.pending, self.state.leaves, self.state.nodes, self.state.checkpoints):
            table.clear()

    def save_checkpoint(self, size: int, note: bytes, /) -> None:
        self.state.checkpoints[size] = note

    def last_checkpoint(self) -> bytes | None:
        return self.state.checkpoints[max(self.state.checkpoints)] if self.state.checkpoints else None
