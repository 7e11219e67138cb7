"""Tests of the inline engine: one thread while work is left, longer pauses, no wake lost, nothing printed."""

import threading
from collections.abc import Callable

import pytest

from oblio.engine.inline import LONGEST_SECONDS, UNEXPECTED, InlineEngine
from oblio.errors.storage import StoreBusy

SECONDS = 20.0


class Pauses:
    """Waits that take no time: notes how long each would be, and ends the engine after some."""

    def __init__(self, most: int = 50) -> None:
        self.seen: list[float] = []
        self.most = most
        self.over = threading.Event()

    def __call__(self, ending: threading.Event, seconds: float) -> bool:
        """Note a pause."""
        self.seen.append(seconds)
        if len(self.seen) > self.most:
            self.over.set()
            return True
        return ending.is_set()


def ended(engine: InlineEngine) -> None:
    """Wait until the thread is gone."""
    thread = engine._thread
    if thread is not None:
        thread.join(SECONDS)
        assert not thread.is_alive()


def lefts(*numbers: int) -> Callable[[], int]:
    rest = iter(numbers)
    return lambda: next(rest)


def test_without_a_wake_there_is_no_thread_and_stop_is_quiet() -> None:
    engine = InlineEngine(lefts())
    engine.stop()
    engine.stop()
    assert engine._thread is None


def test_the_thread_ends_when_nothing_is_left_and_a_new_wake_starts_one() -> None:
    pauses = Pauses()
    engine = InlineEngine(lefts(2, 1, 0, 0), first_seconds=3, wait=pauses)
    engine.wake()
    ended(engine)
    assert pauses.seen == [3, 6, 12]
    engine.wake()
    ended(engine)
    assert pauses.seen == [3, 6, 12, 3]
    engine.stop()


def test_pauses_double_up_to_the_longest() -> None:
    pauses = Pauses(most=12)
    engine = InlineEngine(lambda: 1, wait=pauses)
    engine.wake()
    assert pauses.over.wait(SECONDS)
    engine.stop()
    assert pauses.seen[:4] == [0.5, 1, 2, 4]
    assert pauses.seen[-2:] == [LONGEST_SECONDS, LONGEST_SECONDS]


def test_a_wake_while_the_last_work_runs_is_not_lost() -> None:
    at_work, go_on, runs = threading.Event(), threading.Event(), []

    def work() -> int:
        runs.append(threading.current_thread().name)
        at_work.set()
        assert go_on.wait(SECONDS)
        return 0

    engine = InlineEngine(work, wait=Pauses())
    engine.wake()
    assert at_work.wait(SECONDS)
    engine.wake()
    engine.wake()
    go_on.set()
    ended(engine)
    assert runs == ["oblio-engine", "oblio-engine"]


def test_stop_waits_for_the_step_under_way_and_no_wake_starts_another() -> None:
    at_work, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> int:
        at_work.set()
        assert go_on.wait(SECONDS)
        done.set()
        return 1

    engine = InlineEngine(work, first_seconds=0)
    engine.wake()
    assert at_work.wait(SECONDS)
    threading.Timer(0, go_on.set).start()
    engine.stop()
    assert done.is_set()
    thread = engine._thread
    engine.wake()
    assert engine._thread is thread


def test_a_fault_is_kept_as_a_code_and_work_goes_on() -> None:
    faults: list[str | None] = []
    errors = iter([StoreBusy(), ValueError("canary"), None])

    def work() -> int:
        faults.append(engine.last_fault)
        error = next(errors)
        if error is not None:
            raise error
        return 0

    engine = InlineEngine(work, wait=Pauses())
    engine.wake()
    ended(engine)
    assert faults == [None, StoreBusy.code, UNEXPECTED]
    assert engine.last_fault is None


def test_an_error_of_the_thread_is_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise RuntimeError("canary")  # noqa: EM101 -- the case

    pauses = Pauses(most=2)
    engine = InlineEngine(work, wait=pauses)
    engine.wake()
    assert pauses.over.wait(SECONDS)
    engine.stop()
    assert capfd.readouterr() == ("", "")
