"""The two one-row tables."""

import sqlalchemy as sa

from oblio.errors.storage import RowExists, RowMissing
from oblio.ports.tables import StoreRow, VaultRow
from oblio.storage import schema
from oblio.storage.repositories.rows import columns_of, value_of, values_of
from oblio.storage.session import Session

_STORE = sa.select(*columns_of(schema.store, StoreRow))
_VAULT = sa.select(*columns_of(schema.vault, VaultRow))


class SqlSingletons:
    """`Singletons` in SQL."""

    def __init__(self, session: Session, /) -> None:
        self._session = session

    def store(self) -> StoreRow | None:
        """Return what this store is, `None` before it was created."""
        row = self._session.first(_STORE)
        return None if row is None else value_of(StoreRow, row)

    def create(self, store: StoreRow, vault: VaultRow, /) -> None:
        """Write both rows, once in the life of a store.

        Raises:
            RowExists: they are there.
        """
        if self.store() is not None:
            raise RowExists
        self._session.change(sa.insert(schema.store).inline(), values_of(store))
        self._session.change(sa.insert(schema.vault).inline(), values_of(vault))

    def vault(self) -> VaultRow:
        """Return the row that coordinates key files.

        Raises:
            RowMissing: the store was not created.
        """
        row = self._session.first(_VAULT)
        if row is None:
            raise RowMissing(table="vault")
        return value_of(VaultRow, row)

    def put_vault(self, row: VaultRow, /) -> None:
        """Replace the row that coordinates key files.

        Raises:
            RowMissing: the store was not created.
        """
        if not self._session.change(sa.update(schema.vault), values_of(row)):
            raise RowMissing(table="vault")
