"""A migrated database equals a fresh one, and one of a newer version is refused."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from oblio.errors.storage import ForeignDatabase, SchemaNewer
from oblio.storage.schema import REVISIONS
from oblio.storage.sqlite import open_sqlite
from oblio.storage.upgrade import scripts, upgrade


def layout(path: Path) -> list[tuple[str, ...]]:
    """Return everything that the schema of a file says, without white space."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    finally:
        connection.close()
    return sorted((kind, name, table, "".join(text.split())) for kind, name, table, text in rows)


def migrated(path: Path) -> None:
    """Make a database by migrations alone."""
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection)
    engine.dispose()


def test_a_migrated_database_equals_a_fresh_one(tmp_path: Path) -> None:
    migrated(tmp_path / "old.db")
    open_sqlite(tmp_path / "new.db").close()
    assert layout(tmp_path / "old.db") == layout(tmp_path / "new.db")
    assert len(layout(tmp_path / "new.db")) > 50


def test_the_revisions_known_to_the_code_are_the_migrations_in_their_order() -> None:
    chain = [script.revision for script in scripts().walk_revisions()]
    assert tuple(reversed(chain)) == REVISIONS


def test_an_older_database_is_upgraded_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE oblio_schema (version_num VARCHAR(32) NOT NULL,"
        " CONSTRAINT oblio_schema_pkc PRIMARY KEY (version_num))"
    )
    connection.close()
    store = open_sqlite(path)
    with store.write() as tx:
        assert tx.holders.free_slot() == 0
    store.close()
    open_sqlite(tmp_path / "new.db").close()
    assert layout(path) == layout(tmp_path / "new.db")


def test_a_newer_database_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    open_sqlite(path).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE oblio_schema SET version_num = '9999'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaNewer):
        open_sqlite(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (body TEXT)")
    connection.close()
    with pytest.raises(ForeignDatabase):
        open_sqlite(path)
    assert [row[1] for row in layout(path)] == ["notes"]


def test_opening_an_up_to_date_database_does_not_load_alembic(tmp_path: Path) -> None:
    script = (
        "import sys; from oblio.storage.sqlite import open_sqlite; "
        "[open_sqlite(sys.argv[1]).close() for _ in range(2)]; print('alembic' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "agent.db")], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False"]
