"""The engine of the embedded store: work runs in the caller, and one thread tries again what could not end there.

The thread exists only while work is left. It waits longer after every try without progress, and a failure in it is
kept as a code for `last_fault`, never printed: the rows still say what is left.
"""

import threading
from collections.abc import Callable
from typing import Final

from oblio.errors.base import Fault

UNEXPECTED: Final = "engine.unexpected"
"""What `last_fault` says after an error that is not one of ours."""

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 300.0


class InlineEngine:
    """One scheduler thread, started when it is needed.

    Args:
        work: does what is left and returns how much is left afterwards.
        first_seconds: pause before the first try; doubled after each, up to `LONGEST_SECONDS`.
        wait: waits for an event up to some seconds and returns whether it came; tests give one that does not wait.
    """

    def __init__(
        self,
        work: Callable[[], int],
        /,
        *,
        first_seconds: float = FIRST_SECONDS,
        wait: Callable[[threading.Event, float], bool] = threading.Event.wait,
    ) -> None:
        self._work = work
        self._first = first_seconds
        self._wait = wait
        self._wanted = False
        self._guard = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self.last_fault: str | None = None

    def wake(self) -> None:
        """See `ports.engine.Engine.wake`."""
        with self._guard:
            self._wanted = True
            if self._ending.is_set() or self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name="oblio-engine", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """See `ports.engine.Engine.stop`."""
        self._ending.set()
        with self._guard:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        pause = self._first
        while not self._wait(self._ending, pause):
            with self._guard:
                self._wanted = False
            left = self._tried()
            with self._guard:
                # Decided under the guard: a `wake` that comes now either finds no thread or is seen here.
                if left == 0 and not self._wanted:
                    self._thread = None
                    return
            pause = min(2 * pause, LONGEST_SECONDS)

    def _tried(self) -> int:
        try:
            left = self._work()
        except Fault as fault:
            self.last_fault = fault.code
            return 1
        except Exception:  # noqa: BLE001 -- a thread's uncaught error is printed, and it may hold content
            self.last_fault = UNEXPECTED
            return 1
        self.last_fault = None
        return left
