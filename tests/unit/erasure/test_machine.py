"""From lock to receipt: every step, every crash, every way to be blocked and to go on."""

from dataclasses import replace
from datetime import datetime

import pytest
from tests.unit.erasure.desk import Crash, Desk

from oblio.erasure import machine
from oblio.erasure.machine import CUTS
from oblio.erasure.steps import Verifier
from oblio.errors.erasure import EraserBusy, RequestDamaged, UnknownRequest
from oblio.errors.vault import KeyDestroyed
from oblio.model.audit import AuditAction
from oblio.model.erasure import Outcome, Result, Scope, State
from oblio.model.ids import HolderId, RequestId, SubjectId, UnitId, new_id
from oblio.model.memory import ItemState, ItemType
from oblio.model.subject import HolderState
from oblio.ports.body import TextBody
from oblio.ports.keys import Rotation, binding_of
from oblio.vault.keyring import Keyring


def test_a_memory_is_erased_purged_and_receipted(desk: Desk) -> None:
    anna = desk.admit()
    message = desk.add(anna, type_=ItemType.MESSAGE)
    item, other = desk.add(anna, sources=(message,)), desk.add(anna)
    row = desk.erase(anna, item)
    assert (row.state, row.result, row.horizon) == (State.COMPLETED, Result.COMPLETE, None)
    outcomes = {name: (step.outcome, step.count) for name, step in desk.steps(row).items()}
    assert outcomes == {"items": (Outcome.ERASED, 1), "bytes": (Outcome.PURGED, 1)}
    assert {found.item: found.state for found in desk.rows(item, other, message)} == {
        other.item: ItemState.LIVE,
        message.item: ItemState.SPENT,
    }
    assert desk.notary.stays == {"source_message": 1}
    look = desk.looking.again(row.request)
    assert look.clean
    assert (look.request_left, look.units_left, look.person_left) == (0, 0, None)


