"""Which SQLite build a store runs on, and what that build does by itself."""

import importlib
import sqlite3
from contextlib import closing
from types import ModuleType

from oblio.settings import Settings


def sqlite_module(settings: Settings, /) -> ModuleType:
    """Return the DBAPI module that the settings name."""
    return sqlite3 if settings.sqlite_module == "sqlite3" else importlib.import_module("pysqlite3.dbapi2")


def overwrites_by_default(module: ModuleType, /) -> bool:
    """Say whether this build overwrites what it deletes even when nobody tells it to. Oblio always does."""
    with closing(module.connect(":memory:")) as connection:
        return bool(connection.execute("PRAGMA secure_delete").fetchone()[0])
