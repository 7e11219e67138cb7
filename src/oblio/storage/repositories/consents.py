"""Grants of consent: added and withdrawn, deleted only with their subject."""

from datetime import datetime

import sqlalchemy as sa

from oblio.model.consent import Grant, Purpose
from oblio.model.ids import SubjectId
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session, is_

_CONSENTS = schema.consents
_C = _CONSENTS.c
_OF = sa.select(*columns_of(_CONSENTS, Grant)).where(is_(_C.subject)).order_by(_C.seq)
_INSERT = sa.insert(_CONSENTS).inline()
_WITHDRAW = sa.update(_CONSENTS).where(is_(_C.subject, "who"), is_(_C.purpose, "what"), _C.withdrawn_at.is_(None))
_DELETE = sa.delete(_CONSENTS).where(is_(_C.subject))


class SqlConsents:
    """`Consents` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def add(self, grant: Grant, /) -> None:
        """Insert one grant."""
        self._session.change(_INSERT, values_of(grant))

    def of(self, subject: SubjectId, /) -> tuple[Grant, ...]:
        """Return the grants of one subject, oldest first."""
        return tuple(value_of(Grant, row) for row in self._session.rows(_OF, {"subject": subject}))

    def withdraw(self, subject: SubjectId, purpose: Purpose, /, *, at: datetime) -> int:
        """Withdraw the standing grants of one purpose. Return how many there were."""
        return self._session.change(_WITHDRAW, {"who": subject, "what": purpose, "withdrawn_at": at})

    def delete(self, subject: SubjectId, /) -> int:
        """Delete the grants of one subject."""
        return self._session.change(_DELETE, {"subject": subject})
