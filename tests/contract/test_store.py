"""Every claim about a store, on every backend."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import ClassVar, Final

import pysqlite3.dbapi2 as upstream
import pytest
import sqlalchemy as sa

from oblio.ports.store import Store
from oblio.storage.postgres import open_postgres
from oblio.storage.schema import metadata
from oblio.storage.sqlite import open_sqlite
from oblio.testing.contract_keys import HoldersContract, ItemsContract, KeysContract
from oblio.testing.contract_records import (
    AuditContract,
    ConsentContract,
    EdgesContract,
    ErasuresContract,
    RecordsContract,
)
from oblio.testing.contract_store import SingletonsContract, TransactionContract
from oblio.testing.store import MemoryStore

LACKS: Final[Mapping[str, frozenset[str]]] = {
    "sqlite": frozenset(),
    "upstream": frozenset(),
    "postgres": frozenset({"settle"}),
    "memory": frozenset({"sizes", "zero", "ids"}),
}
"""What a backend does not have; `oblio.testing.contract_store` says what each word means."""


class WholeContract(
    TransactionContract,
    SingletonsContract,
    HoldersContract,
    KeysContract,
    ItemsContract,
    EdgesContract,
    ConsentContract,
    ErasuresContract,
    RecordsContract,
    AuditContract,
):
    """All of it."""


class TestSqlite(WholeContract):
    """The SQLite of the standard library."""

    lacks: ClassVar[frozenset[str]] = LACKS["sqlite"]

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with closing(open_sqlite(tmp_path / "agent.db")) as store:
            yield store


class TestSqliteWithoutSecureDelete(WholeContract):
    """A build whose own default keeps deleted bytes."""

    lacks: ClassVar[frozenset[str]] = LACKS["upstream"]

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with closing(upstream.connect(":memory:")) as connection:
            assert connection.execute("PRAGMA secure_delete").fetchone() == (0,)
        with closing(open_sqlite(tmp_path / "agent.db", module=upstream)) as store:
            yield store


@pytest.mark.slow
class TestPostgres(WholeContract):
    """PostgreSQL over TCP, with a password that breaks careless URLs."""

    lacks: ClassVar[frozenset[str]] = LACKS["postgres"]

    @pytest.fixture
    def store(self, postgres_shared_url: sa.URL) -> Iterator[Store]:
        with closing(open_postgres(postgres_shared_url)) as store:
            yield store
        engine = sa.create_engine(postgres_shared_url.set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
        tables = ", ".join(name for name in metadata.tables if name != "oblio_schema")
        with engine.begin() as connection:  # numbers begin at 1 again, as in an empty database
            connection.exec_driver_sql(f"TRUNCATE {tables} RESTART IDENTITY")


class TestMemory(WholeContract):
    """The store of the workflows' own tests."""

    lacks: ClassVar[frozenset[str]] = LACKS["memory"]

    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()
