"""Taking a request: once, in one transaction, with a code that opens it afterwards."""

import hmac

import pytest
from tests.unit.erasure.desk import Crash, Desk

from oblio.erasure.intake import Intake
from oblio.errors.access import SubjectErased, SubjectLocked, UnknownItem
from oblio.errors.erasure import PlanChanged, UnknownRequest
from oblio.model.audit import AuditAction
from oblio.model.erasure import Outcome, Result, Scope, ScopeKind, State
from oblio.model.ids import DEFAULT_TENANT, HolderId, RequestId, SubjectId, new_id
from oblio.ports.access import Person


def test_a_confirmed_plan_is_taken_and_a_changed_one_refused(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    digest = desk.intake.plan(anna, Scope(kind=ScopeKind.ITEM, items=(item.item,))).digest
    with pytest.raises(PlanChanged):
        desk.take(anna, item, digest="0" * 64)
    assert desk.take(anna, item, digest=digest).row.state is State.LOCKED


def test_the_same_idempotency_key_gives_the_same_request(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    first, again, other = (desk.take(anna, item, key=key) for key in ("order-1174", "order-1174", "other"))
    assert again.row == first.row
    assert (first.recovery is None, again.recovery) == (False, None)
    assert other.row.request != first.row.request
    assert first.row.idempotency is not None
    assert b"order-1174" not in first.row.idempotency


def test_locking_a_person_refuses_old_tickets_at_once(desk: Desk) -> None:
    anna = desk.admit()
    desk.take(anna)
    with pytest.raises(SubjectLocked):
        desk.take(anna)
    with desk.store.read() as tx:
        assert desk.fence.find(tx, DEFAULT_TENANT, "anna") is None
        holder = tx.holders.get(anna.subject)
    assert holder is not None
    assert (holder.generation, holder.lookup) == (2, None)


def test_a_locked_memory_is_no_source_any_more(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    desk.take(anna, item)
    with desk.store.read() as tx:
        assert tx.tombstones.among((item.item,)) == {item.item}


def test_a_request_that_crashes_before_its_commit_never_was(desk: Desk) -> None:
    anna = desk.admit()
    item = desk.add(anna)
    desk.store._cut = lambda point: desk.cut(f"store.{point}")
    desk.crash_at = "store.commit"
    with pytest.raises(Crash):
        desk.take(anna, item)
    with desk.store.read() as tx:
        assert not tx.erasures.open()
        assert not tx.tombstones.among((item.item,))


def test_nobody_gets_a_request_without_data_and_with_a_receipt(desk: Desk) -> None:
    row = desk.intake.nobody(DEFAULT_TENANT, now=desk.now)
    assert (row.state, row.result, row.subject) == (State.COMPLETED, Result.NO_DATA, None)
    assert {step.outcome for step in desk.steps(row).values()} == {Outcome.NO_DATA}
    with desk.store.read() as tx:
        assert tx.receipts.payload(row.request) is not None
    assert [entry.action for entry in desk.notary.entries] == [AuditAction.ERASURE_REQUESTED]
    assert desk.machine.work(row.request) == row


def test_the_newest_request_about_the_person_is_found_after_the_person_is_gone(desk: Desk) -> None:
    anna = desk.admit()
    assert desk.intake.known(anna.subject) is None
    desk.erase(anna, desk.add(anna))
    assert desk.intake.known(anna.subject) is None
    row = desk.erase(anna)
    assert desk.intake.known(anna.subject) == row
    with pytest.raises(SubjectErased):
        desk.take(anna)


def test_only_its_own_code_opens_a_request(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = desk.admit()
    taken = desk.take(anna)
    compared: list[int] = []
    compare = hmac.compare_digest

    def noted(left: bytes, right: bytes) -> bool:
        compared.append(len(left))
        return compare(left, right)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    assert taken.recovery is not None
    assert desk.intake.recovered(taken.row.request, taken.recovery) == taken.row
    assert compared == [32]
    nobody = desk.intake.nobody(DEFAULT_TENANT, now=desk.now)
    for request, code in (
        (taken.row.request, "wrong"),
        (RequestId(HolderId(new_id())), taken.recovery),
        (nobody.request, taken.recovery),
    ):
        with pytest.raises(UnknownRequest):
            desk.intake.recovered(request, code)
    assert taken.recovery not in repr(taken.row)


def test_an_item_of_somebody_else_locks_nothing(desk: Desk) -> None:
    anna, bo = desk.admit("anna"), desk.admit("bo")
    item = desk.add(bo)
    with pytest.raises(UnknownItem):
        desk.take(anna, item)
    with desk.store.read() as tx:
        assert not tx.erasures.open()
        assert desk.fence.enter(tx, bo).subject == bo.subject


def test_fencing_somebody_without_a_row_changes_nothing(desk: Desk) -> None:
    ghost = Person(tenant=DEFAULT_TENANT, subject=SubjectId(HolderId(new_id())), generation=1, purposes=frozenset())
    before = desk.store.image()
    with desk.store.write() as tx:
        Intake._fence_person(tx, ghost)
    assert desk.store.image() == before
