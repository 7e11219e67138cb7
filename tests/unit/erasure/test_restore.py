"""An old copy of the database that is put back: what was erased since is gone again, and nothing else."""

import pytest
from tests.unit.erasure.desk import Crash, Desk

from oblio.erasure.restore import Replay, Replayed
from oblio.errors.vault import StoreIsOlder
from oblio.model.audit import AuditAction, AuditEntry
from oblio.model.erasure import Outcome, Result, State
from oblio.model.memory import ItemState, ItemType
from oblio.ports.keys import binding_of


@pytest.fixture
def replay(desk: Desk) -> Replay:
    return Replay(
        store=desk.store,
        keys=desk.keys,
        head=desk.place.head,
        ledger=desk.place.ledger,
        eraser=desk.eraser,
        log=desk.place,
        notary=desk.notary,
        clock=lambda: desk.now,
    )


def facts(desk: Desk) -> list[AuditEntry]:
    return [AuditEntry.from_canonical(body) for body in desk.store.image().pending.values()]


def closed(desk: Desk) -> bool:
    with desk.store.read() as tx:
        try:
            desk.place.head.check(tx)
        except StoreIsOlder:
            return True
    return False


def test_a_person_erased_since_is_gone_again_and_the_other_stays(desk: Desk, replay: Replay) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    mine, theirs = desk.add(anna), desk.add(bo)
    shared = desk.add(bo, type_=ItemType.DERIVED, sources=(mine, theirs))
    kept = desk.add(bo)
    copy = desk.store.image()
    first = desk.erase(anna)
    assert first.result is Result.COMPLETE
    desk.store.put_back(copy)
    assert closed(desk)
    found = replay.run()
    # The shared text was re-keyed with Bo's key, so the copy cannot show what Bo had then: a newer copy has it.
    assert (found.erased_subjects, found.unreadable_subjects) == (1, 1)
    assert not closed(desk)
    assert desk.rows(mine, theirs, shared, kept) == []
    assert [entry.action for entry in facts(desk)] == [AuditAction.LOG_CONTINUED, AuditAction.RESTORE_REPLAYED]
    assert facts(desk)[1].count == 1


def test_a_person_who_was_not_touched_keeps_everything(desk: Desk, replay: Replay) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    mine, theirs = desk.add(anna), desk.add(bo)
    # The rotation of an erasure moves every key to a new epoch; the copy must follow it.
    desk.machine.work(desk.take(anna).row.request)
    copy = desk.store.image()
    desk.machine.work(desk.take(desk.admit("cleo")).row.request)
    desk.store.put_back(copy)
    assert replay.run() == Replayed(erased_subjects=0, unreadable_subjects=0, erased_items=0)
    with desk.store.read() as tx:
        assert desk.keys.open(tx, bo.subject, (binding_of(theirs),))
    assert [row.item for row in desk.rows(mine, theirs)] == [theirs.item]


def test_an_open_request_whose_key_died_since_ends_with_a_receipt_that_says_what_is_not_known(
    desk: Desk, replay: Replay
) -> None:
    anna = desk.admit()
    other = desk.admit("bo")
    item = desk.add(anna)
    taken = desk.take(anna, item)
    copy = desk.store.image()
    desk.machine.work(taken.row.request)
    desk.erase(other)
    desk.store.put_back(copy)
    replay.run()
    with desk.store.read() as tx:
        row = tx.erasures.get(taken.row.request)
        assert row is not None
        assert (row.state, row.result) == (State.COMPLETED, Result.COMPLETED_WITH_LIMITS)
        assert [step.outcome for step in tx.erasures.steps(row.request)] == [Outcome.ERASED, Outcome.NOT_VERIFIED]
        assert not tx.unit_keys.of(row.request, after=0, limit=9)
        assert tx.holders.get(row.request) is None
        assert tx.receipts.payload(row.request) is not None


def test_a_request_that_had_begun_to_work_ends_like_that_too(desk: Desk, replay: Replay) -> None:
    anna = desk.admit()
    taken = desk.take(anna)
    desk.store.settles = False
    desk.machine.work(taken.row.request)
    copy = desk.store.image()
    desk.store.settles = True
    desk.machine.work(taken.row.request)
    desk.erase(desk.admit("bo"))
    desk.store.put_back(copy)
    replay.run()
    with desk.store.read() as tx:
        steps = {step.name: step.outcome for step in tx.erasures.steps(taken.row.request)}
    assert steps == {"items": Outcome.ERASED, "bytes": Outcome.NOT_VERIFIED}


def test_items_that_the_ledger_names_go_even_where_the_key_lives(desk: Desk, replay: Replay) -> None:
    anna = desk.admit()
    first, second = desk.add(anna), desk.add(anna)
    made = desk.add(anna, type_=ItemType.DERIVED, sources=(first, second))
    desk.place.ledger.append([str(first.unit)])
    found = replay.run()
    assert found.erased_items == 1
    assert {row.item: row.state for row in desk.rows(first, second, made)} == {
        second.item: ItemState.LIVE,
        made.item: ItemState.BLANK,
    }


def test_a_replay_that_is_killed_begins_again(desk: Desk, replay: Replay) -> None:
    anna = desk.admit()
    copy = desk.store.image()
    desk.erase(anna)
    desk.store.put_back(copy)
    desk.store._cut = lambda point: desk.cut(f"store.{point}")
    desk.crash_at = "store.commit"
    with pytest.raises(Crash):
        replay.run()
    assert closed(desk)
    assert replay.run().erased_subjects == 1
    assert replay.run() == Replayed(erased_subjects=0, unreadable_subjects=0, erased_items=0)


def test_a_request_whose_key_still_opens_goes_on_by_itself(desk: Desk, replay: Replay) -> None:
    anna, bo = desk.admit(), desk.admit("bo")
    taken = desk.take(anna, desk.add(anna))
    copy = desk.store.image()
    desk.erase(bo, desk.add(bo))
    desk.store.put_back(copy)
    replay.run()
    with desk.store.read() as tx:
        assert [row.request for row in tx.erasures.open()] == [taken.row.request]
    assert desk.machine.resume() == 0
    with desk.store.read() as tx:
        row = tx.erasures.get(taken.row.request)
    assert row is not None
    assert (row.state, row.result) == (State.COMPLETED, Result.COMPLETE)
