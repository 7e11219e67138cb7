"""One open transaction for the repositories: runs statements, batches lists, turns errors into ours."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler

from oblio.errors.storage import ReadOnlyTransaction, StoreFailed
from oblio.storage.translate import fault_of

BATCH: Final = 500
"""The most values in one `IN` list."""

Values = Mapping[str, object]
NOTHING: Final[Values] = MappingProxyType({})
_T = TypeVar("_T")


def batches(values: Iterable[_T], /) -> Iterator[list[_T]]:
    """Yield the distinct values in lists of at most `BATCH`, first seen first; an empty input yields nothing."""
    rest = iter(dict.fromkeys(values))
    while batch := list(islice(rest, BATCH)):
        yield batch


def guarded(act: Callable[[], _T], /) -> _T:
    """Return what `act` returns.

    Raises:
        Fault: the database failed; the driver's own exception is not attached.
    """
    try:
        return act()
    except sa.exc.SQLAlchemyError as error:
        fault = fault_of(error)
    raise fault


class _Many:
    """A statement as the driver takes it, for many rows: SQLAlchemy's own way costs more than the rows do."""

    __slots__ = ("_named", "_order", "text")

    def __init__(self, statement: sa.ClauseElement, names: Sequence[str], dialect: sa.Dialect) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=names)
        if not isinstance(compiled, SQLCompiler):
            raise StoreFailed(report="NO_STATEMENT")
        self.text = compiled.string
        self._named = not compiled.positional
        self._order = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or compiled.binds
        ]

    def values(self, row: Values, /) -> Any:  # noqa: ANN401 -- a tuple or a mapping, as the driver wants it
        """Return the values of one row as the driver takes them."""
        found = [row[name] if convert is None else convert(row[name]) for name, convert in self._order]
        return dict(zip([name for name, _ in self._order], found, strict=True)) if self._named else tuple(found)


@lru_cache(maxsize=128)
def _many(statement: sa.ClauseElement, names: tuple[str, ...], dialect: sa.Dialect, /) -> _Many:
    return _Many(statement, names, dialect)


class Session:
    """A connection inside one transaction.

    Args:
        connection: in a transaction that somebody else ends.
        writable: false refuses every change before it reaches the database.
    """

    __slots__ = ("_connection", "_writable")

    def __init__(self, connection: sa.Connection, /, *, writable: bool) -> None:
        self._connection = connection
        self._writable = writable

    def rows(self, statement: sa.Executable, values: Values | None = None, /) -> Sequence[sa.Row[Any]]:
        """Return every row of a query."""
        return guarded(lambda: self._connection.execute(statement, values).all())

    def first(self, statement: sa.Executable, values: Values | None = None, /) -> sa.Row[Any] | None:
        """Return the first row of a query."""
        return guarded(lambda: self._connection.execute(statement, values).first())

    def number(self, statement: sa.Executable, values: Values | None = None, /) -> int | None:
        """Return the one number that a query asks for."""
        return guarded(lambda: self._connection.execute(statement, values).scalar())

    def among(
        self, statement: sa.Executable, values: Iterable[object], also: Values = NOTHING, /
    ) -> Iterator[sa.Row[Any]]:
        """Yield the rows of a query with an expanding parameter `among`, batch by batch."""
        for batch in batches(values):
            yield from self.rows(statement, {**also, "among": batch})

    def change(self, statement: sa.Executable, values: Values | None = None, /) -> int:
        """Run one statement that writes. Return how many rows it touched.

        Raises:
            ReadOnlyTransaction: this is a read transaction.
        """
        if not self._writable:
            raise ReadOnlyTransaction
        return guarded(lambda: self._connection.execute(statement, values).rowcount)

    def change_many(self, statement: sa.ClauseElement, rows: Sequence[Values], /) -> int:
        """Run one statement for each row; no row, no statement. Return how many rows they touched.

        Raises:
            ReadOnlyTransaction: this is a read transaction.
        """
        if not self._writable:
            raise ReadOnlyTransaction
        if not rows:
            return 0
        many = _many(statement, tuple(rows[0]), self._connection.dialect)
        values = [many.values(row) for row in rows]
        return guarded(lambda: self._connection.exec_driver_sql(many.text, values).rowcount)

    def change_among(self, statement: sa.Executable, values: Iterable[object], also: Values = NOTHING, /) -> int:
        """Run a writing statement with an expanding parameter `among`, batch by batch. Return the rows touched.

        An empty list touches nothing (rule X10).
        """
        return sum(self.change(statement, {**also, "among": batch}) for batch in batches(values))


def among(column: sa.Column[Any], /) -> sa.ColumnElement[bool]:
    """Return the condition that a column is one of the expanding parameter `among`."""
    return column.in_(sa.bindparam("among", expanding=True, type_=column.type))


def is_(column: sa.Column[Any], name: str | None = None, /) -> sa.ColumnElement[bool]:
    """Return the condition that a column equals the parameter of its name, or of `name`."""
    return column == sa.bindparam(name or column.name, type_=column.type)
