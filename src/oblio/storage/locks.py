"""Locks on files. The system releases them when their process dies, however it dies."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oblio.errors.storage import StoreBusy, StoreNotWritable, WriteNested

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


def _try_lock(descriptor: int, /) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Waiter:
    """Waits for a file lock in a thread of its own, because the system offers no time limit for it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._given_up = False
        threading.Thread(target=self._wait, name="oblio-lock", daemon=True).start()

    def _wait(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._guard:
            if self._given_up:
                os.close(self._descriptor)
            else:
                self._done.set()

    def locked_within(self, seconds: float, /) -> bool:
        """Say whether the lock came in time. After false the descriptor is closed by the thread."""
        if self._done.wait(seconds):
            return True
        with self._guard:
            self._given_up = not self._done.is_set()
            return not self._given_up


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
            descriptor = self._locked()
            try:
                yield
            finally:
                os.close(descriptor)

    def _locked(self) -> int:
        descriptor = private_file(self._path)
        if _try_lock(descriptor) or _Waiter(descriptor).locked_within(self._seconds):
            return descriptor
        raise StoreBusy(seconds=self._seconds)


class FileExclusive:
    """`Exclusive` by a lock on a file.

    Args:
        path: of the lock file, made when it is missing, never removed.
    """

    def __init__(self, path: Path, /) -> None:
        self._path = path

    @contextmanager
    def hold(self, *, wait: bool) -> Iterator[bool]:
        """Enter with true when the lock was taken; with false when `wait` is false and another worker has it."""
        descriptor = private_file(self._path)
        try:
            taken = _try_lock(descriptor)
            if wait and not taken:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                taken = True
            yield taken
        finally:
            os.close(descriptor)
