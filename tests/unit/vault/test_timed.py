"""Values leave by themselves: after 60 seconds, when there are too many, at close and in a forked child."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from oblio.vault import timed as module
from oblio.vault.timed import Timed, sleeping_thread


@dataclass
class World:
    """Time and alarms that only the test moves."""

    now: float = 0.0
    alarms: list["Bell"] = field(default_factory=list)
    left: list[bytearray] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def set_alarm(self, seconds: float, ring: Callable[[], None]) -> "Bell":
        bell = Bell(self.now + seconds, ring)
        self.alarms.append(bell)
        return bell

    def at(self, now: float) -> None:
        """Let time pass; what is due rings."""
        self.now = now
        for bell in [bell for bell in self.alarms if bell.due <= now]:
            self.alarms.remove(bell)
            if not bell.cancelled:
                bell.ring()

    def waiting(self) -> list[float]:
        return [bell.due for bell in self.alarms if not bell.cancelled]

    def timed(self, *, most: int = 10) -> Timed[str, bytearray]:
        def leave(value: bytearray) -> None:
            value[:] = bytes(len(value))
            self.left.append(value)

        return Timed(self.clock, leave, most=most, alarms=self.set_alarm)


@dataclass
class Bell:
    """One alarm."""

    due: float
    ring: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def world() -> World:
    return World()


def test_a_value_leaves_after_60_seconds_although_nobody_asks(world: World) -> None:
    timed = world.timed()
    secret = bytearray(b"k" * 32)
    timed.put("a", secret)
    world.at(59.9)
    assert len(timed) == 1
    world.at(60.0)
    assert len(timed) == 0
    assert secret == bytes(32)


def test_no_alarm_waits_while_nothing_is_kept(world: World) -> None:
    timed = world.timed()
    assert world.waiting() == []
    timed.put("a", bytearray(b"1"))
    timed.put("b", bytearray(b"2"))
    assert world.waiting() == [60.0]
    timed.forget("a")
    timed.forget("a")
    assert world.waiting() == [60.0]
    timed.forget("b")
    assert world.waiting() == []


def test_one_alarm_serves_values_that_came_one_after_another(world: World) -> None:
    timed = world.timed()
    timed.put("a", bytearray(b"1"))
    world.at(30.0)
    timed.put("b", bytearray(b"2"))
    assert world.waiting() == [60.0]
    world.at(60.0)
    assert (len(timed), world.waiting()) == (1, [90.0])
    world.at(90.0)
    assert (len(timed), world.waiting()) == (0, [])


def test_an_alarm_that_rings_too_early_is_set_again(world: World) -> None:
    timed = world.timed()
    timed.put("a", bytearray(b"1"))
    world.alarms.pop().ring()
    assert (len(timed), world.waiting()) == (1, [60.0])


def test_a_value_that_is_put_again_starts_anew(world: World) -> None:
    timed = world.timed()
    timed.put("a", bytearray(b"1"))
    world.at(30.0)
    timed.put("a", bytearray(b"2"))
    world.at(60.0)
    assert timed.get("a", bytes) == b"2"
    assert world.left == [bytearray(1)]


def test_a_value_that_is_due_is_not_read_before_its_alarm_rings(world: World) -> None:
    timed = world.timed()
    timed.put("a", bytearray(b"1"))
    world.now = 60.0
    assert timed.get("a", bytes) is None


def test_close_drops_everything_and_keeps_nothing_from_then_on(world: World) -> None:
    timed = world.timed()
    before, after = bytearray(b"1"), bytearray(b"2")
    timed.put("a", before)
    timed.close()
    timed.put("b", after)
    timed.close()
    assert (len(timed), before, after, world.waiting()) == (0, bytearray(1), bytearray(1), [])


def test_a_value_is_not_kept_when_no_alarm_can_be_set(world: World) -> None:
    def none_left(_seconds: float, _ring: Callable[[], None]) -> Bell:
        raise RuntimeError

    secret = bytearray(b"1")
    timed: Timed[str, bytearray] = Timed(world.clock, lambda value: value.clear(), alarms=none_left)
    timed.put("a", secret)
    assert (len(timed), secret) == (0, bytearray())


def test_everything_leaves_when_the_next_alarm_cannot_be_set(world: World) -> None:
    calls: list[float] = []

    def one_only(seconds: float, ring: Callable[[], None]) -> Bell:
        calls.append(seconds)
        if len(calls) > 1:
            raise RuntimeError
        return world.set_alarm(seconds, ring)

    timed: Timed[str, bytearray] = Timed(world.clock, world.left.append, alarms=one_only)
    timed.put("a", bytearray(b"1"))
    world.at(30.0)
    timed.put("b", bytearray(b"2"))
    world.at(60.0)
    assert (len(timed), len(calls)) == (0, 2)


def test_a_real_alarm_rings_in_a_daemon_thread() -> None:
    rung, by = threading.Event(), []

    def ring() -> None:
        by.append(threading.current_thread())
        rung.set()

    sleeping_thread(0.0, ring)
    assert rung.wait(10)
    assert (by[0].daemon, by[0].name) == (True, "oblio-sweep")


def test_a_waiting_alarm_does_not_keep_the_interpreter_alive() -> None:
    script = """
import time
from oblio.vault.timed import Timed
timed = Timed(time.monotonic, lambda value: None)
timed.put("a", b"1")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_forked_child_starts_empty_though_another_thread_held_the_lock(world: World) -> None:
    timed = world.timed()
    timed.put("a", bytearray(b"k" * 32))
    held, done = threading.Event(), threading.Event()

    def hold(_value: bytearray) -> None:
        held.set()
        done.wait(30)

    thread = threading.Thread(target=timed.get, args=("a", hold))
    thread.start()
    held.wait(30)
    child = os.fork()
    if not child:
        timed.put("b", bytearray(b"2"))  # would wait for ever
        os._exit(0 if (len(timed), world.left) == (1, [bytearray(32)]) else 1)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert timed.get("a", bytes) == b"k" * 32


def test_what_a_child_does_first_overwrites_every_value_and_leaves_the_alarm_alone(world: World) -> None:
    timed, secret = world.timed(), bytearray(b"k" * 32)
    timed.put("a", secret)
    module._forked()
    assert (len(timed), secret) == (0, bytearray(32))
    assert world.waiting() == [60.0]
    timed.put("b", bytearray(b"2"))
    assert timed.get("b", bytes) == b"2"
