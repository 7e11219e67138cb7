"""Locks on files. The system releases them when their process dies, however it dies.

A forked child shares what was open, so a lock would live as long as the longest of both. It therefore closes every lock
file at once, and never unlocks what its parent holds; the parent gives locks back by name.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oblio.errors.storage import StoreBusy, StoreNotWritable, WriteNested

EXCLUSIVE_SECONDS: Final = 120
"""How long a worker waits for another one, such as an eraser for the one at work."""

_MODE: Final = 0o600


def private_file(path: Path, /) -> int:
    """Open a file that only this user may read, make it when it is missing. Return its descriptor.

    A lock on it belongs to this descriptor, so threads of one process exclude each other too.

    Raises:
        StoreNotWritable: the file cannot be made or opened.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
    except OSError:
        pass
    raise StoreNotWritable


class _LockFile:
    """A lock file that is open, by this process only."""

    def __init__(self, path: Path) -> None:
        self._descriptor = private_file(path)
        _OPEN.add(self)

    def locked(self) -> bool:
        """Lock it without waiting. Say whether that was possible."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(self) -> None:
        """Lock it, however long that takes."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def close(self) -> None:
        """Give the lock back and close. Quiet in a forked child, where it is closed already."""
        if self in _OPEN:
            _OPEN.discard(self)
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)

    def leave(self) -> None:
        """Close in a forked child; the lock stays with the parent."""
        os.close(self._descriptor)


_OPEN: Final[set[_LockFile]] = set()


def _forked() -> None:
    for file in list(_OPEN):
        file.leave()
    _OPEN.clear()


os.register_at_fork(after_in_child=_forked)


class _Waiter:
    """Waits for a file lock in a thread of its own, because the system offers no time limit for it."""

    def __init__(self, file: _LockFile) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._given_up = False
        threading.Thread(target=self._wait, name="oblio-lock", daemon=True).start()

    def _wait(self) -> None:
        self._file.wait()
        with self._guard:
            if self._given_up:
                self._file.close()
            else:
                self._done.set()

    def locked_within(self, seconds: float, /) -> bool:
        """Say whether the lock came in time. After false the file is closed by the thread."""
        if self._done.wait(seconds):
            return True
        with self._guard:
            self._given_up = not self._done.is_set()
            return not self._given_up


def _locked_within(path: Path, seconds: int, /) -> _LockFile | None:
    """Return a locked file, `None` when the lock did not come in time."""
    file = _LockFile(path)
    if file.locked():
        return file
    if seconds <= 0:
        file.close()
        return None
    return file if _Waiter(file).locked_within(seconds) else None


class ThreadLock:
    """One writer over the threads of this process, which notices a thread that would wait for itself.

    Args:
        seconds: how long to wait.
    """

    def __init__(self, *, seconds: int) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._owner: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            WriteNested: this thread holds it already.
            StoreBusy: it did not come in time.
        """
        if self._owner == threading.get_ident():
            raise WriteNested
        if not self._lock.acquire(timeout=self._seconds):
            raise StoreBusy(seconds=self._seconds)
        self._owner = threading.get_ident()
        try:
            yield
        finally:
            self._owner = None
            self._lock.release()


class WriterLock:
    """One writer over all threads and processes: first a lock in this process, then one on a file.

    Args:
        path: of the lock file, made when it is missing, never removed.
        seconds: how long to wait for each.
    """

    def __init__(self, path: Path, /, *, seconds: int) -> None:
        self._path = path
        self._seconds = seconds
        self._threads = ThreadLock(seconds=seconds)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            WriteNested: this thread holds it already.
            StoreBusy: it did not come in time.
            StoreNotWritable: the lock file cannot be made.
        """
        with self._threads.held():
            file = _locked_within(self._path, self._seconds)
            if file is None:
                raise StoreBusy(seconds=self._seconds)
            try:
                yield
            finally:
                file.close()


class FileExclusive:
    """`Exclusive` by a lock on a file.

    Args:
        path: of the lock file, made when it is missing, never removed.
        seconds: how long one that waits waits.
    """

    def __init__(self, path: Path, /, *, seconds: int = EXCLUSIVE_SECONDS) -> None:
        self._path = path
        self._seconds = seconds

    @contextmanager
    def hold(self, *, wait: bool) -> Iterator[bool]:
        """Enter with true when the lock was taken; with false when it did not come in time, at once without `wait`."""
        file = _locked_within(self._path, self._seconds if wait else 0)
        try:
            yield file is not None
        finally:
            if file is not None:
                file.close()
