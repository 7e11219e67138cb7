"""The store in one SQLite file.

Readers and the writer have connections of their own: a reader's is `query_only`. Writers queue at a lock file before
they begin: SQLite itself lets them try again after pauses, and one that has bad luck each time starves for seconds.
Nothing reaches a temporary file (`temp_store=MEMORY`), and what is deleted is overwritten (`secure_delete=ON`).
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

import sqlalchemy as sa
from sqlalchemy.pool import NullPool, QueuePool

from oblio.errors.storage import StoreFailed, TransactionEnded
from oblio.ports.store import Transaction
from oblio.storage.loans import Loans
from oblio.storage.locks import FileExclusive, WriterLock, private_file
from oblio.storage.revision import bring_up_to_date, is_current
from oblio.storage.session import Session, guarded
from oblio.storage.transaction import SqlTransaction
from oblio.storage.translate import LOCK_SECONDS

SIDE_FILES: Final = ("-wal", "-shm", "-journal")
"""What SQLite may keep beside the database."""

LOCK_FILES: Final = ("-lock", "-engine")
"""What we keep beside it: the writer's lock and the engine's. Both stay empty."""

_PRAGMAS: Final = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",
    "PRAGMA foreign_keys=ON",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA trusted_schema=OFF",
)
_IDLE_READERS: Final = 8
_SETTLE_MILLISECONDS: Final = 1_000


class SqliteStore:
    """`Store` in one SQLite file.

    Args:
        path: of the database; it need not exist.
        module: the DBAPI module to use instead of the standard library's.
        seconds: how long a writer waits for another one.
    """

    def __init__(self, path: Path, /, *, module: ModuleType = sqlite3, seconds: int = LOCK_SECONDS) -> None:
        self._path = path
        self._module = module
        self._closed = False
        self._loans = Loans(self._rest, path=path)
        self._lock = WriterLock(path.with_name(f"{path.name}-lock"), seconds=seconds)
        self._readers = self._engine(QueuePool, writable=False, pool_size=_IDLE_READERS, max_overflow=-1)
        self._fresh = self._engine(NullPool, writable=False)
        self._writer = self._engine(QueuePool, writable=True, pool_size=1, max_overflow=0)
        self.engine_lock: Final = FileExclusive(path.with_name(f"{path.name}-engine"))
        """Held by the one worker that runs engine, sweep, scan and rotation."""

    @property
    def keys_in_tables(self) -> bool:
        """False: subject keys live in a slot file."""
        return False

    @property
    def files(self) -> Sequence[Path]:
        """Every file that may hold data, whether it exists now or not."""
        return [self._path, *(self._path.with_name(f"{self._path.name}{end}") for end in SIDE_FILES + LOCK_FILES)]

    def _engine(self, pool: type[sa.Pool], *, writable: bool, **options: int) -> sa.Engine:
        engine = sa.create_engine(
            sa.URL.create("sqlite", database=str(self._path)),
            module=self._module,
            poolclass=pool,
            hide_parameters=True,
            connect_args={"isolation_level": None, "check_same_thread": False},
            **options,
        )

        def prepare(connection: sqlite3.Connection, _record: object) -> None:
            with closing(connection.cursor()) as cursor:
                for pragma in (*_PRAGMAS, f"PRAGMA query_only={'OFF' if writable else 'ON'}"):
                    cursor.execute(pragma)

        sa.event.listen(engine, "connect", prepare)
        return engine

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
    def _alone(self) -> Iterator[sa.Connection]:
        """Lend the writer's connection, under the lock of all writers."""
        self._loans.check()
        with self._lock.held(), self._connected(self._writer) as connection:
            yield connection

    @contextmanager
    def _view(self, engine: sa.Engine) -> Iterator[SqlTransaction]:
        with self._connected(engine) as connection:
            guarded(lambda: connection.exec_driver_sql("BEGIN"))
            yield SqlTransaction(Session(connection, writable=False))

    @contextmanager
    def _changing(self) -> Iterator[sa.Connection]:
        with self._alone() as connection:
            guarded(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))
            yield connection
            guarded(connection.commit)

    def prepare(self) -> None:
        """Bring file and schema to what this code expects; quick when they are.

        Raises:
            Fault: the file is not a database, damaged, foreign, newer, or cannot be written.
        """
        self._loans.check()
        if self._path.exists():
            with self._connected(self._readers) as connection:
                if is_current(connection):
                    return
        with self._lock.held():
            if not self._path.exists():  # closing a file that is a database here would drop SQLite's locks on it
                os.close(private_file(self._path))
            with self._connected(self._writer) as connection:
                mode = guarded(lambda: connection.exec_driver_sql("PRAGMA journal_mode=WAL").scalar())
        if mode != "wal":
            raise StoreFailed(report="NO_WAL")
        with self._changing() as connection:
            bring_up_to_date(connection, alone=True)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Open a consistent view, fixed at its first query. A write through it raises.

        Raises:
            Fault: the database failed.
        """
        with self._view(self._readers) as tx:
            yield tx

    @contextmanager
    def fresh(self) -> Iterator[Transaction]:
        """Like `read`, over a connection opened for this and closed after it."""
        with self._view(self._fresh) as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open the one write transaction: lock file, then `BEGIN IMMEDIATE`.

        Raises:
            WriteNested: this thread has one open.
            StoreBusy: another writer did not finish in time.
        """
        with self._changing() as connection:
            yield SqlTransaction(Session(connection, writable=True))

    def settle(self) -> bool:
        """Write the log back and cut it to nothing. Return false when a reader kept that from happening.

        Waits up to a second for readers. A result with `busy` is a log that still holds data (rule X14).
        """
        with self._alone() as connection:
            guarded(lambda: connection.exec_driver_sql(f"PRAGMA busy_timeout={_SETTLE_MILLISECONDS}"))
            try:
                row = guarded(lambda: connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one())
            finally:
                guarded(lambda: connection.exec_driver_sql(_PRAGMAS[0]))
        return bool(row[0] == 0)

    def compact(self) -> None:
        """Rewrite the file without its free space, then write the log back."""
        with self._alone() as connection:
            guarded(lambda: connection.exec_driver_sql("VACUUM"))
        self.settle()

    def size(self) -> int:
        """Return the bytes of all data files."""
        return sum(size_of(path) for path in self.files)

    def close(self) -> None:
        """Close every idle connection; the last one writes the log back. Quiet when done, and in a forked child."""
        self._closed = True
        if not self._loans.foreign:
            self._rest()

    def _rest(self) -> None:
        for engine in (self._readers, self._fresh, self._writer):
            engine.dispose()


def size_of(path: Path, /) -> int:
    """Return the bytes of a file, 0 when there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def open_sqlite(path: Path | str, /, *, module: ModuleType = sqlite3, seconds: int = LOCK_SECONDS) -> SqliteStore:
    """Open a database, made and upgraded when needed.

    Args:
        path: of the database file; its folder must exist.
        module: the DBAPI module to use instead of the standard library's.
        seconds: how long a writer waits for another one.

    Raises:
        Fault: the file is not a database, damaged, foreign, newer, or cannot be written.
    """
    store = SqliteStore(Path(path), module=module, seconds=seconds)
    try:
        store.prepare()
    except BaseException:
        store.close()
        raise
    return store
