"""Column types: how values of the model look in the database, the same in SQLite and PostgreSQL.

Ids are 16 raw bytes, times whole microseconds since 1970 (UTC), days ordinals of `datetime.date`. Numbers in rows that
hold keys are fixed-size bytes: SQLite stores an integer in as few bytes as it needs, so a counter that rises would make
the row longer and move it, and a moved row leaves its old bytes behind.
"""

from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from oblio.model.ids import ID_BYTES, raw

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Id(TypeDecorator[str]):
    """An id of 32 hexadecimal digits as 16 raw bytes."""

    impl = sa.LargeBinary
    cache_ok = True

    def __init__(self) -> None:
        super().__init__(ID_BYTES)

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> bytes | None:
        """Return the raw bytes.

        Raises:
            ValueError: not an id.
        """
        return None if value is None else raw(value)

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> str | None:  # noqa: ANN401 -- given by the base
        """Return the written form."""
        return None if value is None else bytes(value).hex()


class Moment(TypeDecorator[datetime]):
    """An aware time as microseconds since 1970, UTC."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:
        """Return whole microseconds.

        Raises:
            TypeError: the time is naive.
        """
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ANN401 -- given by the base
        """Return an aware time, UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=value)


class Day(TypeDecorator[date]):
    """A day as its ordinal."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: sa.Dialect) -> int | None:
        """Return the ordinal."""
        return None if value is None else value.toordinal()

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> date | None:  # noqa: ANN401 -- given by the base
        """Return the day."""
        return None if value is None else date.fromordinal(value)


class Choice(TypeDecorator[StrEnum]):
    """A value of a closed list as its public token."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, choices: type[StrEnum], /) -> None:
        super().__init__()
        self.choices = choices

    def process_bind_param(self, value: StrEnum | None, dialect: sa.Dialect) -> str | None:
        """Return the token."""
        return None if value is None else self.choices(value).value

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> StrEnum | None:  # noqa: ANN401 -- given by the base
        """Return the member."""
        return None if value is None else self.choices(value)


class Token(TypeDecorator[str]):
    """A short name chosen by an operator or by us: never text of a person."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Return the name.

        Raises:
            ValueError: it has a zero character, which PostgreSQL cannot keep, or half of a character.
        """
        if value is not None and (b"\0" in value.encode()):
            message = "a token holds a zero character"
            raise ValueError(message)
        return value


class Opaque(TypeDecorator[str]):
    """A string of any characters, zero and unpaired surrogates included, as bytes."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> bytes | None:
        """Return the bytes."""
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> str | None:  # noqa: ANN401 -- given by the base
        """Return the string."""
        return None if value is None else bytes(value).decode("utf-8", "surrogatepass")


class Fixed(TypeDecorator[int]):
    """A whole number from 0 on as 8 bytes, big-endian, so that order is kept and no row changes size."""

    impl = sa.LargeBinary
    cache_ok = True

    def __init__(self) -> None:
        super().__init__(8)

    def process_bind_param(self, value: int | None, dialect: sa.Dialect) -> bytes | None:
        """Return 8 bytes.

        Raises:
            OverflowError: the number is negative or does not fit.
        """
        return None if value is None else value.to_bytes(8, "big")

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> int | None:  # noqa: ANN401 -- given by the base
        """Return the number."""
        return None if value is None else int.from_bytes(bytes(value), "big")
