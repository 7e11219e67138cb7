"""Looking again at any time says what is left."""

import pytest
from tests.unit.erasure.desk import Desk

from oblio.erasure.steps import BYTES, ITEMS, first_steps, step
from oblio.errors.erasure import StepsDamaged, UnknownRequest
from oblio.model.erasure import Outcome, State
from oblio.model.ids import DEFAULT_TENANT, HolderId, RequestId, UnitId, new_id
from oblio.model.memory import ItemType


def test_an_unknown_request_is_named(desk: Desk) -> None:
    with pytest.raises(UnknownRequest):
        desk.looking.again(RequestId(HolderId(new_id())))


def test_a_locked_request_has_everything_left_and_is_not_clean(desk: Desk) -> None:
    anna = desk.admit()
    for taken in (desk.take(anna, desk.add(anna)), desk.take(anna)):
        look = desk.looking.again(taken.row.request)
        assert (look.state, look.plan_left, look.clean) == (State.LOCKED, True, False)
        assert look.request_left == 3


def test_a_request_about_nobody_has_nothing_left(desk: Desk) -> None:
    look = desk.looking.again(desk.intake.nobody(DEFAULT_TENANT, now=desk.now).request)
    assert (look.person_left, look.request_left, look.clean) == (0, 0, True)


def test_content_that_came_back_under_an_erased_id_is_found(desk: Desk) -> None:
    anna = desk.admit()
    row = desk.erase(anna)
    unit = UnitId(desk.place.ledger.ids()[0])
    with desk.store.write() as tx:
        tx.contents.add(unit, b"back")
    look = desk.looking.again(row.request)
    assert (look.units_left, look.clean) == (1, False)


def test_the_row_of_a_person_that_came_back_is_found(desk: Desk) -> None:
    anna = desk.admit()
    row = desk.erase(anna)
    desk_item = desk.intake.known(anna.subject)
    assert desk_item == row
    with desk.store.write() as tx:
        holder = tx.holders.get(anna.subject)
        assert holder is not None
        tx.holders.delete(anna.subject)
    look = desk.looking.again(row.request)
    assert (look.person_left, look.clean) == (1, False)


def test_an_erased_item_that_blocks_its_request_is_left(desk: Desk) -> None:
    anna = desk.admit()
    desk.store.settles = False
    row = desk.erase(anna, desk.add(anna))
    assert desk.looking.again(row.request).plan_left is False
    assert desk.looking.again(row.request).clean


def test_a_blank_item_has_no_bytes_to_look_for(desk: Desk) -> None:
    anna = desk.admit()
    source, other = desk.add(anna), desk.add(anna)
    made = desk.add(anna, type_=ItemType.DERIVED, sources=(source, other))
    desk.erase(anna, source)
    (blank,) = desk.rows(made)
    steps = desk.steps(desk.erase(anna, blank))
    assert [steps[name].outcome for name in (ITEMS, BYTES)] == [Outcome.ERASED, Outcome.NO_DATA]


def test_a_step_that_is_missing_is_an_error() -> None:
    with pytest.raises(StepsDamaged):
        step(first_steps(), "elsewhere")
