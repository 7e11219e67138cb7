"""Between rows of tables and frozen values of the model: columns and fields have the same names."""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _T = TypeVar("_T", bound=DataclassInstance)


@cache
def _names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


def values_of(row: "DataclassInstance", /) -> dict[str, object]:
    """Return the fields of a value by name, without `seq`, which the database gives."""
    return {name: getattr(row, name) for name in _names(type(row)) if name != "seq"}


def columns_of(table: sa.Table, kind: "type[DataclassInstance]", /) -> list[sa.Column[Any]]:
    """Return the columns that a value of `kind` is made of, in the order of its fields."""
    return [table.c[name] for name in _names(kind)]


def value_of(kind: "type[_T]", row: sa.Row[Any], /) -> "_T":
    """Return the value that a row of `columns_of` holds."""
    return kind(**dict(zip(_names(kind), row, strict=True)))
