"""Requests that come between the steps of another one: each is completed, whoever was first."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fault.world import DATABASE, FIRST, PEOPLE, SECOND, SHARED, faults, folder, furnish, opened, parts_of, the

from oblio.errors.access import SubjectErased
from oblio.model.erasure import Outcome, Result, Scope, State
from oblio.service.oblio import Oblio
from oblio.storage.locks import FileExclusive
from oblio.wiring import Parts


class Crash(BaseException):
    """Ends the work at a cut; whatever catches faults must not catch it."""


def crash_at(point: str) -> Callable[[str], None]:
    """Return a cut that ends the work at the first passage of a point."""

    def cut(passed: str) -> None:
        if passed == point:
            raise Crash

    return cut


@pytest.fixture(scope="module")
def base() -> Iterator[Path]:
    place = folder()
    with opened(place) as (oblio, _parts):
        furnish(oblio, place)
    yield place
    shutil.rmtree(place)


@pytest.fixture
def place(base: Path) -> Iterator[Path]:
    copy = folder()
    shutil.copytree(base, copy, dirs_exist_ok=True)
    yield copy
    shutil.rmtree(copy)


@pytest.fixture
def store(place: Path) -> Iterator[tuple[Oblio, Parts]]:
    with opened(place) as found:
        yield found


def crashed(place: Path, point: str, act: Callable[[Oblio], object]) -> None:
    """Do something that is cut off at a point, and leave the store as the crash left it."""
    parts = parts_of(place, crash_at(point))
    with pytest.raises(Crash):
        act(Oblio(parts))
    parts.store.close()


def test_two_requests_of_one_person_that_are_locked_together_both_complete(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    first, second = (anna.begin(Scope.of(the(oblio, "anna", text))) for text in (FIRST, SECOND))
    results = [anna.finish(taken).payload.result for taken in (first, second)]
    assert results == [Result.COMPLETE, Result.COMPLETE]
    assert faults(parts) == []


def test_a_rotation_between_lock_and_work_does_not_blind_the_byte_check(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna, bo = (oblio.subject(name) for name in PEOPLE)
    taken = anna.begin(Scope.whole())
    assert bo.erase().payload.result is Result.COMPLETE
    assert anna.finish(taken).payload.result is Result.COMPLETE
    assert faults(parts) == []


def test_the_same_memory_forgotten_twice_at_once_ends_in_one_erasure_and_one_no_data(
    store: tuple[Oblio, Parts],
) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    item = the(oblio, "anna", FIRST)
    taken = [anna.begin(Scope.of(item)), anna.begin(Scope.of(item))]
    assert [anna.finish(each).payload.result for each in taken] == [Result.COMPLETE, Result.NO_DATA]
    assert faults(parts) == []


def test_a_memory_and_then_the_person_locked_together_both_complete(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    small, whole = anna.begin(Scope.of(the(oblio, "anna", FIRST))), anna.begin(Scope.whole())
    assert anna.finish(whole).payload.result is Result.COMPLETE
    assert anna.finish(small).payload.result is Result.NO_DATA
    assert faults(parts) == []


def test_a_blank_text_can_be_forgotten(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    item = next(each for each in anna.derived() if each.name == "profile")
    oblio.deriver("fails", version="1")(lambda texts: texts[9])
    twin = anna.derive("twin", sources=item.sources, deriver="fails", text="Walks and rides")
    assert twin
    gone = next(iter(item.sources))
    anna.forget(gone)
    (blank,) = [each for each in anna.derived() if each.text is None]
    receipt = anna.forget(blank.id)
    assert receipt.payload.result is Result.COMPLETE
    assert [step.outcome for step in receipt.payload.steps] == [Outcome.ERASED, Outcome.NO_DATA]
    assert faults(parts) == []


def test_a_crash_after_the_death_of_one_key_does_not_stop_another_request(place: Path) -> None:
    # Anna's memory is a source of an item of Bo, whose key dies in a transaction that a crash takes away.
    def both(oblio: Oblio) -> None:
        assert oblio.subject("anna").begin(Scope.of(the(oblio, "anna", FIRST))).row.state is State.LOCKED
        oblio.subject("bo").erase()

    crashed(place, "erasure.key", both)
    with opened(place) as (oblio, parts):
        assert not oblio.open_requests()
        assert faults(parts) == []


def test_an_engine_at_work_is_not_joined_by_whoever_opens_the_store(place: Path) -> None:
    passed: list[str] = []

    def cut(point: str) -> None:
        if point == "rotation.switched":
            with opened(place, passed.append):
                pass

    with opened(place, cut) as (oblio, parts):
        assert oblio.subject("anna").erase().payload.result is Result.COMPLETE
        assert not [point for point in passed if point.startswith("rotation")]
        assert faults(parts) == []


def test_a_store_opened_while_the_lock_is_taken_carries_on_when_it_is_free(place: Path) -> None:
    crashed(place, "erasure.locked", lambda oblio: oblio.subject("anna").erase())
    lock = FileExclusive(place / f"{DATABASE}-engine")
    with lock.hold(wait=True), opened(place) as (oblio, parts):
        assert [row.state for row in oblio.open_requests()] == [State.LOCKED]
        assert parts.machine.resume() == 1
        assert parts.engine._thread is not None
    with opened(place) as (oblio, parts):
        assert not oblio.open_requests()
        assert parts.engine._thread is None
        assert faults(parts) == []


def test_a_handle_of_before_refuses_after_a_resumed_erasure(place: Path) -> None:
    crashed(place, "erasure.locked", lambda oblio: oblio.subject("anna").erase())
    with opened(place) as (oblio, _parts):
        assert list(oblio.subject("anna").memories()) == []
        bo = oblio.subject("bo")
        assert [each.text for each in bo.memories()].count(SHARED) == 1
        bo.ticket()
        receipt = bo.erase()
        with pytest.raises(SubjectErased):
            bo.recall("units")
        assert bo.erase() == receipt
