"""Looks for damage and tampering in the whole log.

What is found, and against what:

* a changed entry or hash: against its neighbours in the tree, and it says which one;
* missing rows, in the middle or at the end: against the signed number of entries;
* a history rewritten together with all its hashes: against the signed root;
* a history rewritten and signed anew by whoever holds the key: against the checkpoint outside and issued documents.

Bytes that were dropped (rule L4) are no damage: their hashes stand. They are listed, and those that no entry of action
`entry_dropped` explains are listed apart. The whole log is read once, page by page; memory does not grow with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oblio.audit import tree
from oblio.audit.checkpoint import Checkpoint, read_checkpoint
from oblio.audit.keys import PublicKey
from oblio.audit.receipt import Document
from oblio.errors.audit import (
    CheckpointMissing,
    EntriesMissing,
    EntryChanged,
    HistoryRewritten,
    LogForked,
    NodeChanged,
    NodeMissing,
    OriginForeign,
    TailRemoved,
    UnsignedTail,
)
from oblio.model.audit import AuditAction, AuditEntry
from oblio.ports.audit import AuditTables, NodeKey

_PAGE = 1_024
_DROPPED = b'{"v":1,"action":"%s"' % AuditAction.ENTRY_DROPPED.encode()
"""How an entry that explains dropped bytes begins; the others need not be parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReport:
    """What was checked and found whole."""

    entries: int
    outside: int | None
    """Number of entries that the checkpoint outside confirms; `None` without one: then a cut tail stays unseen."""
    documents: int
    """Number of documents that the log was compared with."""
    waiting: bool
    """Whether facts wait for the sequencer."""
    dropped: tuple[int, ...] = ()
    """Positions whose bytes were dropped."""
    unexplained: tuple[int, ...] = ()
    """Those of `dropped` that no entry of the log explains."""


def verify_log(
    tables: AuditTables,
    public_key: str,
    /,
    *,
    outside_note: bytes | None = None,
    receipts: Sequence[Document] = (),
) -> LogReport:
    """Check every entry, every hash, and agreement with whatever was signed.

    Args:
        tables: within a read transaction.
        public_key: of the log, `name+hash+base64`.
        outside_note: the checkpoint kept in the key place, or any other that was ever published. Read it before the
            transaction is opened: one that is newer than the rows looks like a cut tail.
        receipts: issued documents; each is verified, and its checkpoint compared. An equal root means an equal entry.

    Raises:
        EntryChanged, NodeChanged, NodeMissing, EntriesMissing: rows were altered or removed.
        TailRemoved, UnsignedTail, CheckpointMissing: leaves and checkpoints do not belong together.
        HistoryRewritten: entries and hashes agree with each other and not with the log's own signature.
        LogForked: the log signed two histories.
        OriginForeign: checkpoints of different logs were mixed up.
        Fault: a document or checkpoint does not verify by itself.
    """
    key = PublicKey.parse(public_key)
    for document in receipts:
        document.verify(public_key)
    own = _read(tables.last_checkpoint(), key)
    outside = _read(outside_note, key)
    heads = [document.checkpoint(key) for document in receipts]
    if outside:
        heads.append(outside)
    _check_size(tables, own, heads)
    walk = _Walk(tables)
    walk.run(own.size if own else 0)
    if own:
        _check_roots(tables, own, heads)
    return LogReport(
        entries=walk.size,
        outside=outside.size if outside else None,
        documents=len(receipts),
        waiting=bool(tables.take_pending(1)),
        dropped=tuple(walk.dropped),
        unexplained=tuple(index for index in walk.dropped if index not in walk.explained),
    )


def _read(note: bytes | None, key: PublicKey) -> Checkpoint | None:
    return None if note is None else read_checkpoint(note, key)


def _check_size(tables: AuditTables, own: Checkpoint | None, heads: Sequence[Checkpoint]) -> None:
    """Compare the number of leaves with every checkpoint."""
    leaves = tables.size()
    if own and any(head.origin != own.origin for head in heads):
        raise OriginForeign
    signed = max((head.size for head in [*heads, own] if head), default=0)
    if leaves < signed:
        raise TailRemoved(first=leaves, last=signed - 1)
    if leaves and not own:
        raise CheckpointMissing(size=leaves)
    if own and leaves > own.size:
        raise UnsignedTail(first=own.size, last=leaves - 1)


def _check_roots(tables: AuditTables, own: Checkpoint, heads: Sequence[Checkpoint]) -> None:
    """Compare roots, smallest tree first, so that the first difference gives the narrowest range."""
    own_right = tree.root(own.size, tables.nodes) == own.root
    agreed = 0
    for head in sorted([*heads, own], key=lambda head: head.size):
        if tree.root(head.size, tables.nodes) != head.root:
            fault = LogForked if own_right else HistoryRewritten
            raise fault(first=agreed, last=head.size - 1)
        agreed = head.size


class _Walk:
    """Reads the log once and builds the tree anew beside the stored one."""

    def __init__(self, tables: AuditTables) -> None:
        self.tables = tables
        self.size = 0
        self.dropped: list[int] = []
        self.explained: set[int | None] = set()
        self.peaks: dict[NodeKey, bytes] = {}

    def run(self, size: int) -> None:
        """Check the first `size` entries."""
        while self.size < size:
            self._page(min(_PAGE, size - self.size))

    def _page(self, count: int) -> None:
        start = self.size
        stored = self.tables.nodes([(0, index) for index in range(start, start + count)])
        rows = dict(self.tables.entries(start, count))
        missing = [index for index in range(start, start + count) if index not in rows]
        if missing:
            raise EntriesMissing(first=missing[0], last=self._until(missing[0]))
        leaves = [self._leaf(index, rows[index], stored.get((0, index))) for index in range(start, start + count)]
        grown = tree.grow(start, leaves, lambda _: self.peaks)
        self._compare(grown)
        self.size += count
        known = self.peaks | {(level, index): value for level, index, value in grown}
        self.peaks = {key: known[key] for key in tree.peaks(self.size)}

    def _until(self, first: int) -> int:
        """Return the last missing index of the gap that begins at `first`."""
        return self.tables.entries(first, 1)[0][0] - 1  # the size was checked: a later row exists

    def _leaf(self, index: int, body: bytes | None, stored: bytes | None) -> bytes:
        if stored is None:
            raise NodeMissing(level=0, index=index)
        if body is None:
            self.dropped.append(index)
        elif tree.leaf_hash(body) != stored:
            raise EntryChanged(index=index)
        else:
            self._explain(body)
        return stored

    def _explain(self, body: bytes) -> None:
        if not body.startswith(_DROPPED):
            return
        try:
            self.explained.add(AuditEntry.from_canonical(body).leaf)
        except ValueError:
            return  # of a later format: its hash is right, so it is what was signed, but it explains nothing to us

    def _compare(self, grown: list[tuple[int, int, bytes]]) -> None:
        upper = [(level, index, value) for level, index, value in grown if level]
        stored = self.tables.nodes([(level, index) for level, index, _ in upper])
        for level, index, value in upper:
            if (level, index) not in stored:
                raise NodeMissing(level=level, index=index)
            if stored[level, index] != value:
                first = index << level
                raise NodeChanged(level=level, first=first, last=first + (1 << level) - 1)
