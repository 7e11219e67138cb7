"""What a scope comes to: provenance over every depth, owner and shape."""

from dataclasses import replace

import pytest
from tests.unit.erasure.desk import WHOLE, Desk

from oblio.erasure.plan import closure, downstream
from oblio.errors.access import SourceCycle, UnknownItem
from oblio.model.erasure import PlanAction, Scope, ScopeKind
from oblio.model.ids import ItemId, new_id
from oblio.model.memory import Item, ItemType


def scope(*items: Item) -> Scope:
    return Scope(kind=ScopeKind.ITEM, items=tuple(item.item for item in items))


def test_what_only_a_source_supports_goes_with_it_and_the_rest_is_blanked(desk: Desk) -> None:
    anna = desk.admit()
    first, second = desk.add(anna), desk.add(anna)
    only = desk.add(anna, type_=ItemType.DERIVED, sources=(first,))
    both = desk.add(anna, type_=ItemType.DERIVED, sources=(first, second))
    plan = desk.intake.plan(anna, scope(first))
    actions = {item.item: item.action for item in plan.items}
    assert actions == {first.item: PlanAction.ERASE, only.item: PlanAction.ERASE, both.item: PlanAction.BLANK}
    assert (plan.counts, plan.blanked, plan.stays) == ({"memory": 1, "derived": 1}, 1, {})


def test_a_diamond_whose_one_source_goes_vanishes_once(desk: Desk) -> None:
    anna = desk.admit()
    source = desk.add(anna)
    sides = [desk.add(anna, type_=ItemType.DERIVED, sources=(source,)) for _ in range(2)]
    top = desk.add(anna, type_=ItemType.DERIVED, sources=sides)
    with desk.store.read() as tx:
        found = closure(tx, [source.item])
    assert set(found.erase) == {source.item, top.item, *(side.item for side in sides)}
    assert list(found.erase)[-1] == top.item
    assert not found.blank


def test_a_long_chain_vanishes_to_its_end_and_what_rests_on_a_blank_is_blanked(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    first, other = desk.add(anna), desk.add(bo)
    chain = [first]
    for _ in range(30):
        chain.append(desk.add(anna, type_=ItemType.DERIVED, sources=(chain[-1],)))
    shared = desk.add(bo, type_=ItemType.DERIVED, sources=(chain[-1], other))
    above = desk.add(bo, type_=ItemType.DERIVED, sources=(shared,))
    with desk.store.read() as tx:
        found = closure(tx, [first.item])
    assert set(found.erase) == {item.item for item in chain}
    assert set(found.blank) == {shared.item, above.item}
    assert found.owners == {anna.subject, bo.subject}


def test_a_corrected_item_blanks_everything_made_from_it_and_takes_nothing_away(desk: Desk) -> None:
    anna = desk.admit()
    source = desk.add(anna)
    made = desk.add(anna, type_=ItemType.DERIVED, sources=(source,))
    with desk.store.read() as tx:
        found = downstream(tx, source.item)
    assert (dict(found.erase), set(found.blank)) == ({}, {made.item})


def test_a_cycle_that_somebody_forged_is_named(desk: Desk) -> None:
    anna = desk.admit()
    source = desk.add(anna)
    one = desk.add(anna, type_=ItemType.DERIVED, sources=(source,))
    two = desk.add(anna, type_=ItemType.DERIVED, sources=(one,))
    with desk.store.write() as tx:
        tx.edges.add(one.item, [two.item])
    with desk.store.read() as tx, pytest.raises(SourceCycle):
        closure(tx, [source.item])


def test_only_ones_own_memories_and_derived_items_can_be_named(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    theirs, message = desk.add(bo), desk.add(anna, type_=ItemType.MESSAGE)
    nothing = replace(theirs, item=ItemId(new_id()))
    for item in (theirs, message, nothing):
        with pytest.raises(UnknownItem):
            desk.intake.plan(anna, scope(item))


def test_the_message_that_a_memory_came_from_stays_and_is_spent(desk: Desk) -> None:
    anna = desk.admit()
    message = desk.add(anna, type_=ItemType.MESSAGE)
    memory = desk.add(anna, sources=(message,))
    plan = desk.intake.plan(anna, scope(memory))
    assert [item.action for item in plan.items] == [PlanAction.ERASE, PlanAction.SPEND]
    assert plan.stays == {"source_message": 1}


def test_the_whole_person_takes_everything_and_spends_nothing(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    message = desk.add(anna, type_=ItemType.MESSAGE)
    desk.add(anna, sources=(message,))
    desk.add(bo)
    plan = desk.intake.plan(anna, WHOLE)
    assert plan.counts == {"memory": 1, "message": 1}
    assert {item.subject for item in plan.items} == {anna.subject}
    assert {item.action for item in plan.items} == {PlanAction.ERASE}


def test_the_digest_changes_with_every_change_of_the_set(desk: Desk) -> None:
    anna = desk.admit()
    memory = desk.add(anna)
    digests = {desk.intake.plan(anna, WHOLE).digest}
    desk.add(anna)
    digests.add(desk.intake.plan(anna, WHOLE).digest)
    assert len(digests) == 2
    assert desk.intake.plan(anna, WHOLE).digest in digests
    assert desk.intake.plan(anna, scope(memory)).digest not in digests
