"""Many processes and a reader in the way: nothing is lost, and a log that was not emptied is not called empty."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from oblio.errors.storage import StoreBusy, WriteNested
from oblio.model.ids import UnitId
from oblio.storage.locks import FileExclusive, WriterLock
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.testing import rows

UNIT_ONE, UNIT_TWO = UnitId("11" * 16), UnitId("22" * 16)

COUNT = """
import sys
from dataclasses import replace
from oblio.storage.sqlite import open_sqlite
store = open_sqlite(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with store.write() as tx:
        row = tx.singletons.vault()
        tx.singletons.put_vault(replace(row, counter=row.counter + 1))
store.close()
"""

HOLD = """
import sys
from pathlib import Path
from oblio.storage.locks import FileExclusive
with FileExclusive(Path(sys.argv[1])).hold(wait=True) as taken:
    print(taken, flush=True)
    sys.stdin.read()
"""

DIE = """
import os, signal, sys
from oblio.storage.sqlite import open_sqlite
store = open_sqlite(sys.argv[1])
with store.write() as tx:
    tx.contents.add("11" * 16, b"committed")
with store.write() as tx:
    tx.contents.add("22" * 16, b"lost")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def python(script: str, *arguments: str) -> subprocess.Popen[str]:
    """Start another process that runs a script."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@contextmanager
def holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds a lock file until the block ends."""
    with python(HOLD, str(path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


@pytest.mark.slow
def test_three_processes_and_this_one_count_without_losing_any(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with closing(open_sqlite(path)) as store:
        with store.write() as tx:
            tx.singletons.create(rows.store_row(), rows.vault_row())
        others = [python(COUNT, str(path), "40") for _ in range(3)]
        for _ in range(40):
            with store.write() as tx:
                row = tx.singletons.vault()
                tx.singletons.put_vault(replace(row, counter=row.counter + 1))
        for other in others:
            with other:
                assert other.wait(timeout=120) == 0
        with store.fresh() as tx:
            assert tx.singletons.vault().counter == 160


def test_many_threads_that_open_a_new_store_at_once_make_it_once(tmp_path: Path) -> None:
    start = threading.Barrier(6, timeout=30)

    def opened(_: int) -> SqliteStore:
        start.wait()
        return open_sqlite(tmp_path / "agent.db")

    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(opened, range(6)))
    unit = rows.unit_id()
    with stores[0].write() as tx:
        tx.contents.add(unit, b"x")
    for store in stores:
        with store.read() as tx:
            assert tx.contents.get([unit]) == {unit: b"x"}
        store.close()
    assert not path_of_log(tmp_path).exists()


def path_of_log(folder: Path) -> Path:
    """Return where SQLite keeps its log."""
    return folder / "agent.db-wal"


@pytest.mark.slow
def test_a_process_that_is_killed_in_a_write_loses_that_write_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with python(DIE, str(path)) as process:
        assert process.wait(timeout=60) == -signal.SIGKILL
    with closing(open_sqlite(path, seconds=5)) as store:
        units = [UNIT_ONE, UNIT_TWO]
        with store.write() as tx:
            assert tx.contents.get(units) == {UNIT_ONE: b"committed"}
        assert store.settle()


def test_a_reader_in_the_way_makes_settling_say_no_and_when_it_is_gone_yes(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with closing(open_sqlite(path)) as store, closing(open_sqlite(path)) as other:
        with other.read() as tx:
            assert tx.holders.free_slot() == 0
            with store.write() as writing:
                writing.contents.add(rows.unit_id(), b"x" * 10_000)
            assert not store.settle()
            assert path_of_log(tmp_path).stat().st_size > 10_000
        assert store.settle()
        assert path_of_log(tmp_path).stat().st_size == 0


def test_settling_inside_a_write_of_the_same_thread_is_refused(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path / "agent.db")) as store, store.write(), pytest.raises(WriteNested):
        store.settle()


def test_the_files_are_private_and_the_log_is_gone_after_a_clean_close(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path / "agent.db")) as store, store.write() as tx:
        tx.contents.add(rows.unit_id(), b"x")
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    assert {path.name for path in tmp_path.iterdir()} == {"agent.db", "agent.db-lock"}
    assert set(tmp_path.iterdir()) <= set(store.files)


def test_the_engine_lock_is_held_by_one_process_and_freed_by_its_death(tmp_path: Path) -> None:
    lock = FileExclusive(tmp_path / "agent.db-engine")
    with holding(tmp_path / "agent.db-engine") as process:
        with lock.hold(wait=False) as taken:
            assert not taken
        process.kill()
        with lock.hold(wait=True) as taken:
            assert taken


def test_the_engine_lock_excludes_a_second_worker_of_the_same_process(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path / "agent.db")) as store, store.engine_lock.hold(wait=False) as taken:
        assert taken
        with store.engine_lock.hold(wait=False) as again:
            assert not again


@pytest.mark.parametrize("seconds", [0, 1])
def test_who_waits_for_the_engine_lock_gives_up_in_time_and_leaves_it_to_the_next(tmp_path: Path, seconds: int) -> None:
    path = tmp_path / "agent.db-engine"
    with holding(path), FileExclusive(path, seconds=seconds).hold(wait=True) as taken:
        assert not taken
    with FileExclusive(path, seconds=30).hold(wait=True) as taken:
        assert taken


def test_a_writer_that_gave_up_leaves_the_lock_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "agent.db-lock"
    hasty = WriterLock(path, seconds=0)
    with FileExclusive(path).hold(wait=True), pytest.raises(StoreBusy), hasty.held():
        pass
    with WriterLock(path, seconds=30).held():
        pass


def test_a_waiting_writer_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "agent.db-lock"
    waiting, done = WriterLock(path, seconds=30), threading.Event()

    def wait() -> None:
        with waiting.held():
            done.set()

    with FileExclusive(path).hold(wait=True):
        thread = threading.Thread(target=wait)
        thread.start()
        assert not done.wait(0.05)
    assert done.wait(30)
    thread.join(30)
