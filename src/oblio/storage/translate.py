"""From what a driver raises to our errors, without a word of it: its texts hold SQL, values and file names."""

from collections.abc import Callable, Mapping
from typing import Final

import sqlalchemy as sa

from oblio.errors.base import Fault
from oblio.errors.storage import (
    DatabaseCorrupt,
    DiskFull,
    NotADatabase,
    ReadOnlyTransaction,
    RowExists,
    StoreBusy,
    StoreFailed,
    StoreNotWritable,
    StoreUnreachable,
    TransactionEnded,
    ValueUnfit,
)

LOCK_SECONDS: Final = 30
"""How long a writer waits for another one before it gives up."""

_SHORT_READ: Final = 522  # SQLITE_IOERR_SHORT_READ: the file ends before the page does
_PRIMARY: Final = 0xFF  # the low byte of an extended SQLite code is the primary one


def _busy() -> Fault:
    return StoreBusy(seconds=LOCK_SECONDS)


_SQLITE: Final[Mapping[int, Callable[[], Fault]]] = {
    5: _busy,
    6: _busy,
    8: StoreNotWritable,
    11: DatabaseCorrupt,
    13: DiskFull,
    14: StoreNotWritable,
    19: RowExists,
    26: NotADatabase,
    _SHORT_READ: DatabaseCorrupt,
}

_POSTGRES: Final[Mapping[str, Callable[[], Fault]]] = {
    "23505": RowExists,
    "25006": ReadOnlyTransaction,
    "53100": DiskFull,
    "55P03": _busy,
    "40P01": _busy,
    "XX001": DatabaseCorrupt,
    "XX002": DatabaseCorrupt,
}


def fault_of(error: BaseException, /) -> Fault:
    """Return our error for one of SQLAlchemy or of a driver. Raise it outside the `except` block.

    Inside the block Python would chain the original, and a chained exception carries its text into every traceback.
    """
    if isinstance(error, (sa.exc.ResourceClosedError, sa.exc.InvalidRequestError)):
        return TransactionEnded()
    origin = error.orig if isinstance(error, sa.exc.StatementError) else error
    if isinstance(origin, (ValueError, TypeError, OverflowError, AttributeError)):
        return ValueUnfit()
    code = getattr(origin, "sqlite_errorcode", None)
    if isinstance(code, int):
        made = _SQLITE.get(code) or _SQLITE.get(code & _PRIMARY)
        return made() if made else StoreFailed(report=str(getattr(origin, "sqlite_errorname", "SQLITE_ERROR")))
    return _postgres(error, origin)


def _postgres(error: BaseException, origin: BaseException | None) -> Fault:
    state = getattr(origin, "sqlstate", None)
    if isinstance(state, str) and not state.startswith(("08", "28", "57", "3D")):
        made = _POSTGRES.get(state)
        return made() if made else StoreFailed(report=f"SQLSTATE_{state}")
    if isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError)):
        return StoreUnreachable()
    if isinstance(error, (sa.exc.DataError, sa.exc.StatementError)):
        return ValueUnfit()
    return StoreFailed(report=type(origin).__name__)
