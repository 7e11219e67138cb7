"""Every table over one open session."""

from functools import cached_property

from oblio.storage.repositories.audit import SqlAudit
from oblio.storage.repositories.consents import SqlConsents
from oblio.storage.repositories.contents import SqlContents
from oblio.storage.repositories.edges import SqlEdges
from oblio.storage.repositories.erasures import SqlErasures
from oblio.storage.repositories.holders import SqlHolders
from oblio.storage.repositories.imports import SqlImports
from oblio.storage.repositories.items import SqlItems
from oblio.storage.repositories.keys import SqlSubjectKeys, SqlUnitKeys
from oblio.storage.repositories.receipts import SqlReceipts
from oblio.storage.repositories.singletons import SqlSingletons
from oblio.storage.repositories.tombstones import SqlTombstones
from oblio.storage.session import Session


class SqlTransaction:
    """`Transaction` in SQL; a repository is made when it is first used."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    @cached_property
    def singletons(self) -> SqlSingletons:
        """The two one-row tables."""
        return SqlSingletons(self._session)

    @cached_property
    def holders(self) -> SqlHolders:
        """Holders of keys."""
        return SqlHolders(self._session)

    @cached_property
    def subject_keys(self) -> SqlSubjectKeys:
        """Wrapped holder keys, where they live in tables."""
        return SqlSubjectKeys(self._session)

    @cached_property
    def unit_keys(self) -> SqlUnitKeys:
        """Wrapped unit keys."""
        return SqlUnitKeys(self._session)

    @cached_property
    def contents(self) -> SqlContents:
        """Ciphertext by unit."""
        return SqlContents(self._session)

    @cached_property
    def items(self) -> SqlItems:
        """Rows of items."""
        return SqlItems(self._session)

    @cached_property
    def edges(self) -> SqlEdges:
        """Which item was made from which."""
        return SqlEdges(self._session)

    @cached_property
    def consents(self) -> SqlConsents:
        """Grants of consent."""
        return SqlConsents(self._session)

    @cached_property
    def tombstones(self) -> SqlTombstones:
        """Ids of erased items."""
        return SqlTombstones(self._session)

    @cached_property
    def erasures(self) -> SqlErasures:
        """Requests, steps, plans and rebuilds."""
        return SqlErasures(self._session)

    @cached_property
    def receipts(self) -> SqlReceipts:
        """Payloads and signed documents of receipts."""
        return SqlReceipts(self._session)

    @cached_property
    def imports(self) -> SqlImports:
        """How far imports have come."""
        return SqlImports(self._session)

    @cached_property
    def audit(self) -> SqlAudit:
        """The tables of the audit log."""
        return SqlAudit(self._session)
