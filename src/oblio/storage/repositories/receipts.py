"""Receipts: the payload fixed in the transaction that completes a request, and the signed document made from it."""

from typing import Any

import sqlalchemy as sa

from oblio.errors.storage import RowMissing
from oblio.model.ids import RequestId
from oblio.storage import schema
from oblio.storage.session import Session, is_

_P = schema.receipts.c
_D = schema.receipt_documents.c
_PAYLOAD = sa.select(_P.payload).where(is_(_P.request))
_DOCUMENT = sa.select(_D.document).where(is_(_D.request))
_DROP_DOCUMENT = sa.delete(schema.receipt_documents).where(is_(_D.request))


class SqlReceipts:
    """`Receipts` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def _bytes(self, statement: sa.Select[Any], request: RequestId) -> bytes | None:
        row = self._session.first(statement, {"request": request})
        return None if row is None else bytes(row[0])

    def add(self, request: RequestId, payload: bytes, /) -> None:
        """Insert the payload.

        Raises:
            RowExists: the request has one.
        """
        self._session.change(sa.insert(schema.receipts).inline(), {"request": request, "payload": payload})

    def payload(self, request: RequestId, /) -> bytes | None:
        """Return the payload."""
        return self._bytes(_PAYLOAD, request)

    def document(self, request: RequestId, /) -> bytes | None:
        """Return the signed document."""
        return self._bytes(_DOCUMENT, request)

    def put_document(self, request: RequestId, document: bytes, /) -> None:
        """Keep the signed document; the same request again replaces it.

        Raises:
            RowMissing: the request has no payload.
        """
        if self.payload(request) is None:
            raise RowMissing(table="receipts")
        self._session.change(_DROP_DOCUMENT, {"request": request})
        self._session.change(sa.insert(schema.receipt_documents).inline(), {"request": request, "document": document})
