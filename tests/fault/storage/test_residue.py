"""After a delete and a settled log no byte of it is in any file, on a build that keeps deleted bytes by default."""

import os
import random
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pysqlite3.dbapi2 as upstream
import pytest

from oblio.model.ids import UnitId
from oblio.storage.scan import FileResidue
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.testing import rows

SHAPE = "CREATE TABLE t (seq INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, body BLOB NOT NULL)"
RANDOM_KEY = "CREATE TABLE t (id BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID"


@pytest.fixture(autouse=True)
def _the_build_keeps_deleted_bytes_by_default() -> None:
    with closing(upstream.connect(":memory:")) as connection:
        assert connection.execute("PRAGMA secure_delete").fetchone() == (0,)


def fill(store: SqliteStore, chance: random.Random, count: int) -> dict[str, list[bytes]]:
    """Write units of one person; return for each the bytes to look for."""
    owner, needles = rows.subject_id(), {}
    with store.write() as tx:
        for _ in range(count):
            unit, sealed = rows.unit_id(), chance.randbytes(chance.randint(40, 4_000))
            key = replace(rows.unit_key(unit, owner), wrapped=chance.randbytes(60))
            tx.contents.add(unit, sealed)
            tx.unit_keys.add([key])
            needles[unit] = [sealed[:12], sealed[-28:], key.wrapped]
    return {str(unit): found for unit, found in needles.items()}


def flat(needles: dict[str, list[bytes]], units: Sequence[str]) -> list[bytes]:
    """Return the needles of some units in one list."""
    return [needle for unit in units for needle in needles[unit]]


@pytest.mark.slow
def test_nothing_of_two_hundred_deleted_units_is_in_any_file(tmp_path: Path) -> None:
    chance = random.Random(17)
    store = open_sqlite(tmp_path / "agent.db", module=upstream)
    needles = fill(store, chance, 2_000)
    gone = chance.sample(sorted(needles), 200)
    kept = [unit for unit in needles if unit not in gone]
    residue = FileResidue(lambda: [tmp_path])
    assert len(residue.found(flat(needles, gone))) == 600  # a blind probe would prove nothing
    with store.write() as tx:
        ids = [UnitId(unit) for unit in gone]
        assert (tx.unit_keys.delete(ids), tx.contents.delete(ids)) == (200, 200)
    assert store.settle()
    assert residue.found(flat(needles, gone)) == frozenset()
    assert len(residue.found(flat(needles, kept))) == 3 * len(kept)
    store.close()
    assert residue.found(flat(needles, gone)) == frozenset()
    assert len(residue.found(flat(needles, kept))) == 3 * len(kept)


@pytest.mark.slow
def test_nothing_of_a_wrap_is_left_after_it_was_overwritten_many_times(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "agent.db", module=upstream)
    owner = rows.subject_id()
    with store.write() as tx:
        tx.unit_keys.add([rows.unit_key(rows.unit_id(), owner) for _ in range(1_000)])
    old: list[bytes] = []
    for key_no in (2, 200, 70_000, 2**33):
        with store.write() as tx:
            now = tx.unit_keys.of(owner, after=0, limit=2_000)
            old += [row.wrapped for row in now]
            tx.unit_keys.rewrap([replace(row, key_no=key_no, wrapped=os.urandom(60)) for row in now])
        assert store.settle()
    with store.read() as tx:
        now = tx.unit_keys.of(owner, after=0, limit=2_000)
    residue = FileResidue(lambda: store.files)
    assert residue.found(old) == frozenset()
    assert len(residue.found([row.wrapped for row in now])) == 1_000
    store.close()


def left(folder: Path, table: str, *, secure_delete: str) -> int:
    """Return how many of 200 deleted rows can be found in a database of a given shape."""
    chance = random.Random(0)
    rows_now = [(chance.randbytes(16), chance.randbytes(chance.randint(60, 900))) for _ in range(2_000)]
    needles: list[bytes] = []
    with closing(upstream.connect(str(folder / "control.db"), isolation_level=None)) as connection:
        for pragma in ("journal_mode=WAL", f"secure_delete={secure_delete}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(table)
        fresh = rows_now
        for _ in range(5):
            gone = chance.sample(rows_now, 40)
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO t (id, body) VALUES (?, ?)", fresh)
            connection.executemany("DELETE FROM t WHERE id = ?", [(key,) for key, _ in gone])
            connection.execute("COMMIT")
            needles += [body[:60] for _, body in gone]
            fresh = [(chance.randbytes(16), chance.randbytes(chance.randint(60, 900))) for _ in range(200)]
            rows_now = [row for row in rows_now if row not in gone]
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        return len(FileResidue(lambda: [folder]).found(needles))


def test_our_shape_keeps_nothing(tmp_path: Path) -> None:
    assert left(tmp_path, SHAPE, secure_delete="ON") == 0


def test_a_random_primary_key_keeps_deleted_bytes_in_spite_of_secure_delete(tmp_path: Path) -> None:
    assert left(tmp_path, RANDOM_KEY, secure_delete="ON") > 0


def test_without_secure_delete_our_shape_keeps_nearly_everything(tmp_path: Path) -> None:
    assert left(tmp_path, SHAPE, secure_delete="OFF") > 150


def test_compacting_removes_what_another_shape_left(tmp_path: Path) -> None:
    found = left(tmp_path, RANDOM_KEY, secure_delete="ON")
    assert found > 0
    with closing(upstream.connect(str(tmp_path / "control.db"), isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store = open_sqlite(tmp_path / "agent.db", module=upstream)
    needles = fill(store, random.Random(1), 20)
    store.compact()
    assert len(FileResidue(lambda: store.files).found(flat(needles, list(needles)))) == 60
    store.close()
