"""The store in PostgreSQL 15 or newer, through psycopg 3.

Writers take one advisory lock, so that a workflow proven on SQLite meets the same world here: one writer at a time
over all processes. Readers see one snapshot (`REPEATABLE READ READ ONLY`) and wait for nobody.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from oblio.errors.storage import AddressUnreadable, DriverMissing, StoreBusy, TransactionEnded
from oblio.ports.store import Transaction
from oblio.storage.loans import Loans
from oblio.storage.locks import EXCLUSIVE_SECONDS, ThreadLock
from oblio.storage.revision import bring_up_to_date
from oblio.storage.schema import metadata
from oblio.storage.session import Session, guarded
from oblio.storage.transaction import SqlTransaction
from oblio.storage.translate import LOCK_SECONDS

_WRITER: Final = 0x6F626C696F01  # "oblio" and a number: advisory locks are numbers in one space of the database
_ENGINE: Final = 0x6F626C696F02
_WAIT: Final = sa.select(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)))
_TRY: Final = sa.select(sa.func.pg_try_advisory_lock(sa.bindparam("lock", type_=sa.BigInteger)))
_HOLD: Final = sa.select(sa.func.pg_advisory_lock(sa.bindparam("lock", type_=sa.BigInteger)))
_SIZE: Final = sa.text(
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
    " WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:names)"
)


class PostgresExclusive:
    """`Exclusive` by an advisory lock of one session; the server releases it when the session ends.

    Args:
        engine: that keeps no session alive.
        seconds: how long one that waits waits, at least 1.
    """

    def __init__(self, engine: sa.Engine, /, *, seconds: int = EXCLUSIVE_SECONDS) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._seconds = seconds

    @contextmanager
    def hold(self, *, wait: bool) -> Iterator[bool]:
        """Enter with true when the lock was taken; with false when it did not come in time, at once without `wait`."""
        connection = guarded(self._engine.connect)
        try:
            taken = guarded(lambda: connection.execute(_TRY, {"lock": _ENGINE}).scalar())
            yield bool(taken) or (wait and self._waited(connection))
        finally:
            connection.close()  # no pool: the session ends, and the lock with it

    def _waited(self, connection: sa.Connection) -> bool:
        guarded(lambda: connection.exec_driver_sql(f"SET lock_timeout = '{self._seconds}s'"))
        try:
            guarded(lambda: connection.execute(_HOLD, {"lock": _ENGINE}))
        except StoreBusy:
            return False
        return True


class PostgresStore:
    """`Store` in PostgreSQL.

    Args:
        url: of the database; the driver is always psycopg.
        seconds: how long a writer waits for another one.
    """

    def __init__(self, url: sa.URL, /, *, seconds: int = LOCK_SECONDS) -> None:
        self._closed = False
        self._loans = Loans(self._rest, path=None)
        self._threads = ThreadLock(seconds=seconds)
        self._url = url.set(drivername="postgresql+psycopg")
        given = self._url.query.get("options", "")
        self._options = " ".join([*([given] if isinstance(given, str) else given), f"-c lock_timeout={seconds}s"])
        self._writer = self._engine()
        self._readers = self._reading(self._writer)
        self._alone = self._engine(poolclass=NullPool)
        self._fresh = self._reading(self._alone)
        self.engine_lock: Final = PostgresExclusive(self._alone)
        """Held by the one worker that runs engine, sweep, scan and rotation."""

    def _engine(self, *, poolclass: type[sa.Pool] | None = None) -> sa.Engine:
        return sa.create_engine(
            self._url, hide_parameters=True, connect_args={"options": self._options}, poolclass=poolclass
        )

    @staticmethod
    def _reading(engine: sa.Engine, /) -> sa.Engine:
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @property
    def keys_in_tables(self) -> bool:
        """True: subject keys live in a table."""
        return True

    @contextmanager
    def _connected(self, engine: sa.Engine) -> Iterator[sa.Connection]:
        """Lend a connection; what is not committed when the block ends is rolled back."""
        if self._closed:
            raise TransactionEnded
        with self._loans.lent():
            connection = guarded(engine.connect)
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def _view(self, engine: sa.Engine) -> Iterator[SqlTransaction]:
        with self._connected(engine) as connection:
            yield SqlTransaction(Session(connection, writable=False))

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        self._loans.check()
        with self._threads.held(), self._connected(self._writer) as connection:
            guarded(lambda: connection.execute(_WAIT, {"lock": _WRITER}))
            yield connection
            guarded(connection.commit)

    def prepare(self) -> None:
        """Bring the schema to what this code expects.

        Raises:
            Fault: the server cannot be reached, or the schema is newer.
        """
        with self._changing() as connection:
            bring_up_to_date(connection, alone=False)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Open a consistent view, fixed at its first query. A write through it raises."""
        with self._view(self._readers) as tx:
            yield tx

    @contextmanager
    def fresh(self) -> Iterator[Transaction]:
        """Like `read`, over a connection opened for this and closed after it."""
        with self._view(self._fresh) as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open the one write transaction: advisory lock, then the statements.

        Raises:
            WriteNested: this thread has one open.
            StoreBusy: another writer did not finish in time.
        """
        with self._changing() as connection:
            yield SqlTransaction(Session(connection, writable=True))

    def settle(self) -> bool:
        """Return false: the server's log is not ours to empty, and it keeps what was in it."""
        return False

    def compact(self) -> None:
        """Rewrite our tables without their free space (`VACUUM FULL`), one after another."""
        with self._connected(self._alone.execution_options(isolation_level="AUTOCOMMIT")) as connection:
            for table in metadata.sorted_tables:
                guarded(partial(connection.exec_driver_sql, f'VACUUM (FULL) "{table.name}"'))

    def size(self) -> int:
        """Return the bytes of our tables and indexes."""
        with self._connected(self._alone) as connection:
            return int(guarded(lambda: connection.execute(_SIZE, {"names": list(metadata.tables)}).scalar_one()))

    def close(self) -> None:
        """Close every idle connection. Quiet when done before, and in a forked child."""
        self._closed = True
        if not self._loans.foreign:
            self._rest()

    def _rest(self) -> None:
        self._writer.dispose()
        self._alone.dispose()


def _url(address: sa.URL | str, /) -> sa.URL:
    """Read an address. What the reader complains about may hold a part of the password, so it is not attached.

    Raises:
        AddressUnreadable: it is not a URL, or not one of PostgreSQL.
    """
    try:
        url = sa.make_url(address)
    except (ValueError, sa.exc.ArgumentError):
        url = None
    if url is None or url.get_backend_name() not in {"postgresql", "postgres"}:
        raise AddressUnreadable
    return url


def open_postgres(address: sa.URL | str, /, *, seconds: int = LOCK_SECONDS) -> PostgresStore:
    """Open a database, its tables made and upgraded when needed.

    Args:
        address: `postgresql://user:password@host:port/name`; the database must exist.
        seconds: how long a writer waits for another one.

    Raises:
        Fault: the address is unreadable, the driver missing, the server out of reach, or the schema newer.
    """
    url = _url(address)
    try:
        store = PostgresStore(url, seconds=seconds)
    except ModuleNotFoundError:
        store = None
    if store is None:
        raise DriverMissing
    try:
        store.prepare()
    except BaseException:
        store.close()
        raise
    return store
