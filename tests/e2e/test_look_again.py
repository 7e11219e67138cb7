"""`oblio erasure verify` is no formality: it finds what was put back or left, and is quiet where nothing is."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oblio.erasure.look import Look
from oblio.errors.erasure import UnknownRequest
from oblio.model.erasure import Outcome, Scope, State
from oblio.model.ids import new_id
from oblio.service.oblio import Oblio
from oblio.settings import Settings
from oblio.wiring import Parts, build

FIRST = "Keeps two old bicycles in the cellar"
SECOND = "Likes tea with cardamom"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Oblio, Parts]]:
    """A store with two people who have a memory each."""
    parts = build(tmp_path / "agent.db", Settings(embedder="ngram"))
    with Oblio(parts) as store:
        for name, text in (("anna", FIRST), ("bo", SECOND)):
            store.subject(name).consent.grant("memory", notice="1")
            store.subject(name).remember(text)
        yield store, parts


def copied(path: Path, table: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 -- our own tables


def put_back(path: Path, table: str, rows: list[tuple[Any, ...]]) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for row in rows:
            marks = ",".join("?" * len(row))
            connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608


def test_a_completed_request_leaves_nothing_and_others_are_no_matter(opened: tuple[Oblio, Parts]) -> None:
    store, _ = opened
    receipt = store.subject("anna").erase()
    found = store.look_again(receipt.payload.request)
    assert found.clean
    assert (found.person_left, found.request_left, found.units_left, found.plan_left) == (0, 0, 0, None)
    assert found.named >= 2
    assert len(list(store.subject("bo").memories())) == 1


def test_one_forgotten_memory_is_looked_at_without_its_person(opened: tuple[Oblio, Parts]) -> None:
    store, _ = opened
    anna = store.subject("anna")
    receipt = anna.forget(next(iter(anna.memories())).id)
    found = store.look_again(receipt.payload.request)
    assert found.clean
    assert found.person_left is None


def test_a_request_about_nobody_is_clean_and_an_unknown_one_is_an_error(opened: tuple[Oblio, Parts]) -> None:
    store, _ = opened
    assert store.look_again(store.subject("carl").erase().payload.request).clean
    with pytest.raises(UnknownRequest):
        store.look_again(new_id())


@pytest.mark.parametrize("table", ["contents", "unit_keys"])
def test_a_row_that_somebody_put_back_is_found(opened: tuple[Oblio, Parts], tmp_path: Path, table: str) -> None:
    store, _ = opened
    before = copied(tmp_path / "agent.db", table)
    receipt = store.subject("anna").erase()
    assert store.look_again(receipt.payload.request).clean
    put_back(tmp_path / "agent.db", table, before)
    found = store.look_again(receipt.payload.request)
    assert not found.clean
    assert found.units_left > 0


def test_a_consent_of_an_erased_person_that_somebody_put_back_is_found(
    opened: tuple[Oblio, Parts], tmp_path: Path
) -> None:
    store, _ = opened
    before = copied(tmp_path / "agent.db", "consents")
    receipt = store.subject("anna").erase()
    put_back(tmp_path / "agent.db", "consents", before)
    found = store.look_again(receipt.payload.request)
    assert found.person_left == 1
    assert not found.clean


def test_a_locked_request_has_its_own_key_and_is_not_clean_because_everything_is_still_there(
    opened: tuple[Oblio, Parts],
) -> None:
    store, _ = opened
    taken = store.subject("anna").begin(Scope.whole())
    found = store.look_again(taken.row.request)
    assert found.state is State.LOCKED
    assert found.request_left > 0
    assert found.person_left
    assert (found.plan_left, found.clean) == (True, False)
    assert [row.request for row in store.unfinished()] == [taken.row.request]


def test_a_request_under_way_whose_items_can_still_be_read_is_not_clean(opened: tuple[Oblio, Parts]) -> None:
    store, parts = opened
    anna = store.subject("anna")
    taken = anna.begin(Scope.of(next(iter(anna.memories())).id))
    with parts.store.write() as tx:
        tx.erasures.put(taken.row.moved(State.IN_PROGRESS))
        step = tx.erasures.steps(taken.row.request)[0]
        tx.erasures.put_step(taken.row.request, replace(step, count=1))
    found = store.look_again(taken.row.request)
    assert found.plan_left is True
    assert not found.clean


def test_a_blocked_request_waits_for_a_person_and_says_what_can_be_read(opened: tuple[Oblio, Parts]) -> None:
    store, parts = opened
    taken = store.subject("anna").begin(Scope.whole())
    with parts.store.write() as tx:
        blocked = taken.row.moved(State.IN_PROGRESS).moved(State.PARTIALLY_BLOCKED)
        tx.erasures.put(blocked)
        for each in tx.erasures.steps(taken.row.request):
            tx.erasures.put_step(taken.row.request, replace(each, outcome=Outcome.FAILED, reason="planted"))
    health = store.health()
    assert (health.unfinished, health.blocked) == (1, 1)
    found = store.look_again(taken.row.request)
    assert found.person_left is not None
    assert found.person_left > 0
    assert not found.clean


def test_clean_needs_every_count_to_be_zero() -> None:
    sound = Look(
        request=taken_id(), state=State.COMPLETED, person_left=0, request_left=0, named=3, units_left=0, plan_left=None
    )
    assert sound.clean
    for wrong in ({"person_left": 1}, {"request_left": 1}, {"units_left": 1}, {"plan_left": True}):
        assert not replace(sound, **wrong).clean


def taken_id() -> Any:
    return new_id()
