"""Connections and forks: what the parent of a fork has open is not the child's.

SQLite notes in the memory of a process which locks that process holds on a file. A forked child inherits these notes
but not the locks, so that it would write to a file that others believe nobody uses. Therefore idle connections are
closed before every fork, which empties the notes; a handle of the parent is refused in the child; and where the parent
was using a file at that moment, the child cannot open it anew either. A program that is started (`spawn`, `subprocess`)
inherits nothing and is not concerned.
"""

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oblio.errors.storage import StoreForked


class Loans:
    """The connections that one store has lent.

    Args:
        rest: closes what is idle; called before a fork when nothing is lent.
        path: of the database file; `None` where the database is no file of ours.
    """

    def __init__(self, rest: Callable[[], None], /, *, path: Path | None) -> None:
        self._rest = rest
        self._path = path
        self._count = 0
        self._foreign = False
        _ALL.add(self)

    @property
    def foreign(self) -> bool:
        """Whether this process was forked from the one that opened the store."""
        return self._foreign

    def check(self) -> None:
        """Refuse a store that is the parent's.

        Raises:
            StoreForked: it is, or the parent was using its file when it forked.
        """
        if self._foreign or (_USED and self._file() in _USED):
            raise StoreForked

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Count a connection as lent until the block ends.

        Raises:
            StoreForked: see `check`.
        """
        self.check()
        with _GATE:
            self._count += 1
        try:
            yield
        finally:
            with _GATE:
                self._count -= 1

    def _file(self) -> tuple[int, int] | None:
        try:
            found = None if self._path is None else self._path.stat()
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _before(self) -> None:
        if not self._count and not self._foreign:
            self._rest()

    def _forked(self) -> None:
        self._foreign = True
        _LEFT.append(self._rest)
        if self._count and (file := self._file()) is not None:
            _USED.add(file)


_GATE: Final = threading.RLock()
"""Held while a process forks: nothing is lent in between, and the thread that goes on in the child holds it."""

_ALL: "Final[weakref.WeakSet[Loans]]" = weakref.WeakSet()

_USED: Final[set[tuple[int, int]]] = set()
"""Device and number of files that the parent of this process was using when it forked."""

_LEFT: Final[list[Callable[[], None]]] = []
"""Keeps the parent's connections from being closed by the collector of this process."""


def _before() -> None:
    _GATE.acquire()
    for loans in list(_ALL):
        loans._before()  # noqa: SLF001 -- of this module


def _forked() -> None:
    for loans in list(_ALL):
        loans._forked()  # noqa: SLF001 -- of this module
    _GATE.release()


os.register_at_fork(before=_before, after_in_parent=_GATE.release, after_in_child=_forked)
