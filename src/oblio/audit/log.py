"""The append-only log: facts wait in the caller's transaction, one sequencer gives them positions and signs.

Invariants:

* a fact becomes durable with what it describes or not at all (`record` only adds a row);
* leaves, hashes and checkpoint of one batch are written in one transaction, so a crash leaves either all or none;
* the sequencer signs nothing that disagrees with the last checkpoint, be it the stored one or the copy outside: it
  never signs two histories;
* the copy outside is written after the commit and never goes backwards. A crash in between leaves it behind, which
  `repair` mends; a copy that is ahead means that the database was rolled back, and nothing is signed (rules L3, L5).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from oblio.audit import tree
from oblio.audit.checkpoint import Checkpoint, read_checkpoint
from oblio.audit.keys import checked_name
from oblio.audit.signer import Signer
from oblio.errors.audit import (
    CheckpointMissing,
    HistoryRewritten,
    LogBehind,
    LogForked,
    OriginForeign,
    PositionUnknown,
    TailRemoved,
    UnsignedTail,
)
from oblio.model.audit import AuditAction, AuditEntry
from oblio.ports.audit import AuditTables, CheckpointPlace

PAGE = 1_000
"""Entries read or sequenced at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProof:
    """One entry, where it stands, and the proof that the signed checkpoint covers it."""

    origin: str
    index: int
    entry: bytes = field(repr=False)
    checkpoint: bytes = field(repr=False)
    """The signed note."""
    proof: tuple[bytes, ...] = field(repr=False)


