"""Rows of items."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa

from oblio.errors.storage import RowMissing
from oblio.model.ids import ItemId, SubjectId
from oblio.model.memory import Item, ItemState, ItemType
from oblio.ports.tables import Cursor
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session, among, is_

_ITEMS = schema.items
_C = _ITEMS.c
_CHANGEABLE = ("state", "unit", "version", "saved", "deriver", "kind", "expires")
_ALL = sa.select(*columns_of(_ITEMS, Item))
_GET = _ALL.where(is_(_C.item), is_(_C.subject))
_ANY = _ALL.where(among(_C.item))
_OF = _ALL.where(is_(_C.subject), among(_C.type)).order_by(_C.seq.desc())
_EXPIRED = (
    _ALL.where(_C.expires.is_not(None), _C.expires < sa.bindparam("today", type_=_C.expires.type))
    .order_by(_C.seq)
    .limit(sa.bindparam("size", type_=sa.Integer))
)
_COUNTS = sa.select(_C.type, sa.func.count().label("n")).where(is_(_C.subject)).group_by(_C.type)
_INSERT = sa.insert(_ITEMS).inline()
_UPDATE = sa.update(_ITEMS).where(is_(_C.item, "key"))
_MARK = sa.update(_ITEMS).where(among(_C.item))
_DELETE = sa.delete(_ITEMS).where(among(_C.item))


def _item(row: sa.Row[Any]) -> Item:
    return value_of(Item, row)


class SqlItems:
    """`Items` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, row: Item, /) -> None:
        """Insert one item.

        Raises:
            RowExists: its id is taken.
        """
        self._session.change(_INSERT, values_of(row))

    def get(self, subject: SubjectId, item: ItemId, /) -> Item | None:
        """Return one item of one subject."""
        row = self._session.first(_GET, {"item": item, "subject": subject})
        return None if row is None else _item(row)

    def any(self, items: Iterable[ItemId], /) -> Mapping[ItemId, Item]:
        """Return items by id whoever owns them."""
        return {row.item: row for row in map(_item, self._session.among(_ANY, items))}

    def of(
        self,
        subject: SubjectId,
        /,
        *,
        types: frozenset[ItemType],
        before: Cursor | None = None,
        limit: int | None = None,
    ) -> Sequence[Item]:
        """Return items of these types, newest written first; no type, no item."""
        if not types:
            return []
        statement = _OF if before is None else _OF.where(_C.seq < before.seq)
        if limit is not None:
            statement = statement.limit(limit)
        return [_item(row) for row in self._session.rows(statement, {"subject": subject, "among": sorted(types)})]

    def put(self, row: Item, /) -> None:
        """Write state, unit, version, saved, deriver, kind and expires.

        Raises:
            RowMissing: there is no such item.
        """
        values = {name: getattr(row, name) for name in _CHANGEABLE}
        if not self._session.change(_UPDATE, {**values, "key": row.item}):
            raise RowMissing(table="items")

    def mark(self, items: Iterable[ItemId], state: ItemState, /) -> int:
        """Set the state of these items. Return how many are there."""
        return self._session.change_among(_MARK, items, {"state": state})

    def delete(self, items: Iterable[ItemId], /) -> int:
        """Delete these items. Return how many were there."""
        return self._session.change_among(_DELETE, items)

    def counts(self, subject: SubjectId, /) -> Mapping[ItemType, int]:
        """Return how many items of each type a subject has; a type without any has no key."""
        return {row.type: row.n for row in self._session.rows(_COUNTS, {"subject": subject})}

    def expired(self, today: date, /, *, limit: int) -> Sequence[Item]:
        """Return items of anybody whose last readable day is before `today`."""
        return [_item(row) for row in self._session.rows(_EXPIRED, {"today": today, "size": limit})]
