"""Wrapped keys: of subjects where they live in tables, and of units. Rows never change their size."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from oblio.errors.storage import RowMissing, ValueUnfit
from oblio.model.ids import HolderId, UnitId
from oblio.ports.tables import SubjectKeyRow, UnitKeyRow
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session, among, is_

WRAPPED_BYTES: Final = 60
"""Nonce 12, ciphertext 32, tag 16."""

_SUBJECT = schema.subject_keys
_S = _SUBJECT.c
_S_ALL = sa.select(*columns_of(_SUBJECT, SubjectKeyRow))
_S_OF = _S_ALL.where(is_(_S.holder)).order_by(_S.seq)
_S_UNDER = _S_ALL.where(is_(_S.epoch)).order_by(_S.seq).limit(sa.bindparam("size", type_=sa.Integer))
_S_INSERT = sa.insert(_SUBJECT).inline()
_S_DELETE = sa.delete(_SUBJECT).where(is_(_S.holder))
_S_UPDATE = sa.update(_SUBJECT).where(is_(_S.holder, "of"), is_(_S.key_no, "no"))

_UNIT = schema.unit_keys
_U = _UNIT.c
_U_ALL = sa.select(*columns_of(_UNIT, UnitKeyRow))
_U_GET = _U_ALL.where(among(_U.unit), is_(_U.holder))
_U_OF = (
    _U_ALL.where(is_(_U.holder), _U.seq > sa.bindparam("after", type_=sa.BigInteger))
    .order_by(_U.seq)
    .limit(sa.bindparam("size", type_=sa.Integer))
)
_U_HOLDERS = _U_ALL.where(among(_U.unit)).order_by(_U.seq)
_U_INSERT = sa.insert(_UNIT).inline()
_U_UPDATE = sa.update(_UNIT).where(is_(_U.seq, "at"))
_U_DELETE = sa.delete(_UNIT).where(among(_U.unit))
_U_DELETE_HELD = sa.delete(_UNIT).where(is_(_U.holder))


def _unit_key(row: sa.Row[Any]) -> UnitKeyRow:
    return value_of(UnitKeyRow, row)


def _checked(rows: Sequence[UnitKeyRow] | Sequence[SubjectKeyRow]) -> None:
    if any(len(row.wrapped) != WRAPPED_BYTES for row in rows):
        raise ValueUnfit


class SqlSubjectKeys:
    """`SubjectKeys` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, row: SubjectKeyRow, /) -> None:
        """Insert one wrapped key.

        Raises:
            RowExists: the holder has a key of this number.
            ValueUnfit: the wrapped key has not 60 bytes.
        """
        _checked([row])
        self._session.change(_S_INSERT, values_of(row))

    def get(self, holder: HolderId, /) -> Sequence[SubjectKeyRow]:
        """Return every key of one holder."""
        return [value_of(SubjectKeyRow, row) for row in self._session.rows(_S_OF, {"holder": holder})]

    def delete(self, holder: HolderId, /, *, key_no: int | None = None) -> int:
        """Delete the keys of one holder, or only the one of this number."""
        if key_no is None:
            return self._session.change(_S_DELETE, {"holder": holder})
        return self._session.change(_S_DELETE.where(is_(_S.key_no)), {"holder": holder, "key_no": key_no})

    def under(self, epoch: int, /, *, limit: int) -> Sequence[SubjectKeyRow]:
        """Return keys that this epoch wraps."""
        rows = self._session.rows(_S_UNDER, {"epoch": epoch, "size": limit})
        return [value_of(SubjectKeyRow, row) for row in rows]

    def rewrap(self, rows: Sequence[SubjectKeyRow], /) -> None:
        """Replace epoch and wrapped bytes of (holder, key_no).

        Raises:
            ValueUnfit: a wrapped key has not 60 bytes.
        """
        _checked(rows)
        self._session.change_many(
            _S_UPDATE, [{"of": r.holder, "no": r.key_no, "epoch": r.epoch, "wrapped": r.wrapped} for r in rows]
        )


class SqlUnitKeys:
    """`UnitKeys` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, rows: Sequence[UnitKeyRow], /) -> None:
        """Insert wraps.

        Raises:
            RowExists: a holder has a wrap of this unit.
            ValueUnfit: a wrapped key has not 60 bytes.
        """
        _checked(rows)
        self._session.change_many(_U_INSERT, [values_of(row) for row in rows])

    def get(self, holder: HolderId, units: Iterable[UnitId], /) -> Mapping[UnitId, UnitKeyRow]:
        """Return the wraps of these units for one holder."""
        found = self._session.among(_U_GET, units, {"holder": holder})
        return {row.unit: row for row in map(_unit_key, found)}

    def of(self, holder: HolderId, /, *, after: int, limit: int) -> Sequence[UnitKeyRow]:
        """Return wraps of one holder with `seq > after`, by seq."""
        rows = self._session.rows(_U_OF, {"holder": holder, "after": after, "size": limit})
        return [_unit_key(row) for row in rows]

    def holders(self, units: Iterable[UnitId], /) -> Sequence[UnitKeyRow]:
        """Return every wrap of these units."""
        return [_unit_key(row) for row in self._session.among(_U_HOLDERS, units)]

    def rewrap(self, rows: Sequence[UnitKeyRow], /) -> None:
        """Overwrite number and wrapped bytes of rows found by `seq`, in place.

        Raises:
            RowMissing: a row is not there.
            ValueUnfit: a wrapped key has not 60 bytes.
        """
        _checked(rows)
        changes = [{"at": r.seq, "key_no": r.key_no, "wrapped": r.wrapped} for r in rows]
        if self._session.change_many(_U_UPDATE, changes) != len(rows):
            raise RowMissing(table="unit_keys")

    def delete(self, units: Iterable[UnitId], /) -> int:
        """Delete every wrap of these units, whoever holds it."""
        return self._session.change_among(_U_DELETE, units)

    def delete_held(self, holder: HolderId, /) -> int:
        """Delete every wrap of one holder."""
        return self._session.change(_U_DELETE_HELD, {"holder": holder})
