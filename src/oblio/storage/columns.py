"""Column types: how values of the model look in the database, the same in SQLite and PostgreSQL.

Ids are 16 raw bytes, times whole microseconds since 1970 (UTC), days ordinals of `datetime.date`. Numbers in rows that
hold keys are fixed-size bytes: SQLite stores an integer in as few bytes as it needs, so a counter that rises would make
the row longer and move it, and a moved row leaves its old bytes behind.

Each type names two functions that see no `None`; a listing of thousands of rows calls nothing else per value.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from oblio.model.ids import ID_BYTES, raw

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

Convert = Callable[[Any], Any]


def _sparing_none(convert: Convert, /) -> Convert:
    return lambda value: None if value is None else convert(value)


class Mapped(TypeDecorator[Any]):
    """A column whose values are converted by `write` on the way in and by `read` on the way out."""

    impl: sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]] = sa.LargeBinary
    cache_ok = True

    def write(self, value: Any, /) -> Any:  # noqa: ANN401 -- any value of the model
        """Return what the driver gets."""
        return value

    def reader(self) -> Convert:
        """Return the function that makes a value of the model from what the driver gives."""
        return lambda value: value

    def bind_processor(self, dialect: sa.Dialect) -> Convert:
        """Return `write`, which does not see `None`."""
        return _sparing_none(self.write)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Convert:
        """Return the reader, which does not see `None`."""
        return _sparing_none(self.reader())


class Id(Mapped):
    """An id of 32 hexadecimal digits as 16 raw bytes."""

    cache_ok = True

    def __init__(self) -> None:
        super().__init__(ID_BYTES)

    def write(self, value: str, /) -> bytes:
        """Return the raw bytes.

        Raises:
            ValueError: not an id.
        """
        return raw(value)

    def reader(self) -> Convert:
        """Return the function that writes an id."""
        return bytes.hex


class Moment(Mapped):
    """An aware time as microseconds since 1970, UTC."""

    impl = sa.BigInteger
    cache_ok = True

    def write(self, value: datetime, /) -> int:
        """Return whole microseconds.

        Raises:
            TypeError: the time is naive.
        """
        return (value - _EPOCH) // _MICROSECOND

    def reader(self) -> Convert:
        """Return the function that makes an aware time, UTC."""
        return lambda value: _EPOCH + timedelta(microseconds=value)


class Day(Mapped):
    """A day as its ordinal."""

    impl = sa.Integer
    cache_ok = True

    def write(self, value: date, /) -> int:
        """Return the ordinal."""
        return value.toordinal()

    def reader(self) -> Convert:
        """Return the function that makes a day."""
        return date.fromordinal


class Choice(Mapped):
    """A value of a closed list as its public token."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, choices: type[StrEnum], /) -> None:
        super().__init__()
        self.choices = choices

    def write(self, value: StrEnum, /) -> str:
        """Return the token.

        Raises:
            ValueError: not one of the list.
        """
        return self.choices(value).value

    def reader(self) -> Convert:
        """Return the function that finds the member."""
        return {member.value: member for member in self.choices}.__getitem__


class Token(Mapped):
    """A short name chosen by an operator or by us: never text of a person."""

    impl = sa.Text
    cache_ok = True

    def write(self, value: str, /) -> str:
        """Return the name.

        Raises:
            ValueError: it has a zero character, which PostgreSQL cannot keep, or half of a character.
        """
        if b"\0" in value.encode():
            message = "a token holds a zero character"
            raise ValueError(message)
        return str(value)


class Opaque(Mapped):
    """A string of any characters, zero and unpaired surrogates included, as bytes."""

    cache_ok = True

    def write(self, value: str, /) -> bytes:
        """Return the bytes."""
        return value.encode("utf-8", "surrogatepass")

    def reader(self) -> Convert:
        """Return the function that makes the string."""
        return lambda value: value.decode("utf-8", "surrogatepass")


class Fixed(Mapped):
    """A whole number from 0 on as 8 bytes, big-endian, so that order is kept and no row changes size."""

    cache_ok = True

    def __init__(self) -> None:
        super().__init__(8)

    def write(self, value: int, /) -> bytes:
        """Return 8 bytes.

        Raises:
            OverflowError: the number is negative or does not fit.
        """
        return value.to_bytes(8, "big")

    def reader(self) -> Convert:
        """Return the function that makes the number."""
        return lambda value: int.from_bytes(value, "big")