def test_a_person_is_erased_with_a_horizon_and_the_other_stays_identical(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    desk.add(anna)
    theirs = desk.add(bo)
    row = desk.erase(anna)
    assert (row.state, row.result) == (State.COMPLETED, Result.COMPLETE)
    assert row.horizon is not None
    with desk.store.read() as tx:
        holder = tx.holders.get(anna.subject)
        body = desk.keys.open(tx, bo.subject, (binding_of(theirs),))
    assert holder is not None
    assert (holder.state, holder.slot, holder.lookup) == (HolderState.ERASED, None, None)
    assert TextBody.decode(body[binding_of(theirs).unit]).text == theirs.item
    look = desk.looking.again(row.request)
    assert (look.clean, look.person_left) == (True, 0)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("point", CUTS)
def test_after_a_crash_at_any_step_resuming_ends_like_an_undisturbed_run(
    desk: Desk, point: str, *, whole: bool
) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    mine = [desk.add(anna) for _ in range(2)]
    shared = desk.add(bo, type_=ItemType.DERIVED, sources=(mine[0], desk.add(bo)))
    desk.crash_at = point
    try:
        desk.erase(anna, *([] if whole else mine))
    except Crash:
        pass
    else:
        assert point in {"erasure.key", "erasure.rotated"}
        assert not whole
    assert desk.machine.resume() == 0
    with desk.store.read() as tx:
        (row,) = tx.erasures.of(anna.subject)
        assert tx.receipts.payload(row.request) is not None
        assert not tx.erasures.plan(row.request)
    assert (row.state, row.result, row.horizon is not None) == (State.COMPLETED, Result.COMPLETE, whole)
    steps = desk.steps(row)
    assert (steps["items"].count, steps["bytes"].count) == ((3, 4) if whole else (2, 3))
    assert [(found.item, found.state) for found in desk.rows(*mine, shared)] == [(shared.item, ItemState.BLANK)]
    assert desk.machine.resume() == 0


def test_the_request_key_dies_only_after_every_step(desk: Desk) -> None:
    anna = desk.admit()
    taken = desk.take(anna)
    with desk.store.write() as tx:
        desk.keys.destroy(tx, taken.row.request)
    with pytest.raises(KeyDestroyed):
        desk.machine.work(taken.row.request)


def test_two_workers_exclude_each_other_and_an_unknown_request_is_named(desk: Desk) -> None:
    taken = desk.take(desk.admit())
    desk.lock.free = False
    with pytest.raises(EraserBusy):
        desk.machine.work(taken.row.request)
    assert desk.machine.resume() == 1
    with desk.store.read() as tx:
        assert [row.state for row in tx.erasures.open()] == [State.LOCKED]
    desk.lock.free = True
    for act in (desk.machine.work, desk.machine.retry):
        with pytest.raises(UnknownRequest):
            act(RequestId(HolderId(new_id())))


def test_a_reader_in_the_way_leaves_the_request_open_until_it_is_gone(desk: Desk) -> None:
    anna = desk.admit()
    desk.store.settles = False
    row = desk.erase(anna)
    assert (row.state, row.result) == (State.IN_PROGRESS, None)
    step = desk.steps(row)["bytes"]
    assert (step.outcome, step.reason, step.attempts) == (Outcome.PENDING, "reader_active", 1)
    assert desk.machine.resume() == 1
    desk.store.settles = True
    done = desk.machine.work(row.request)
    assert done.result is Result.COMPLETE
    assert desk.steps(done)["bytes"].attempts == 3


def test_a_reader_that_comes_before_the_second_look_leaves_it_open_too(desk: Desk) -> None:
    answers = iter([True, False])
    desk.store.settle = lambda: next(answers, True)  # type: ignore[method-assign]
    anna = desk.admit()
    taken = desk.take(anna, desk.add(anna))
    with desk.store.read() as tx:
        assert desk.verifier.purge([b"\0" * 12]) == "reader_active"
        assert tx.erasures.get(taken.row.request) is not None
    assert desk.store.compacted == 1


def test_a_blind_byte_check_is_not_verified_and_a_retry_completes_it_only_with_sight(desk: Desk) -> None:
    anna = desk.admit()
    desk.bytes.hidden = 1
    row = desk.erase(anna)
    assert (row.state, row.result) == (State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION)
    step = desk.steps(row)["bytes"]
    assert (step.outcome, step.reason) == (Outcome.NOT_VERIFIED, "baseline_incomplete")
    assert desk.notary.entries[-1].action is AuditAction.ERASURE_BLOCKED
    assert desk.machine.retry(row.request).state is State.PARTIALLY_BLOCKED
    with desk.store.read() as tx:
        assert tx.receipts.payload(row.request) is None
    done = desk.machine.retry(row.request, accept_limits=True)
    assert (done.state, done.result) == (State.COMPLETED, Result.COMPLETED_WITH_LIMITS)
    assert desk.steps(row)["bytes"].outcome is Outcome.NOT_VERIFIED


def test_residue_rewrites_the_file_and_blocks_what_remains_until_a_retry(desk: Desk) -> None:
    anna = desk.admit()
    taken = desk.take(anna)
    desk.bytes.invented = 3  # before the destruction, after it, and after the file was rewritten
    row = desk.machine.work(taken.row.request)
    step = desk.steps(row)["bytes"]
    assert (row.state, step.outcome, step.reason) == (State.PARTIALLY_BLOCKED, Outcome.FAILED, "residue")
    assert desk.store.compacted == 1
    done = desk.machine.retry(row.request)
    assert (done.state, done.result) == (State.COMPLETED, Result.COMPLETE)
    assert desk.machine.retry(row.request) == done


def test_residue_that_a_rewrite_removes_is_purged(desk: Desk) -> None:
    anna = desk.admit()
    taken = desk.take(anna)
    desk.bytes.invented = 2
    assert desk.machine.work(taken.row.request).result is Result.COMPLETE
    assert desk.store.compacted == 1


def test_files_that_grow_too_fast_are_read_while_writers_wait(desk: Desk) -> None:
    taken = desk.take(desk.admit())
    desk.bytes.restless = 2
    assert desk.machine.work(taken.row.request).result is Result.COMPLETE
    assert desk.bytes.restless == 0


def test_what_can_still_be_read_blocks_the_request(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)

    def come_back(_now: datetime) -> int:
        with desk.store.write() as tx:
            tx.items.add(replace(item, unit=UnitId(new_id())))
        return 0

    desk.work = come_back
    row = desk.erase(anna, item)
    step = desk.steps(row)["items"]
    assert (row.result, step.outcome, step.reason) == (Result.NEEDS_ATTENTION, Outcome.FAILED, "still_readable")
    assert not desk.looking.again(row.request).clean
    with desk.store.write() as tx:
        tx.items.delete([item.item])
    desk.work = lambda _now: 0
    assert desk.machine.retry(row.request).result is Result.COMPLETE


def test_a_rotation_that_was_under_way_at_the_lock_is_not_the_horizon(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = desk.admit()
    answers = iter([False, True])
    rotate = desk.keys.rotate

    def twice(*, now: datetime) -> Rotation:
        return replace(rotate(now=now), started_here=next(answers))

    monkeypatch.setattr(desk.keys, "rotate", twice)
    assert desk.erase(anna).horizon is not None
    assert next(answers, None) is None


def test_a_large_store_is_rotated_elsewhere(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "ROTATE_INLINE", 0)
    row = desk.erase(desk.admit())
    assert (row.result, row.horizon) == (Result.COMPLETE, None)


def test_a_request_after_the_work_of_another_one_has_nothing_to_do(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    first, second = desk.take(anna, item), desk.take(anna, item)
    with desk.store.read() as tx:
        targets = desk.machine._targets(second.row, tx.erasures.steps(second.row.request))
    moved, targets = desk.machine._baseline(second.row, targets)
    assert desk.machine.work(first.row.request).result is Result.COMPLETE
    assert moved.planned == len(targets.needles) > 0
    done = desk.machine.work(second.row.request)
    assert (done.result, {step.outcome for step in desk.steps(done).values()}) == (Result.NO_DATA, {Outcome.NO_DATA})


def test_keys_that_changed_since_the_lock_are_looked_for_anew(desk: Desk) -> None:
    anna = desk.admit()
    items = [desk.add(anna) for _ in range(2)]
    taken = [desk.take(anna, item) for item in items]
    assert [desk.machine.work(each.row.request).result for each in taken] == [Result.COMPLETE, Result.COMPLETE]


def test_a_key_that_a_rekeying_left_behind_is_settled_when_resuming(desk: Desk) -> None:
    anna = desk.admit()
    with desk.store.write() as tx:
        desk.keys.rekey(tx, anna.subject)
    assert desk.machine.resume() == 0
    with desk.store.read() as tx:
        assert not tx.holders.retired()


def test_one_damaged_request_stops_neither_the_others_nor_the_resuming(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    broken, sound = desk.take(anna, desk.add(anna)), desk.take(bo, desk.add(bo))
    with desk.store.write() as tx:
        (target,) = tx.items.of(SubjectId(broken.row.request), types=frozenset({ItemType.TARGET}))
        tx.items.delete([target.item])
    assert desk.machine.resume() == 1
    with desk.store.read() as tx:
        assert [row.request for row in tx.erasures.open()] == [broken.row.request]
        done = tx.erasures.get(sound.row.request)
    assert done is not None
    assert (done.state, done.result) == (State.COMPLETED, Result.COMPLETE)
    with pytest.raises(RequestDamaged):
        desk.machine.work(broken.row.request)


def test_a_retry_waits_for_its_turn_like_all_work(desk: Desk) -> None:
    taken = desk.take(desk.admit())
    desk.lock.free = False
    with pytest.raises(EraserBusy):
        desk.machine.retry(taken.row.request)


def test_a_key_of_somebody_else_that_stops_the_rotation_leaves_the_horizon_unknown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> Rotation:
        raise KeyDestroyed

    monkeypatch.setattr(Keyring, "rotate", stopped)
    row = desk.erase(desk.admit())
    assert (row.state, row.result, row.horizon) == (State.COMPLETED, Result.COMPLETE, None)


def test_where_everything_changes_faster_than_it_can_be_looked_at_writers_are_kept_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Verifier, "baseline", lambda _verifier, needles: len(needles) - 1)
    anna = desk.admit()
    row = desk.erase(anna, desk.add(anna))
    assert (row.state, row.result) == (State.COMPLETED, Result.COMPLETE)
    assert desk.steps(row)["bytes"].outcome is Outcome.PURGED


def test_a_memory_that_loses_one_of_its_sources_is_erased_openly(desk: Desk) -> None:
    anna = desk.admit()
    first, second = desk.add(anna), desk.add(anna)
    taken_from_both = desk.add(anna, sources=(first, second))
    made = desk.add(anna, type_=ItemType.DERIVED, sources=(taken_from_both, second))
    plan = desk.intake.plan(anna, Scope.of(first.item))
    assert plan.counts == {"memory": 2}
    assert plan.blanked == 1
    desk.erase(anna, first)
    assert {row.item for row in desk.rows(first, second, taken_from_both, made)} == {second.item, made.item}
