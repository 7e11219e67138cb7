"""The one eraser: idempotent, and nobody else's key is lost by it."""

from dataclasses import replace

import pytest
from tests.unit.erasure.desk import Desk

from oblio.erasure.destroy import Order
from oblio.erasure.plan import Closure, closure
from oblio.errors.vault import KeyDestroyed
from oblio.model.ids import HolderId, SubjectId, UnitId, new_id
from oblio.model.memory import ItemType
from oblio.model.subject import HolderState, Ticket
from oblio.ports.keys import binding_of

EMPTY = Closure(erase={}, blank={})


def order(desk: Desk, found: Closure = EMPTY, person: Ticket | None = None) -> Order:
    return Order(found=found, person=None if person is None else person.subject, request=None, now=desk.now)


def test_a_second_destruction_finds_nothing_and_changes_nothing(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    counts = []
    for _ in range(2):
        with desk.store.write() as tx:
            counts.append(desk.eraser.destroy(tx, order(desk, closure(tx, [item.item]))))
        state = desk.store.image()
    assert counts == [1, 0]
    assert desk.store.image() == state


def test_co_holders_get_a_new_key_and_keep_what_is_theirs(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    theirs = desk.add(bo)
    shared = replace(desk.add(anna), unit=UnitId(new_id()))
    with desk.store.write() as tx:
        tx.items.put(shared)
        desk.keys.seal(tx, b"\x01", binding_of(shared), holders=(anna.subject, bo.subject))
        before = tx.holders.get(bo.subject)
        desk.eraser.destroy(tx, order(desk, closure(tx, [shared.item])))
        after = tx.holders.get(bo.subject)
        assert desk.keys.open(tx, bo.subject, (binding_of(theirs),))
    assert before is not None
    assert after is not None
    assert after.key_no == before.key_no + 1


@pytest.mark.parametrize("state", [HolderState.LOCKED, HolderState.ACTIVE])
def test_a_dead_key_of_somebody_who_is_being_erased_stops_nobody_and_any_other_is_an_error(
    desk: Desk, state: HolderState
) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    item = desk.add(anna)
    made = desk.add(bo, type_=ItemType.DERIVED, sources=(item,))
    with desk.store.write() as tx:
        row = tx.holders.get(bo.subject)
        assert row is not None
        desk.keys.destroy(tx, bo.subject)
        tx.holders.put(replace(row, state=state))  # the file knows, the database does not
    with desk.store.write() as tx:
        if state is HolderState.ACTIVE:
            with pytest.raises(KeyDestroyed):
                desk.eraser.destroy(tx, order(desk, closure(tx, [item.item])))
        else:
            assert desk.eraser.destroy(tx, order(desk, closure(tx, [item.item]))) == 2
            assert not tx.items.any((made.item,))


def test_what_has_no_content_has_no_needles_unless_a_key_dies(desk: Desk) -> None:
    anna = desk.admit()
    with desk.store.read() as tx:
        assert desk.eraser.needles(tx, order(desk), anna.subject) == ()
        assert len(desk.eraser.needles(tx, order(desk, person=anna), anna.subject)) == 1


def test_a_person_without_a_row_leaves_nothing_to_sweep(desk: Desk) -> None:
    ghost = Ticket(tenant=desk.admit().tenant, subject=SubjectId(HolderId(new_id())), generation=1)
    before = desk.store.image()
    with desk.store.write() as tx:
        desk.eraser.sweep(tx, order(desk, person=ghost))
    assert desk.store.image() == before


def test_recall_blocks_of_everybody_touched_go_with_what_they_copy(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    item = desk.add(anna)
    blocks = [desk.add(owner, type_=ItemType.SEGMENT) for owner in (anna, bo)]
    desk.erase(anna, item)
    assert [row.item for row in desk.rows(*blocks)] == [blocks[1].item]
