"""How far an import has come."""

import sqlalchemy as sa

from oblio.model.ids import SubjectId
from oblio.storage import schema
from oblio.storage.session import Session, is_

_IMPORTS = schema.imports
_C = _IMPORTS.c
_GET = sa.select(_C.position).where(is_(_C.subject), is_(_C.source))
_DELETE_ALL = sa.delete(_IMPORTS).where(is_(_C.subject))
_DELETE = sa.delete(_IMPORTS).where(is_(_C.subject), is_(_C.source))


class SqlImports:
    """`Imports` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def cursor(self, subject: SubjectId, source: bytes, /) -> str | None:
        """Return the position behind the last stored record of this source."""
        row = self._session.first(_GET, {"subject": subject, "source": source})
        return None if row is None else str(row.position)

    def put(self, subject: SubjectId, source: bytes, cursor: str, /) -> None:
        """Keep the position behind the last stored record of this source."""
        self._session.change(_DELETE, {"subject": subject, "source": source})
        self._session.change(sa.insert(_IMPORTS).inline(), {"subject": subject, "source": source, "position": cursor})

    def delete(self, subject: SubjectId, /) -> int:
        """Forget every position kept under this person. Return how many there were."""
        return self._session.change(_DELETE_ALL, {"subject": subject})
