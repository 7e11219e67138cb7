"""Tests of `oblio.audit.notary`: one receipt a request, fixed when it completes, the same bytes for ever."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from oblio.audit.log import AuditLog
from oblio.audit.notary import LogNotary
from oblio.audit.receipt import Receipt
from oblio.audit.signer import Signer
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import Erasure, Level, Outcome, Result, ScopeKind, State, Step
from oblio.model.ids import HolderId, RequestId, new_id
from oblio.model.receipt import FilterMode
from oblio.model.retention import POLICY
from oblio.ports.store import Transaction
from oblio.testing.audit_tables import MemoryCheckpointPlace
from oblio.testing.store import MemoryStore

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SIGNER = Signer("oblio-test", bytes(range(32)))
STEPS = (Step(name="rows", target="store", level=Level.LOGICAL, outcome=Outcome.ERASED, count=2),)
FACT = AuditEntry(time=NOW, action=AuditAction.LATE_WRITE_REFUSED, actor=ActorRole.SYSTEM, policy=POLICY)


class InterferingStore(MemoryStore):
    """Does something in a transaction of its own just before the next write, as another process would."""

    before_write: Callable[[Transaction], None] | None = None

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        act, self.before_write = self.before_write, None
        if act:
            with super().write() as tx:
                act(tx)
        with super().write() as tx:
            yield tx


@dataclass
class Office:
    """A notary over a store in memory."""

    store: InterferingStore = field(default_factory=InterferingStore)
    place: MemoryCheckpointPlace = field(default_factory=MemoryCheckpointPlace)

    def notary(self, **changes: object) -> LogNotary:
        """Return the notary, as a process that has just started would make it."""
        facts: dict[str, Any] = {
            "store": self.store,
            "log": AuditLog(SIGNER, origin="oblio-test", place=self.place),
            "signer": SIGNER,
            "store_id": "50" * 16,
            "filter_mode": FilterMode.ENFORCE,
            "keys_beside_data": False,
            "clock": lambda: NOW,
        }
        facts.update(changes)
        return LogNotary(**facts)

    def fixed(
        self,
        *,
        stays: int = 0,
        queued: int = 0,
        notary: LogNotary | None = None,
        steps: Sequence[Step] = STEPS,
        **changes: object,
    ) -> RequestId:
        """Complete a request and fix its receipt."""
        row = completed(**changes)
        if row.result is Result.NO_DATA:
            steps = [replace(STEPS[0], outcome=Outcome.NO_DATA, count=0)]
        with self.store.write() as tx:
            (notary or self.notary()).fix(tx, row, steps, queued=queued, stays={"source_message": stays})
        return row.request

    def receipt(self, request: RequestId) -> Receipt:
        """Return the issued receipt after verifying it."""
        document = self.notary().document(request)
        assert document is not None
        receipt = Receipt.from_json(document)
        receipt.verify(str(SIGNER.key))
        return receipt


def completed(**changes: object) -> Erasure:
    facts: dict[str, Any] = {
        "request": RequestId(HolderId(new_id())),
        "subject": None,
        "scope": ScopeKind.SUBJECT,
        "state": State.COMPLETED,
        "result": Result.COMPLETE,
        "plan_digest": "",
        "received_at": NOW,
        "locked_at": NOW,
        "completed_at": NOW,
        "horizon": NOW,
    }
    facts.update(changes)
    return Erasure(**facts)


@pytest.fixture
def office() -> Office:
    return Office()


def test_a_fixed_receipt_is_issued_logged_and_verifies(office: Office) -> None:
    request = office.fixed(blanked=3, rebuilt=1)
    receipt = office.receipt(request)
    payload = receipt.payload
    assert (payload.request, payload.state, payload.result) == (request, State.COMPLETED, Result.COMPLETE)
    assert (payload.blanked, payload.rebuilt, payload.queued) == (3, 1, 0)
    assert dict(payload.times) == {"received": NOW, "locked": NOW, "completed": NOW}
    with office.store.read() as tx:
        assert office.place.note == tx.audit.last_checkpoint()


def test_the_receipt_is_the_same_bytes_on_every_call_and_after_more_entries(office: Office) -> None:
    request = office.fixed()
    first = office.notary().document(request)
    office.fixed()
    office.notary().publish()
    assert office.notary().document(request) == first


def test_a_request_has_one_receipt_however_often_it_is_fixed(office: Office) -> None:
    row = completed()
    for steps in (STEPS, [replace(STEPS[0], count=9)]):
        with office.store.write() as tx:
            office.notary().fix(tx, row, steps, stays={})
    assert office.receipt(row.request).payload.steps[0].count == 2
    with office.store.read() as tx:
        assert tx.audit.size() == 1


def test_a_request_that_is_not_completed_has_no_receipt(office: Office) -> None:
    assert office.notary().document(completed().request) is None


def test_a_rolled_back_completion_leaves_neither_receipt_nor_entry(office: Office) -> None:
    row = completed()

    def crash() -> None:
        with office.store.write() as tx:
            office.notary().fix(tx, row, STEPS, stays={})
            raise ConnectionError

    with pytest.raises(ConnectionError):
        crash()
    office.notary().publish()
    assert office.notary().document(row.request) is None
    assert office.place.note is None


def test_an_old_receipt_is_found_far_from_the_end_of_the_log(office: Office) -> None:
    request = office.fixed()
    with office.store.write() as tx:
        for count in range(2_100):
            office.notary().record(tx, replace(FACT, count=count))
    assert office.receipt(request).log.index == 0


def test_another_process_that_issues_first_wins(office: Office) -> None:
    request = office.fixed()
    office.notary().publish()
    office.store.before_write = lambda tx: tx.receipts.put_document(request, b"issued elsewhere")
    assert office.notary().document(request) == b"issued elsewhere"


def test_a_log_that_was_restarted_meanwhile_has_nothing_to_publish(office: Office) -> None:
    office.fixed()
    office.store.before_write = lambda tx: tx.audit.restart()
    office.notary().publish()
    assert office.place.note is None


def test_a_receipt_fixed_before_the_log_was_restarted_is_logged_anew_and_verifies(office: Office) -> None:
    request = office.fixed()

    def restarted_and_busy(tx: Transaction) -> None:
        tx.audit.restart()
        for count in range(1_500):
            office.notary().record(tx, replace(FACT, count=count))

    office.notary().publish()
    office.place.note, office.store.before_write = None, restarted_and_busy
    receipt = office.receipt(request)
    assert receipt.log.index == 1_500
    with office.store.read() as tx:
        assert office.place.note == tx.audit.last_checkpoint()
        assert tx.audit.size() == 1_501
        assert not tx.audit.take_pending(1)


def test_repair_renews_the_copy_outside_and_marks_it(office: Office) -> None:
    office.fixed()
    office.notary().publish()
    office.place.note = None
    office.notary().repair()
    with office.store.read() as tx:
        assert tx.audit.size() == 2
        assert AuditEntry.from_canonical(tx.audit.entry(1) or b"").action is AuditAction.LOG_REPAIRED
        assert office.place.note == tx.audit.last_checkpoint()


def limits(office: Office, request: RequestId) -> set[str]:
    return set(office.receipt(request).payload.limits)


ALWAYS = {"exported_copies", "model_weights", "presence", "storage_hardware"}


def test_the_limits_say_what_is_not_covered(office: Office) -> None:
    assert limits(office, office.fixed()) == ALWAYS
    beside = office.notary(keys_beside_data=True)
    assert limits(office, office.fixed(notary=beside)) == ALWAYS | {"keys_beside_data"}
    assert limits(office, office.fixed(horizon=None)) == ALWAYS | {"horizon_unknown"}
    assert limits(office, office.fixed(blanked=1, queued=1)) == ALWAYS | {"rebuild_queued"}
    assert limits(office, office.fixed(blanked=1)) == ALWAYS
    assert limits(office, office.fixed(scope=ScopeKind.ITEM)) == ALWAYS - {"presence"}
    assert limits(office, office.fixed(stays=1)) == ALWAYS | {"source_messages"}
    trial = office.notary(filter_mode=FilterMode.OBSERVE)
    assert limits(office, office.fixed(notary=trial)) == ALWAYS | {"trial_store"}
    for outcome in (Outcome.NOT_VERIFIED, Outcome.UNSUPPORTED):
        doubtful = [*STEPS, replace(STEPS[0], target="elsewhere", outcome=outcome, reason="busy")]
        request = office.fixed(result=Result.COMPLETED_WITH_LIMITS, steps=doubtful)
        assert limits(office, request) == ALWAYS | {outcome.value}
    office.store.keys_in_tables = True
    assert limits(office, office.fixed()) == ALWAYS | {"write_ahead_log"}


def test_where_nothing_was_found_no_limit_of_what_was_erased_is_listed(office: Office) -> None:
    request = office.fixed(result=Result.NO_DATA, horizon=None, locked_at=None, notary=office.notary())
    assert limits(office, request) == ALWAYS - {"presence"}
    times = json.loads(office.notary().document(request) or b"")["payload"]["times"]
    assert times.keys() == {"received", "completed"}
