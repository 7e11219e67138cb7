"""The tables of the audit log.

A leaf whose bytes are dropped keeps a row of the same size, filled with zeros: a real entry begins with its format
version, so it is never all zeros.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from oblio.errors.storage import ValueUnfit
from oblio.ports.audit import NodeKey, NodeRow
from oblio.storage import schema
from oblio.storage.session import Session, among, is_

_LEVEL_SHIFT: Final = 56
_MAX_LEVEL: Final = 63
_KEYS_AT_ONCE: Final = 4_096

_P = schema.audit_pending.c
_L = schema.audit_leaves.c
_N = schema.audit_nodes.c
_K = schema.audit_checkpoints.c
_SIZE: Final = sa.bindparam("size", type_=sa.Integer)
_TAKE = sa.select(_P.seq, _P.body).order_by(_P.seq).limit(_SIZE)
_DROP_PENDING = sa.delete(schema.audit_pending).where(among(_P.seq))
_LAST_LEAF = sa.select(sa.func.max(_L.leaf))
_ENTRY = sa.select(_L.body).where(is_(_L.leaf))
_ENTRIES = sa.select(_L.leaf, _L.body).where(_L.leaf >= sa.bindparam("start")).order_by(_L.leaf).limit(_SIZE)
_BLANK = sa.update(schema.audit_leaves).where(is_(_L.leaf, "at"))
_NODES = sa.select(_N.node, _N.digest).where(among(_N.node))
_LAST_NOTE = sa.select(_K.note).order_by(_K.size.desc()).limit(1)
_DROP_NOTE = sa.delete(schema.audit_checkpoints).where(is_(_K.size))


def _node(level: int, index: int) -> int:
    """Return the one number of a node, so that many are found by one plain list.

    Raises:
        ValueUnfit: level or index is out of range.
    """
    if not (0 <= level <= _MAX_LEVEL and 0 <= index < 1 << _LEVEL_SHIFT):
        raise ValueUnfit
    return level << _LEVEL_SHIFT | index


def _body(row: sa.Row[Any]) -> bytes | None:
    body = bytes(row.body)
    return body if body.strip(b"\0") else None


class SqlAudit:
    """`AuditTables` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add_pending(self, body: bytes, /) -> None:
        """Keep a fact until the sequencer gives it a position."""
        self._session.change(sa.insert(schema.audit_pending).inline(), {"body": body})

    def take_pending(self, limit: int, /) -> Sequence[tuple[int, bytes]]:
        """Return up to `limit` waiting facts, lowest row first, and leave them there."""
        return [(row.seq, bytes(row.body)) for row in self._session.rows(_TAKE, {"size": limit})]

    def drop_pending(self, rows: Sequence[int], /) -> None:
        """Delete exactly these rows."""
        self._session.change_among(_DROP_PENDING, rows)

    def size(self) -> int:
        """Return the highest index plus one, 0 when there is none."""
        last = self._session.number(_LAST_LEAF)
        return 0 if last is None else last + 1

    def add_leaves(self, leaves: Sequence[tuple[int, bytes]], /) -> None:
        """Store entry bytes under their indexes.

        Raises:
            RowExists: an index is taken.
        """
        rows = [{"leaf": index, "body": body} for index, body in leaves]
        self._session.change_many(sa.insert(schema.audit_leaves).inline(), rows)

    def entry(self, index: int, /) -> bytes | None:
        """Return the bytes of one entry; `None` when they were dropped or never existed."""
        row = self._session.first(_ENTRY, {"leaf": index})
        return None if row is None else _body(row)

    def entries(self, start: int, limit: int, /) -> Sequence[tuple[int, bytes | None]]:
        """Return up to `limit` existing leaves from `start` on, by index."""
        return [(row.leaf, _body(row)) for row in self._session.rows(_ENTRIES, {"start": start, "size": limit})]

    def drop_entry(self, index: int, /) -> None:
        """Overwrite the bytes of one entry with zeros; quiet when there is none."""
        row = self._session.first(_ENTRY, {"leaf": index})
        if row is not None:
            self._session.change(_BLANK, {"at": index, "body": bytes(len(row.body))})

    def add_nodes(self, nodes: Sequence[NodeRow], /) -> None:
        """Store hashes of complete subtrees.

        Raises:
            RowExists: a node is there.
        """
        rows = [{"node": _node(level, index), "digest": digest} for level, index, digest in nodes]
        self._session.change_many(sa.insert(schema.audit_nodes).inline(), rows)

    def nodes(self, keys: Sequence[NodeKey], /) -> Mapping[NodeKey, bytes]:
        """Return those of the asked hashes that are stored, by one statement for each 4,096 keys."""
        asked = {_node(level, index): (level, index) for level, index in keys}
        numbers = list(asked)
        found: dict[NodeKey, bytes] = {}
        for start in range(0, len(numbers), _KEYS_AT_ONCE):
            rows = self._session.rows(_NODES, {"among": numbers[start : start + _KEYS_AT_ONCE]})
            found.update((asked[row.node], bytes(row.digest)) for row in rows)
        return found

    def restart(self) -> None:
        """Empty every table of the log."""
        for table in (schema.audit_pending, schema.audit_leaves, schema.audit_nodes, schema.audit_checkpoints):
            self._session.change(sa.delete(table))

    def save_checkpoint(self, size: int, note: bytes, /) -> None:
        """Keep a signed checkpoint; the same size again replaces it."""
        self._session.change(_DROP_NOTE, {"size": size})
        self._session.change(sa.insert(schema.audit_checkpoints).inline(), {"size": size, "note": note})

    def last_checkpoint(self) -> bytes | None:
        """Return the signed checkpoint of the largest size."""
        row = self._session.first(_LAST_NOTE)
        return None if row is None else bytes(row.note)