class AuditLog:
    """One log. Holds no state of its own: tables and place are the truth."""

    def __init__(self, signer: Signer, /, *, origin: str, place: CheckpointPlace) -> None:
        """Bind signer, name and outside copy.

        Args:
            signer: the log's key.
            origin: unique name of the log; it stands in every checkpoint.
            place: where the newest checkpoint is copied to.

        Raises:
            KeyMalformed: `origin` is not printable ASCII without space and `+`.
        """
        self._signer = signer
        self._origin = checked_name(origin)
        self._place = place

    @property
    def public_key(self) -> str:
        """The public key to publish: `name+hash+base64`."""
        return str(self._signer.key)

    def record(self, tables: AuditTables, entry: AuditEntry, /) -> int:
        """Let a fact wait for its position, in the caller's transaction.

        Returns:
            A position that the entry will not fall short of: pass it to `find` as `since`.
        """
        tables.add_pending(entry.canonical())
        return tables.size()

    def sequence(self, tables: AuditTables, /, *, limit: int = PAGE) -> Checkpoint | None:
        """Give up to `limit` waiting facts their positions and sign the new head. The caller commits, then publishes.

        Returns:
            The newest checkpoint, whether or not anything waited; `None` for a log that is still empty.

        Raises:
            LogBehind: the outside copy knows more entries than the tables.
            LogForked: the outside copy and the tables disagree.
            HistoryRewritten: the stored hashes do not lead to the last checkpoint.
            UnsignedTail, TailRemoved, CheckpointMissing: leaves and checkpoint do not belong together.
        """
        last = self._agreed(tables)
        waiting = tables.take_pending(limit)
        if not waiting:
            return last
        size = last.size if last else 0
        bodies = [body for _, body in waiting]
        nodes = tree.grow(size, [tree.leaf_hash(body) for body in bodies], tables.nodes)
        tables.add_leaves(list(enumerate(bodies, start=size)))
        tables.add_nodes(nodes)
        tables.drop_pending([row for row, _ in waiting])
        size += len(bodies)
        head = Checkpoint(origin=self._origin, size=size, root=tree.root(size, tables.nodes))
        signed = self._signer.sign_checkpoint(head)
        tables.save_checkpoint(size, signed.note)
        return signed

    def publish(self, checkpoint: Checkpoint, /) -> None:
        """Copy a committed checkpoint to the place outside. An older one is left out, the same one is not rewritten.

        Raises:
            LogForked: the copy has the same size and another root.
        """
        known = self._outside()
        if known and known.size == checkpoint.size and known.root != checkpoint.root:
            raise LogForked(first=0, last=known.size - 1)
        if not known or known.size < checkpoint.size:
            self._place.save(checkpoint.note)

    def repair(self, tables: AuditTables, marker: AuditEntry, /) -> bool:
        """Mend what a crash after a commit leaves: an outside copy that is behind. To be called at open.

        Facts that wait are not torn; the next `sequence` takes them.

        Args:
            tables: within a write transaction.
            marker: recorded when something was mended: action `log_repaired`.

        Returns:
            Whether the copy was behind and has been renewed.

        Raises:
            ValueError: `marker` is of another action.
            Fault: whatever `sequence` raises; those are not traces of a crash.
        """
        if marker.action is not AuditAction.LOG_REPAIRED:
            message = "the marker must be of action log_repaired"
            raise ValueError(message)
        last = self._agreed(tables)
        known = self._outside()
        if not last or (known and known.size == last.size):
            return False
        self.publish(last)
        self.record(tables, marker)
        return True

    def inclusion(self, tables: AuditTables, index: int, /) -> LogProof:
        """Return entry `index` with its proof against the last checkpoint.

        Raises:
            PositionUnknown: no such entry yet, or its bytes were dropped.
            CheckpointMissing: nothing was sequenced yet.
            NoteMalformed, NoteUnsigned, NoteForged, NodeMissing: the stored log is damaged.
        """
        last = self._stored(tables)
        if not last:
            raise CheckpointMissing(size=0)
        entry = tables.entry(index) if index < last.size else None
        if entry is None:
            raise PositionUnknown(index=index, size=last.size)
        proof = tree.inclusion_proof(index, last.size, tables.nodes)
        return LogProof(origin=self._origin, index=index, entry=entry, checkpoint=last.note, proof=tuple(proof))

    def find(self, tables: AuditTables, entry: AuditEntry, /, *, since: int = 0) -> int | None:
        """Return the first position at or after `since` of an entry, `None` while it waits."""
        body, start = entry.canonical(), since
        while page := tables.entries(start, PAGE):
            for index, found in page:
                if found == body:
                    return index
            start = page[-1][0] + 1
        return None

    def drop(self, tables: AuditTables, index: int, why: Callable[[int], AuditEntry], /) -> None:
        """Forget the bytes of one entry and record that, in the caller's transaction (rule L4).

        Args:
            tables: within the transaction.
            index: position of the entry.
            why: makes the entry for the log: action `entry_dropped`, with `leaf` = the given index.

        Raises:
            PositionUnknown: there are no bytes to drop.
            ValueError: `why` made an entry that does not name the index.
        """
        if tables.entry(index) is None:
            raise PositionUnknown(index=index, size=tables.size())
        entry = why(index)
        if entry.action is not AuditAction.ENTRY_DROPPED or entry.leaf != index:
            message = "the entry must be of action entry_dropped and name the dropped position"
            raise ValueError(message)
        tables.drop_entry(index)
        self.record(tables, entry)

    def _stored(self, tables: AuditTables) -> Checkpoint | None:
        return self._read(tables.last_checkpoint())

    def _outside(self) -> Checkpoint | None:
        return self._read(self._place.last())

    def _read(self, note: bytes | None) -> Checkpoint | None:
        if note is None:
            return None
        checkpoint = read_checkpoint(note, self._signer.key)
        if checkpoint.origin != self._origin:
            raise OriginForeign
        return checkpoint

    def _agreed(self, tables: AuditTables) -> Checkpoint | None:
        """Return the stored checkpoint after checking it against leaves, hashes and the outside copy."""
        last, known, leaves = self._stored(tables), self._outside(), tables.size()
        size = last.size if last else 0
        if known and known.size > size:
            raise LogBehind(known=known.size, size=size)
        if not last:
            if leaves:
                raise CheckpointMissing(size=leaves)
            return None
        if leaves > size:
            raise UnsignedTail(first=size, last=leaves - 1)
        if leaves < size:
            raise TailRemoved(first=leaves, last=size - 1)
        if tree.root(size, tables.nodes) != last.root:
            raise HistoryRewritten(first=0, last=size - 1)
        if known and tree.root(known.size, tables.nodes) != known.root:
            raise LogForked(first=0, last=known.size - 1)
        return last


def commitment(note: bytes, /) -> str:
    """Return the digest by which the first entry of a continued log commits to the last known checkpoint."""
    return sha256(note).hexdigest()
