"""The inventory says something about every column that exists, and about none that does not."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from oblio.storage.inventory import NOBODY, TABLES, inventory, page
from oblio.storage.inventory_columns import COLUMNS
from oblio.storage.schema import metadata
from oblio.storage.sqlite import open_sqlite

ROOT = Path(__file__).parents[3]


def gaps(columns: Mapping[str, Mapping[str, str]], tables: sa.MetaData) -> set[str]:
    """Return `table.column` of everything that is declared but not there, or there but not declared."""
    declared = {f"{table}.{column}" for table, names in columns.items() for column in names}
    return declared ^ {f"{table.name}.{column.name}" for table in tables.sorted_tables for column in table.c}


def test_every_column_has_an_entry_and_every_entry_a_column() -> None:
    assert gaps(COLUMNS, metadata) == set()
    assert TABLES.keys() == COLUMNS.keys()


def test_an_undeclared_table_a_new_column_and_a_stale_entry_are_found() -> None:
    planted = sa.MetaData()
    sa.Table("items", planted, sa.Column("note", sa.Text))
    assert gaps({"items": {"gone": "x"}}, planted) == {"items.gone", "items.note"}


def test_a_database_on_disk_has_no_table_beside_the_inventory(tmp_path: Path) -> None:
    open_sqlite(tmp_path / "agent.db").close()
    with closing(sqlite3.connect(tmp_path / "agent.db")) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        found = {
            f"{name}.{row[1]}" for name in names for row in connection.execute(f"PRAGMA table_info({name})").fetchall()
        }
    assert names - {"sqlite_sequence"} == set(TABLES)
    assert {entry for entry in found if not entry.startswith("sqlite_sequence.")} == {
        f"{entry.table}.{entry.column}" for entry in inventory()
    }


def test_every_entry_is_filled_in_and_names_an_owner_that_exists() -> None:
    entries = list(inventory())
    assert len(entries) > 100
    for entry in entries:
        table = entry.of
        assert all(
            value.strip()
            for value in (entry.purpose, table.purpose, table.role, table.basis, table.deletion_class, table.erasure)
        )
        assert table.owner == NOBODY or table.owner in COLUMNS[entry.table]


@pytest.mark.parametrize("word", ["text", "email", "name", "content", "title"])
def test_no_clear_column_is_named_like_content(word: str) -> None:
    allowed = {"erasure_steps.name"}  # name of a step
    assert {f"{e.table}.{e.column}" for e in inventory() if e.column == word} <= allowed


def test_the_page_in_the_docs_is_made_from_the_inventory() -> None:
    made = (ROOT / "docs" / "data-inventory.md").read_text(encoding="utf-8")
    assert made == page(), "run tools/data_inventory.py"
