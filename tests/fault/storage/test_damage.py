"""What is wrong with the place of a database is said as one of our errors, without a word of the driver's."""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from contextlib import closing
from pathlib import Path

import pytest

from oblio.errors.base import Fault
from oblio.errors.storage import (
    DatabaseCorrupt,
    DiskFull,
    NotADatabase,
    RowExists,
    StoreBusy,
    StoreNotWritable,
    TransactionEnded,
    ValueUnfit,
)
from oblio.model.ids import UnitId
from oblio.storage.sqlite import open_sqlite
from oblio.testing import rows

SECRET = "anna@example.org"


def shown(fault: Fault) -> str:
    """Return everything that a log could show of an error and of what it is chained to."""
    chain: list[BaseException] = []
    link: BaseException | None = fault
    while link is not None:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return "".join(f"{link!r} {link} {''.join(traceback.format_exception(link))}" for link in chain)


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    path.write_bytes(b"a letter to a friend, " * 500)
    before = path.read_bytes()
    with pytest.raises(NotADatabase):
        open_sqlite(path)
    assert path.read_bytes() == before


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    open_sqlite(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DatabaseCorrupt):
        open_sqlite(path)


def test_pages_of_noise_are_reported_as_damage_not_as_missing_rows(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    store = open_sqlite(path)
    units = [rows.unit_id() for _ in range(200)]
    with store.write() as tx:
        for unit in units:
            tx.contents.add(unit, os.urandom(500))
    store.close()
    whole = path.read_bytes()
    noise = random.Random(3).randbytes(60_000)
    path.write_bytes(whole[:-60_000] + noise)
    with closing(open_sqlite(path)) as store, pytest.raises(DatabaseCorrupt), store.read() as tx:
        tx.contents.get(units)


def as_nobody(act: str, folder: str) -> str:
    """Run a statement as a user without rights. Return the code of the error it raises."""
    script = (
        "import os, sys; from pathlib import Path; from oblio.errors.base import Fault\n"
        "from oblio.storage.scan import FileResidue; from oblio.storage.sqlite import open_sqlite\n"
        f"folder = Path(sys.argv[1]); os.setuid(65534)\ntry: {act}\nexcept Fault as fault: print(fault.code)"
    )
    run = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs a second user, which only root can become")
def test_what_this_user_may_not_write_or_read_is_said_to_be_so() -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        assert as_nobody("open_sqlite(folder / 'agent.db')", name) == "storage.not_writable"
        open_sqlite(Path(name) / "agent.db").close()
        assert as_nobody("open_sqlite(folder / 'agent.db')", name) == "storage.not_writable"
        assert as_nobody("FileResidue(lambda: [folder]).found([b'twelve bytes'])", name) == "storage.not_readable"


def test_a_folder_that_does_not_exist_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(StoreNotWritable):
        open_sqlite(tmp_path / "missing" / "agent.db")
    with pytest.raises(StoreNotWritable):
        open_sqlite(tmp_path)


def test_a_full_disk_loses_the_write_and_nothing_else(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "agent.db")
    kept, lost = rows.unit_id(), rows.unit_id()
    with store.write() as tx:
        tx.contents.add(kept, b"kept")
    with store._writer.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(DiskFull), store.write() as tx:
        tx.contents.add(lost, os.urandom(1_000_000))
    with store.read() as tx:
        assert tx.contents.get([kept, lost]) == {kept: b"kept"}
    with store.write() as tx:
        tx.contents.add(rows.unit_id(), b"small")
    store.close()


def test_a_writer_that_waits_too_long_gives_up_and_can_try_again(tmp_path: Path) -> None:
    with (
        closing(open_sqlite(tmp_path / "agent.db")) as one,
        closing(open_sqlite(tmp_path / "agent.db", seconds=0)) as two,
    ):
        with one.write(), pytest.raises(StoreBusy), two.write():
            pass
        with two.write() as tx:
            tx.contents.add(rows.unit_id(), b"x")


def test_a_program_that_ignores_the_lock_file_is_waited_for_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with closing(open_sqlite(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with store._writer.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=1")
        with pytest.raises(StoreBusy), store.write():
            pass
        other.execute("ROLLBACK")
        with store.write() as tx:
            tx.contents.add(rows.unit_id(), b"x")


def test_what_happened_is_said_without_values_sql_or_paths(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "agent.db")
    unit = rows.unit_id()
    with store.write() as tx:
        tx.contents.add(unit, SECRET.encode())
    with pytest.raises(RowExists) as twice, store.write() as tx:
        tx.contents.add(unit, SECRET.encode())
    with pytest.raises(ValueUnfit) as odd, store.write() as tx:
        tx.contents.get([UnitId(SECRET)])
    store.close()
    for caught in (twice, odd):
        everything = shown(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        for secret in (SECRET, unit, str(tmp_path), "IntegrityError", "StatementError"):
            assert secret not in everything
        for driver in ("INSERT", "SELECT", "UNIQUE", "contents", "sqlite"):
            assert driver not in f"{caught.value!r} {caught.value}"


def test_a_transaction_and_a_store_end(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "agent.db")
    with store.read() as tx:
        pass
    with pytest.raises(TransactionEnded):
        tx.contents.get([rows.unit_id()])
    store.close()
    with pytest.raises(TransactionEnded), store.read():
        pass
