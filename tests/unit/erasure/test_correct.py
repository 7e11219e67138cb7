"""A correction is an erasure of the old version."""

from dataclasses import replace

import pytest
from tests.unit.erasure.desk import Crash, Desk

from oblio.erasure.correct import CUTS, Correction
from oblio.errors.access import UnknownItem
from oblio.errors.erasure import EraserBusy
from oblio.model.ids import UnitId, new_id
from oblio.model.memory import Item, ItemState, ItemType
from oblio.ports.body import TextBody
from oblio.ports.keys import binding_of


def correction(old: Item) -> Correction:
    return Correction(
        old=old, new=replace(old, unit=UnitId(new_id()), version=old.version + 1), body=TextBody(text="new")
    )


def test_the_old_version_dies_and_what_was_made_from_it_is_blank(desk: Desk) -> None:
    anna = desk.admit()
    old, kept = desk.add(anna), desk.add(anna)
    made = desk.add(anna, type_=ItemType.DERIVED, sources=(old,))
    change = correction(old)
    with desk.store.read() as tx:
        marks = desk.keys.needles(tx, anna.subject, [UnitId(str(old.unit)), UnitId(str(made.unit))])
    desk.corrector.correct(anna, change, now=desk.now)
    assert not desk.bytes.found(marks)
    with desk.store.read() as tx:
        bodies = desk.keys.open(tx, anna.subject, [binding_of(change.new), binding_of(kept)])
        assert [row.request for row in tx.erasures.rebuilds(below=9, limit=9)] == [None]
        assert not tx.holders.retired()
    assert TextBody.decode(bodies[binding_of(change.new).unit]).text == "new"
    assert len(bodies) == 2
    assert {row.item: row.state for row in desk.rows(old, made)} == {
        old.item: ItemState.LIVE,
        made.item: ItemState.BLANK,
    }


@pytest.mark.parametrize("point", CUTS)
def test_a_correction_that_is_cut_off_is_settled_when_resuming(desk: Desk, point: str) -> None:
    anna = desk.admit()
    old = desk.add(anna)
    desk.crash_at = point
    with pytest.raises(Crash):
        desk.corrector.correct(anna, correction(old), now=desk.now)
    desk.machine.resume()
    with desk.store.read() as tx:
        assert not tx.holders.retired()
        assert not tx.contents.get([UnitId(str(old.unit))])


def test_what_changed_meanwhile_or_is_being_forgotten_is_not_corrected(desk: Desk) -> None:
    anna = desk.admit()
    old = desk.add(anna)
    stale = replace(old, unit=UnitId(new_id()))
    with pytest.raises(UnknownItem):
        desk.corrector.correct(anna, correction(stale), now=desk.now)
    desk.take(anna, old)
    with pytest.raises(UnknownItem):
        desk.corrector.correct(anna, correction(old), now=desk.now)
    desk.machine.resume()
    with pytest.raises(UnknownItem):
        desk.corrector.correct(anna, correction(old), now=desk.now)
    desk.lock.free = False
    with pytest.raises(EraserBusy):
        desk.corrector.correct(anna, correction(old), now=desk.now)
