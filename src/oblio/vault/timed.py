"""Values that leave memory by themselves: 60 seconds after they came, whether or not anybody asks for them again.

While something is kept, one sleeping thread waits for the moment at which the oldest value is due; there is none while
nothing is kept. It is a daemon, so it never keeps the interpreter alive. A child process that was forked starts with
nothing: it has no such thread, and the parent's keys are none of its business.
"""

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

KEEP_SECONDS: Final = 60.0
MOST: Final = 4096

Clock = Callable[[], float]
"""Seconds that never run backwards, such as `time.monotonic`."""

_K = TypeVar("_K")
_V = TypeVar("_V")
_R = TypeVar("_R")


class Alarm(Protocol):
    """Something that rings once, unless it is cancelled first."""

    def cancel(self) -> None:
        """Do not ring. Quiet when it has rung."""
        ...


Alarms = Callable[[float, Callable[[], None]], Alarm]
"""Sets an alarm: seconds from now, and what to call then."""


def sleeping_thread(seconds: float, ring: Callable[[], None], /) -> Alarm:
    """Set an alarm in a daemon thread of its own.

    Raises:
        RuntimeError: the system gives no more threads, or the interpreter is ending.
    """
    timer = threading.Timer(seconds, ring)
    timer.name, timer.daemon = "oblio-sweep", True
    timer.start()
    return timer


@dataclass(frozen=True, slots=True)
class _Kept(Generic[_V]):
    value: _V
    until: float


class Timed(Generic[_K, _V]):
    """Values by key, for less than 60 seconds and bounded in number. Safe to use from many threads.

    Args:
        clock: seconds that never run backwards.
        leave: called with each value that leaves, under the lock.
        most: how many are kept; the oldest one makes room.
        alarms: sets the alarm for the oldest value.
    """

    def __init__(
        self, clock: Clock, leave: Callable[[_V], None], /, *, most: int = MOST, alarms: Alarms = sleeping_thread
    ) -> None:
        self._clock = clock
        self._leave = leave
        self._most = most
        self._alarms = alarms
        self._lock = threading.RLock()
        self._kept: OrderedDict[_K, _Kept[_V]] = OrderedDict()
        self._alarm: Alarm | None = None
        self._closed = False
        _ALL.add(self)

    def get(self, key: _K, read: Callable[[_V], _R], /) -> _R | None:
        """Return what `read` makes of a value, called under the lock; `None` when it is not kept."""
        with self._lock:
            self._expire()
            kept = self._kept.get(key)
            return None if kept is None else read(kept.value)

    def put(self, key: _K, value: _V, /) -> None:
        """Keep a value for 60 seconds. One that nobody could drop in time is not kept, nor any after `close`."""
        with self._lock:
            self._expire()
            self._drop(key)
            self._kept[key] = _Kept(value, self._clock() + KEEP_SECONDS)
            while len(self._kept) > self._most:
                self._drop(next(iter(self._kept)))
            if self._closed or not self._watched():
                self._empty()

    def forget(self, key: _K, /) -> None:
        """Drop a value. Quiet when it is not kept."""
        with self._lock:
            self._drop(key)
            self._rest()

    def close(self) -> None:
        """Drop every value and keep none from now on. Quiet when done before."""
        with self._lock:
            self._closed = True
            self._empty()

    def __len__(self) -> int:
        return len(self._kept)

    def _swept(self) -> None:
        with self._lock:
            self._alarm = None
            self._expire()
            if not self._watched():
                self._empty()

    def _watched(self) -> bool:
        """Set the alarm for the oldest value. Return false when that is not possible."""
        if self._kept and self._alarm is None:
            due = next(iter(self._kept.values())).until
            try:
                self._alarm = self._alarms(max(0.0, due - self._clock()), self._swept)
            except RuntimeError:
                return False
        return True

    def _expire(self) -> None:
        # All are kept for the same time, so the first is the oldest.
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).until <= now:
            self._drop(next(iter(self._kept)))

    def _empty(self) -> None:
        while self._kept:
            self._drop(next(iter(self._kept)))
        self._rest()

    def _drop(self, key: _K) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._leave(kept.value)

    def _rest(self) -> None:
        if not self._kept and self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _forked(self) -> None:
        # A thread that is not here may have held the lock. The parent's alarm must not be touched: it is not here.
        self._lock = threading.RLock()
        self._alarm = None
        self._empty()


_ALL: "Final[weakref.WeakSet[Timed[Any, Any]]]" = weakref.WeakSet()


def _forked() -> None:
    for timed in list(_ALL):
        timed._forked()  # noqa: SLF001 -- of this module


os.register_at_fork(after_in_child=_forked)
