"""A fork: the child gets a fault or a store of its own, never the parent's connections and locks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from oblio.errors.storage import StoreForked
from oblio.model.ids import UnitId
from oblio.storage.locks import FileExclusive
from oblio.storage.sqlite import SqliteStore, open_sqlite

FINE, FORKED, OTHER = 0, 3, 4

TRY = """
import sys
from pathlib import Path
from oblio.model.ids import UnitId
from oblio.storage.locks import FileExclusive
with FileExclusive(Path(sys.argv[1])).hold(wait=False) as taken:
    print(taken)
"""


def in_child(act: Callable[[], object]) -> int:
    """Run something in a forked child; return how it ended."""
    child = os.fork()
    if not child:
        code = OTHER
        try:
            act()
            code = FINE
        except StoreForked:
            code = FORKED
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def free(lock: Path) -> bool:
    """Say whether another program can take a lock now."""
    found = subprocess.run([sys.executable, "-c", TRY, str(lock)], capture_output=True, text=True, check=True)
    return found.stdout == "True\n"


def numbers_of_open_files() -> set[int]:
    """Return the numbers of the files that this process has open."""
    found = set()
    for descriptor in range(3, 256):
        with suppress(OSError):
            found.add(os.fstat(descriptor).st_ino)
    return found


def raising(kind: type[Exception], *, when: bool) -> None:
    """Raise where something is so."""
    if when:
        raise kind


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store whose connections are open and idle."""
    with closing(open_sqlite(path)) as made:
        written(made, "11" * 16)
        assert read(made) == 1
        yield made


def written(store: SqliteStore, unit: str) -> None:
    with store.write() as tx:
        tx.contents.add(UnitId(unit), b"x")


def read(store: SqliteStore) -> int:
    units = [UnitId(f"{number}{number}" * 16) for number in range(1, 10)]
    with store.read() as tx:
        return len(tx.contents.get(units))


def test_the_parents_handle_is_refused_in_the_child_and_goes_on_in_the_parent(store: SqliteStore) -> None:
    acts: list[Callable[[], object]] = [
        lambda: read(store),
        lambda: written(store, "22" * 16),
        store.settle,
        store.compact,
        store.prepare,
    ]
    assert [in_child(act) for act in acts] == [FORKED] * len(acts)
    written(store, "33" * 16)
    assert read(store) == 2


def test_closing_the_parents_handle_in_the_child_touches_nothing(store: SqliteStore, path: Path) -> None:
    written(store, "22" * 16)
    log = path.with_name("agent.db-wal")
    with store.read() as tx:
        assert tx.holders.free_slot() == 0
        before = log.read_bytes()
        assert in_child(store.close) == FINE
        assert log.read_bytes() == before
    assert read(store) == 2


def test_a_child_opens_the_store_anew_and_both_write(store: SqliteStore, path: Path) -> None:
    def child() -> None:
        with closing(open_sqlite(path)) as own:
            written(own, "22" * 16)

    assert in_child(child) == FINE
    written(store, "33" * 16)
    assert read(store) == 3


def test_no_connection_is_open_while_a_process_forks(store: SqliteStore, path: Path) -> None:
    assert path.stat().st_ino in numbers_of_open_files()
    assert in_child(lambda: raising(StoreForked, when=path.stat().st_ino in numbers_of_open_files())) == FINE
    assert read(store) == 1


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_file_in_use_at_the_fork_cannot_be_opened_by_the_child(store: SqliteStore, path: Path, kind: str) -> None:
    other = path.with_name("other.db")
    using = store.read if kind == "read" else store.write
    with using() as tx:
        assert tx.holders.free_slot() == 0
        assert in_child(lambda: open_sqlite(path)) == FORKED
        assert in_child(lambda: read(store)) == FORKED
        assert in_child(lambda: open_sqlite(other).close()) == FINE
    assert read(store) == 1


def test_a_transaction_of_another_thread_counts_as_use(store: SqliteStore, path: Path) -> None:
    inside, done = threading.Event(), threading.Event()

    def work() -> None:
        with store.write() as tx:
            tx.contents.add(UnitId("22" * 16), b"x")
            inside.set()
            done.wait(30)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(30)
    try:
        assert in_child(lambda: open_sqlite(path)) == FORKED
    finally:
        done.set()
        thread.join()
    assert read(store) == 2


def test_a_lock_ends_with_the_parent_though_a_child_lives_on(path: Path) -> None:
    lock = path.with_name("agent.db-engine")
    with FileExclusive(lock).hold(wait=False) as taken:
        assert taken
        begin, end = os.pipe()
        child = os.fork()
        if not child:
            os.close(end)
            os.read(begin, 1)  # until the parent closes its end
            os._exit(FINE)
        assert not free(lock)
    assert free(lock)
    os.close(end)
    os.close(begin)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == FINE


def test_a_child_that_leaves_the_block_of_a_lock_does_not_free_it(path: Path) -> None:
    lock = path.with_name("agent.db-engine")
    with ExitStack() as held:
        assert held.enter_context(FileExclusive(lock).hold(wait=False))
        assert in_child(held.close) == FINE
        assert not free(lock)
    assert free(lock)
