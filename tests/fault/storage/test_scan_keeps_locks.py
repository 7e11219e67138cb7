"""Looking at the bytes of an open database must not make other processes believe that nobody uses it."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from oblio.storage import scan
from oblio.storage.scan import FileResidue

NEEDLE = b"a needle of some length"

COME_AND_GO = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM t").fetchone()
connection.close()
"""


def come_and_go(path: Path) -> None:
    """Let another process open and close the database; the last one that closes it removes the log."""
    subprocess.run([sys.executable, "-c", COME_AND_GO, str(path)], check=True, timeout=60)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    found = tmp_path / "agent.db"
    with closing(sqlite3.connect(found, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (body BLOB)")
        connection.execute("INSERT INTO t VALUES (?)", (NEEDLE,))
        yield found


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def test_after_a_scan_the_log_survives_another_process(path: Path) -> None:
    residue = FileResidue(lambda: [path, log_of(path), path.with_name(f"{path.name}-shm")])
    assert residue.found([NEEDLE, b"not in any file"]) == {0}
    come_and_go(path)
    assert log_of(path).exists()


def test_a_system_without_its_small_programs_is_searched_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "which", lambda _name, path: None if path else "")
    assert FileResidue(lambda: [path, log_of(path)]).found([NEEDLE, b"not in any file"]) == {0}
    come_and_go(path)
    assert log_of(path).exists()


def test_opening_the_file_in_this_process_would_lose_the_log(path: Path) -> None:
    path.read_bytes()
    come_and_go(path)
    assert not log_of(path).exists()
