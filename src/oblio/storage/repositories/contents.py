"""Ciphertext by unit: inserted and deleted, never changed."""

from collections.abc import Iterable, Mapping

import sqlalchemy as sa

from oblio.model.ids import UnitId
from oblio.storage import schema
from oblio.storage.session import Session, among

_CONTENTS = schema.contents
_INSERT = sa.insert(_CONTENTS).inline()
_GET = sa.select(_CONTENTS.c.unit, _CONTENTS.c.sealed).where(among(_CONTENTS.c.unit))
_DELETE = sa.delete(_CONTENTS).where(among(_CONTENTS.c.unit))


class SqlContents:
    """`Contents` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, unit: UnitId, sealed: bytes, /) -> None:
        """Insert the ciphertext of one unit.

        Raises:
            RowExists: the unit has one.
        """
        self._session.change(_INSERT, {"unit": unit, "sealed": sealed})

    def get(self, units: Iterable[UnitId], /) -> Mapping[UnitId, bytes]:
        """Return the ciphertext of these units, as far as it is there."""
        return {row.unit: row.sealed for row in self._session.among(_GET, units)}

    def delete(self, units: Iterable[UnitId], /) -> int:
        """Delete the ciphertext of these units."""
        return self._session.change_among(_DELETE, units)
