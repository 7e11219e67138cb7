"""Random ids of erased items."""

from collections.abc import Iterable
from datetime import date

import sqlalchemy as sa

from oblio.model.ids import ItemId
from oblio.storage import schema
from oblio.storage.session import Session, among, batches

_TOMBSTONES = schema.tombstones
_C = _TOMBSTONES.c
_AMONG = sa.select(_C.item).where(among(_C.item))
_INSERT = sa.insert(_TOMBSTONES).inline()
_EXTEND = sa.update(_TOMBSTONES).where(among(_C.item))
_SWEEP = sa.delete(_TOMBSTONES).where(_C.until < sa.bindparam("today", type_=_C.until.type))


class SqlTombstones:
    """`Tombstones` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, items: Iterable[ItemId], /, *, until: date) -> None:
        """Refuse writes that name these items up to and including the day `until`."""
        for batch in batches(items):
            known = self.among(batch)
            self._session.change_among(_EXTEND, known, {"until": until})
            self._session.change_many(_INSERT, [{"item": i, "until": until} for i in batch if i not in known])

    def among(self, items: Iterable[ItemId], /) -> frozenset[ItemId]:
        """Return those of the items that have a tombstone."""
        return frozenset(row.item for row in self._session.among(_AMONG, items))

    def sweep(self, today: date, /) -> int:
        """Delete tombstones whose last day is before `today`."""
        return self._session.change(_SWEEP, {"today": today})
