"""The notary: facts into the log, and exactly one receipt for each completed request.

The payload of a receipt is fixed in the transaction that completes its request, together with the log entry that
commits to it. Position, checkpoint and signature come after the commit; assembled once, the document never changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.audit.checkpoint import Checkpoint
from oblio.audit.log import AuditLog
from oblio.audit.receipt import Receipt
from oblio.audit.signer import Signer
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import Erasure, Outcome, Result, ScopeKind, State, Step
from oblio.model.ids import RequestId, new_id
from oblio.model.receipt import DocumentKind, FilterMode, Payload
from oblio.model.retention import POLICY
from oblio.ports.store import Store, Transaction

_NEAR: Final = 2_000
"""Entries at the end of the log that are searched first: a receipt is usually asked for soon after it was fixed."""

_LIMITED: Final = frozenset({Outcome.NOT_VERIFIED, Outcome.UNSUPPORTED})
"""Outcomes of a step that are limits of the receipt, under the same names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNotary:
    """Implements `ports.notary.Notary` over the audit log of one store."""

    store: Store
    log: AuditLog
    signer: Signer
    store_id: str
    filter_mode: FilterMode
    keys_beside_data: bool
    """Whether the key place lies beside the database, so that one raw copy may hold both."""
    clock: Callable[[], datetime]

    def record(self, tx: Transaction, entry: AuditEntry, /) -> None:
        """See `ports.notary.Notary.record`."""
        self.log.record(tx.audit, entry)

    def fix(
        self, tx: Transaction, row: Erasure, steps: Sequence[Step], /, *, queued: int = 0, stays: Mapping[str, int]
    ) -> None:
        """See `ports.notary.Notary.fix`."""
        if tx.receipts.payload(row.request) is not None:
            return
        payload = Payload(
            kind=DocumentKind.RECEIPT,
            document=new_id(),
            store=self.store_id,
            request=row.request,
            scope=row.scope,
            state=row.state,
            result=row.result,
            steps=tuple(steps),
            times=_times(row),
            issued=self.clock(),
            horizon=row.horizon,
            limits=self._limits(row, steps, queued=queued, stays=stays),
            policy=POLICY,
            blanked=row.blanked,
            rebuilt=row.rebuilt,
            queued=queued,
            filter_mode=self.filter_mode,
        )
        tx.receipts.add(row.request, payload.canonical())
        self.log.record(tx.audit, payload.entry(actor=ActorRole.SYSTEM))

    def publish(self) -> None:
        """See `ports.notary.Notary.publish`."""
        while self._waiting():
            with self.store.write() as tx:
                checkpoint = self.log.sequence(tx.audit)
            if checkpoint is not None:
                # Under the writer's lock: two processes must not write the copy at once, nor an older one over a newer.
                with self.store.write():
                    self.log.publish(checkpoint)

    def repair(self) -> None:
        """Mend what a crash between commit and publishing left, then publish. To be called at open."""
        marker = AuditEntry(time=self.clock(), action=AuditAction.LOG_REPAIRED, actor=ActorRole.SYSTEM, policy=POLICY)
        with self.store.write() as tx:
            self.log.repair(tx.audit, marker)
        self.publish()

    def document(self, request: RequestId, /) -> bytes | None:
        """See `ports.notary.Notary.document`."""
        with self.store.read() as tx:
            known, body = tx.receipts.document(request), tx.receipts.payload(request)
        if known is not None or body is None:
            return known
        self.publish()
        payload = Payload.from_canonical(DocumentKind.RECEIPT, body)
        with self.store.write() as tx:
            if (known := tx.receipts.document(request)) is not None:
                return known
            index, head = self._position(tx, payload.entry(actor=ActorRole.SYSTEM))
            proof = self.log.inclusion(tx.audit, index)
            document = Receipt.issue(payload, signer=self.signer, proof=proof).to_json().encode()
            tx.receipts.put_document(request, document)
        if head is not None:
            self.log.publish(head)
        return document

    def _position(self, tx: Transaction, entry: AuditEntry, /) -> tuple[int, Checkpoint | None]:
        """Return where the entry of a receipt stands, and the new head if it had to be written for that.

        A replay of the ledger begins a new log, which knows nothing of a receipt that was fixed before it. The entry
        is then recorded again: it holds the digest of the fixed payload, so it commits to the same receipt.
        """
        near = max(0, tx.audit.size() - _NEAR)
        index = self.log.find(tx.audit, entry, since=near)
        if index is None:
            index = self.log.find(tx.audit, entry)
        if index is not None:
            return index, None
        start, head = self.log.record(tx.audit, entry), None
        while index is None:
            head = self.log.sequence(tx.audit)
            index = self.log.find(tx.audit, entry, since=start)
        return index, head

    def _waiting(self) -> bool:
        with self.store.read() as tx:
            return bool(tx.audit.take_pending(1))

    def _limits(
        self, row: Erasure, steps: Sequence[Step], /, *, queued: int, stays: Mapping[str, int]
    ) -> tuple[str, ...]:
        limits = ["exported_copies", "model_weights", "storage_hardware"]
        limits += {step.outcome.value for step in steps if step.outcome in _LIMITED}
        if row.result is not Result.NO_DATA:
            limits += ["keys_beside_data"] if self.keys_beside_data else []
            limits += ["write_ahead_log"] if self.store.keys_in_tables else []
            limits += ["horizon_unknown"] if row.horizon is None else []
            limits += ["rebuild_queued"] if queued else []
            limits += ["presence"] if row.scope is ScopeKind.SUBJECT else []
            limits += ["source_messages"] if stays.get("source_message") else []
        limits += ["trial_store"] if self.filter_mode is FilterMode.OBSERVE else []
        return tuple(sorted(limits))


def _times(row: Erasure) -> dict[str, datetime]:
    times = {
        "received": row.received_at,
        State.LOCKED.value: row.locked_at,
        State.COMPLETED.value: row.completed_at,
    }
    return {name: at for name, at in times.items() if at is not None}
