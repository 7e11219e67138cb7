"""Between rows of tables and frozen values of the model: columns and fields have the same names."""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@cache
def _names(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.name != "seq")


def values_of(row: "DataclassInstance", /) -> Mapping[str, object]:
    """Return the fields of a value by name, without `seq`, which the database gives."""
    return {name: getattr(row, name) for name in _names(type(row))}


def columns_of(table: sa.Table, kind: "type[DataclassInstance]", /) -> list[sa.Column[Any]]:
    """Return the columns that a value of `kind` is made of."""
    return [table.c[f.name] for f in fields(kind)]
