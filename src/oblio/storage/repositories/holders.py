"""Holders of keys, and the slots of the slot file that nobody owns.

`free_slots` holds every number below the largest ever used that is nobody's, so that finding the smallest free one
takes the same time with ten holders and with a million.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import sqlalchemy as sa

from oblio.errors.storage import RowExists, RowMissing
from oblio.model.ids import HolderId
from oblio.model.subject import Holder
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session, among, batches, is_

_HOLDERS = schema.holders
_C = _HOLDERS.c
_FREE = schema.free_slots
_ALL = sa.select(*columns_of(_HOLDERS, Holder))
_BY_ID = _ALL.where(is_(_C.holder))
_BY_LOOKUP = _ALL.where(_C.lookup.is_not(None), is_(_C.lookup))
_OWNERS = _ALL.where(_C.slot.is_not(None), _C.slot >= sa.bindparam("start"), _C.slot < sa.bindparam("stop")).order_by(
    _C.slot
)
_RETIRED = _ALL.where(_C.retired_slot.is_not(None)).order_by(_C.retired_slot)
_PAGE = _ALL.order_by(_C.holder).limit(sa.bindparam("size", type_=sa.Integer))
_INSERT = sa.insert(_HOLDERS).inline()
_UPDATE = sa.update(_HOLDERS).where(is_(_C.holder, "key"))
_DELETE = sa.delete(_HOLDERS).where(is_(_C.holder))
_TAKEN = (
    sa.select(_C.slot.label("n"))
    .where(_C.slot.is_not(None), among(_C.slot))
    .union_all(sa.select(_C.retired_slot).where(_C.retired_slot.is_not(None), among(_C.retired_slot)))
)
_SLOTS_TOP = [sa.select(sa.func.max(column)).where(column.is_not(None)) for column in (_C.slot, _C.retired_slot)]
_TOP = sa.select(*(query.scalar_subquery() for query in _SLOTS_TOP))
_KNOWN = sa.select(*(query.scalar_subquery() for query in [*_SLOTS_TOP, sa.select(sa.func.max(_FREE.c.slot))]))
_LOWEST_FREE = sa.select(sa.func.min(_FREE.c.slot))
_DROP_FREE = sa.delete(_FREE).where(among(_FREE.c.slot))
_ADD_FREE = sa.insert(_FREE).inline()


def _slots(row: Holder | None) -> set[int]:
    return set() if row is None else {n for n in (row.slot, row.retired_slot) if n is not None}


class SqlHolders:
    """`Holders` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def _one(self, statement: sa.Select[Any], **values: object) -> Holder | None:
        row = self._session.first(statement, values)
        return None if row is None else value_of(Holder, row)

    def _many(self, statement: sa.Select[Any], **values: object) -> Sequence[Holder]:
        return [value_of(Holder, row) for row in self._session.rows(statement, values)]

    def _largest(self, statement: sa.Select[Any]) -> int:
        row = self._session.first(statement)
        return max((n for n in row or () if n is not None), default=-1)

    def _move(self, before: set[int], after: set[int]) -> None:
        """Keep the list of free slots true while a holder changes its slots.

        Raises:
            RowExists: a slot it takes is somebody's, as its slot or as its retired one.
        """
        taken, left = after - before, before - after
        if not taken and not left:
            return
        known = self._largest(_KNOWN)
        used_before = [slot for slot in taken if slot <= known]
        if any(True for _ in self._session.among(_TAKEN, used_before)):
            raise RowExists
        self._session.change_among(_DROP_FREE, used_before)
        skipped = (slot for slot in range(known + 1, max(taken, default=-1)) if slot not in taken)
        for batch in batches(chain(left, skipped)):
            self._session.change_many(_ADD_FREE, [{"slot": slot} for slot in batch])

    def add(self, row: Holder, /) -> None:
        """Insert a holder.

        Raises:
            RowExists: its id, its lookup or a slot of it is taken.
        """
        if row.slot is not None and row.slot == row.retired_slot:
            raise RowExists
        self._move(set(), _slots(row))
        self._session.change(_INSERT, values_of(row))

    def get(self, holder: HolderId, /) -> Holder | None:
        """Return one holder."""
        return self._one(_BY_ID, holder=holder)

    def find(self, lookup: bytes, /) -> Holder | None:
        """Return the holder with this lookup HMAC."""
        return self._one(_BY_LOOKUP, lookup=lookup)

    def put(self, row: Holder, /) -> None:
        """Write every changeable column.

        Raises:
            RowMissing: there is no such holder.
            RowExists: its lookup or a slot of it is somebody else's.
        """
        before = self.get(row.holder)
        if before is None:
            raise RowMissing(table="holders")
        if row.slot is not None and row.slot == row.retired_slot:
            raise RowExists
        self._move(_slots(before), _slots(row))
        self._session.change(_UPDATE, {**values_of(row), "key": row.holder})

    def delete(self, holder: HolderId, /) -> None:
        """Delete a holder and free its slots; quiet when there is none."""
        self._move(_slots(self.get(holder)), set())
        self._session.change(_DELETE, {"holder": holder})

    def free_slot(self) -> int:
        """Return the smallest number that is nobody's slot or retired slot."""
        lowest = self._session.number(_LOWEST_FREE)
        return self.last_slot() + 1 if lowest is None else lowest

    def owners(self, *, start: int, stop: int) -> Sequence[Holder]:
        """Return holders with `start <= slot < stop`, by slot."""
        return self._many(_OWNERS, start=start, stop=stop)

    def last_slot(self) -> int:
        """Return the largest slot in use, retired ones included, -1 when there is none."""
        return self._largest(_TOP)

    def retired(self) -> Sequence[Holder]:
        """Return holders whose `retired_slot` is set."""
        return self._many(_RETIRED)

    def page(self, *, after: HolderId | None, limit: int) -> Sequence[Holder]:
        """Return all holders by id."""
        if after is None:
            return self._many(_PAGE, size=limit)
        return self._many(_PAGE.where(_C.holder > after), size=limit)
