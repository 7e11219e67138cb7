"""Working on a request, from lock to receipt.

Everything that decides what comes next is in durable rows (rule X18): killed at any point and resumed, a request ends
in the same state with the same counts and one receipt. The content dies in `_destroy`; all later steps look again,
prove and tidy up.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from oblio.erasure import plan as planning
from oblio.erasure.destroy import Eraser, Order
from oblio.erasure.steps import BYTES, ITEMS, STORE, Verifier, step
from oblio.erasure.targets import Targets
from oblio.errors.base import Fault
from oblio.errors.erasure import EraserBusy, RequestDamaged, UnknownRequest
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import OPEN, Erasure, Outcome, PlanAction, ScopeKind, State, Step, settled
from oblio.model.ids import RequestId, SubjectId, UnitId, new_id
from oblio.model.memory import Item, ItemState, ItemType
from oblio.model.retention import POLICY
from oblio.ports.keys import Keys, binding_of
from oblio.ports.notary import Notary
from oblio.ports.store import Cut, Exclusive, Store, Transaction

CUTS: Final = (
    "erasure.locked",
    "erasure.published",
    "erasure.baseline",
    "erasure.ledger",
    "erasure.key",
    "erasure.rows",
    "erasure.destroyed",
    "erasure.settled",
    "erasure.rebuilt",
    "erasure.read_back",
    "erasure.rotated",
    "erasure.bytes",
    "erasure.completing",
    "erasure.completed",
    "erasure.receipt",
)
"""Every durable step of a request, in order. Fault tests kill the process at each of them."""

ROTATE_INLINE: Final = 10_000
"""Up to this many keys the rotation that ends old backups runs within the erasure of a person."""

_LOOKS: Final = 5
"""How often the baseline is taken anew before it is taken with writers kept out."""

_TARGETS: Final = frozenset({ItemType.TARGET})


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Carries requests to their end. One worker at a time over all processes."""

    store: Store
    keys: Keys
    notary: Notary
    eraser: Eraser
    verifier: Verifier
    rebuild: Callable[[datetime], int]
    lock: Exclusive
    clock: Callable[[], datetime]
    cut: Cut

    def work(self, request: RequestId, /) -> Erasure:
        """Do what is left of one request and return its row; `in_progress` when a step has to be tried again.

        Raises:
            UnknownRequest: there is none.
            EraserBusy: another process is at work and did not finish in time.
        """
        with self.lock.hold(wait=True) as mine:
            if not mine:
                raise EraserBusy
            return self._work(request)

    def resume(self) -> int:
        """Carry on what a crash or a busy reader left. Return how many requests are still open afterwards.

        Another process that is at work has the lock; then this returns 1 at once, because what it leaves is not known:
        it may die, or be dead, and a program that it started may keep its lock for a moment.
        """
        with self.lock.hold(wait=False) as mine:
            if not mine:
                return 1
            with self.store.read() as tx:
                waiting = [row.request for row in tx.erasures.open()]
                retired = bool(tx.holders.retired())
            if retired:
                self._settle()
            left = sum(self._still_open(request) for request in waiting)
            self.rebuild(self.clock())
            self.notary.publish()
            # A correction that a crash cut off leaves its old version in the log, dead but there.
            self.store.settle()
            return left

    def retry(self, request: RequestId, /, *, accept_limits: bool = False) -> Erasure:
        """Try a blocked request again: its failed and unverified steps become pending.

        Args:
            request: its id.
            accept_limits: end it with `completed_with_limits` when all that is left is a step that cannot be verified.

        Raises:
            UnknownRequest: there is none.
        """
        with self.store.write() as tx:
            row = _row(tx, request)
            if row.state is State.PARTIALLY_BLOCKED:
                for each in tx.erasures.steps(request):
                    if each.outcome in {Outcome.FAILED, Outcome.NOT_VERIFIED}:
                        tx.erasures.put_step(request, replace(each, outcome=Outcome.PENDING, reason=None))
                tx.erasures.put(replace(row.moved(State.IN_PROGRESS), result=None))
        with self.lock.hold(wait=True) as mine:
            if not mine:
                raise EraserBusy
            return self._work(request, accepted=frozenset({STORE}) if accept_limits else frozenset())

    def _still_open(self, request: RequestId, /) -> bool:
        """Work on one of several requests: what stops one must not stop the others, nor the store (rule X16)."""
        try:
            return self._work(request).state in OPEN
        except Fault:
            return True

    def _work(self, request: RequestId, /, *, accepted: frozenset[str] = frozenset()) -> Erasure:
        with self.store.read() as tx:
            row, steps = _row(tx, request), tx.erasures.steps(request)
        if row.state not in OPEN:
            self.notary.publish()
            return row
        targets = self._targets(row, steps)
        if row.state is State.LOCKED:
            row, targets = self._baseline(row, targets)
        if targets.needles or step(steps, ITEMS).outcome is Outcome.PENDING:
            # Also when a step says that it is done: a receipt is signed for what was seen now, not for what a row says.
            row, targets = self._destroy(row, targets)
            self._settle()
            self.rebuild(self.clock())
            self.cut("erasure.rebuilt")
            self._read_back(row, targets)
        row = self._rotate(row)
        if targets.needles or step(steps, BYTES).outcome is Outcome.PENDING:
            self._look(row, targets)
        row = self._complete(row, targets, accepted)
        self.cut("erasure.completed")
        self.store.settle()
        self.notary.publish()
        self.cut("erasure.receipt")
        return row

    def _targets(self, row: Erasure, steps: tuple[Step, ...], /) -> Targets:
        done = all(each.outcome is not Outcome.PENDING for each in steps)
        with self.store.read() as tx:
            if done and not self.keys.holds(tx, row.request):
                # Closing the request destroyed its key, and a crash took the commit. Nothing needs the targets now.
                return Targets(token="", needles=())
            item = _target(tx, row)
            binding = binding_of(item)
            return Targets.decode(self.keys.open(tx, row.request, (binding,))[binding.unit])

    def _baseline(self, row: Erasure, targets: Targets, /) -> tuple[Erasure, Targets]:
        """Look for the needles, and take the plan, as they are now."""
        with self.store.write() as tx:
            row, targets = self._taken_anew(tx, row, targets)
        row = replace(row, planned=self.verifier.baseline(targets.needles))
        with self.store.write() as tx:
            tx.erasures.put(row)
        self.cut("erasure.baseline")
        return row, targets

    def _taken_anew(self, tx: Transaction, row: Erasure, targets: Targets, /) -> tuple[Erasure, Targets]:
        """Take needles and plan anew.

        Since the lock somebody may have derived something, other requests and rotations may have changed keys.
        """
        order, plan = self._order(tx, row), tx.erasures.plan(row.request)
        fresh = self.eraser.needles(tx, order, row.subject or row.request)
        if fresh != targets.needles:
            targets = replace(targets, needles=fresh)
            self._reseal(tx, row, targets)
        spent = tuple(item for item in plan if item.action is PlanAction.SPEND)
        tx.erasures.put_plan(row.request, (*planning.touched(order.found), *spent))
        row = row.moved(State.IN_PROGRESS) if row.state is State.LOCKED else row
        return replace(row, blanked=len(order.found.blank)), targets

    def _reseal(self, tx: Transaction, row: Erasure, targets: Targets, /) -> None:
        old = _target(tx, row)
        new = replace(old, unit=UnitId(new_id()), version=old.version + 1)
        units = (old.unit,) if old.unit else ()
        tx.unit_keys.delete(units)
        tx.contents.delete(units)
        tx.items.put(new)
        self.keys.seal(tx, targets.encode(), binding_of(new), holders=(row.request,))

    def _order(self, tx: Transaction, row: Erasure, /) -> Order:
        plan = tx.erasures.plan(row.request)
        return Order(
            found=planning.closure(tx, [item.item for item in plan if item.action is PlanAction.ERASE]),
            person=row.subject if row.scope is ScopeKind.SUBJECT else None,
            request=row.request,
            spent=tuple(item.item for item in plan if item.action is PlanAction.SPEND),
            now=self.clock(),
        )

    def _destroy(self, row: Erasure, targets: Targets, /) -> tuple[Erasure, Targets]:
        """Destroy exactly what was looked for before; when something came in between, look again first."""
        with self.store.read() as tx:
            begun = any(each.count for each in tx.erasures.steps(row.request))
        if begun:
            # It is dead already, and what was seen before cannot be seen anew.
            self._destroyed(row, None)
            return row, targets
        for _ in range(_LOOKS):
            if row.planned == len(targets.needles) and self._destroyed(row, targets):
                self.cut("erasure.destroyed")
                return row, targets
            row, targets = self._baseline(row, targets)
        return self._looked_and_destroyed(row, targets)

    def _destroyed(self, row: Erasure, targets: Targets | None, /) -> bool:
        """Destroy in one transaction; return false, with nothing done, when there is more than `targets` names."""
        with self.store.write() as tx:
            fresh = self.eraser.needles(tx, self._order(tx, row), row.subject or row.request)
            if targets is not None and not set(fresh) <= set(targets.needles):
                return False
            self._carry_out(tx, row)
        return True

    def _looked_and_destroyed(self, row: Erasure, targets: Targets, /) -> tuple[Erasure, Targets]:
        """Look and destroy in one transaction, because somebody changes things faster than we can look at them."""
        with self.store.write() as tx:
            row, targets = self._taken_anew(tx, row, targets)
            row = replace(row, planned=self.verifier.seen(targets.needles))
            tx.erasures.put(row)
            self._carry_out(tx, row)
        self.cut("erasure.destroyed")
        return row, targets

    def _carry_out(self, tx: Transaction, row: Erasure, /) -> None:
        order = self._order(tx, row)
        units = len(self.eraser.units(tx, order))
        erased = self.eraser.destroy(tx, order)
        for name, count in ((ITEMS, erased), (BYTES, units)):
            each = step(tx.erasures.steps(row.request), name)
            tx.erasures.put_step(row.request, replace(each, count=each.count + count))

    def _settle(self) -> None:
        with self.store.read() as tx:
            if not tx.holders.retired():
                return
        with self.store.write() as tx:
            self.keys.settle(tx, [holder.holder for holder in tx.holders.retired()])
        self.cut("erasure.settled")

    def _read_back(self, row: Erasure, targets: Targets, /) -> None:
        with self.store.read() as tx:
            plan, done = tx.erasures.plan(row.request), step(tx.erasures.steps(row.request), ITEMS)
        self._finish(row, self.verifier.read_back(row, plan, done), targets)
        self.cut("erasure.read_back")

    def _rotate(self, row: Erasure, /) -> Erasure:
        """End the backups of an erased person now; a rotation already under way at the lock does not count."""
        if row.scope is not ScopeKind.SUBJECT or row.locked_at is None or row.horizon is not None:
            return row
        with self.store.read() as tx:
            few = tx.holders.last_slot() < ROTATE_INLINE and not self.store.keys_in_tables
        if not few:
            return row
        try:
            while not (rotation := self.keys.rotate(now=self.clock())).started_here:
                self.cut("erasure.rotated")
        except Fault:
            # Another person's damaged key stops a rotation. The receipt then says that the horizon is not known.
            return row
        row = replace(row, horizon=rotation.finished_at)
        with self.store.write() as tx:
            tx.erasures.put(row)
        self.cut("erasure.rotated")
        return row

    def _look(self, row: Erasure, targets: Targets, /) -> None:
        with self.store.read() as tx:
            planned = step(tx.erasures.steps(row.request), BYTES)
        self._finish(row, self.verifier.look(row, targets.needles, planned), targets)
        self.cut("erasure.bytes")

    def _finish(self, row: Erasure, done: Step, targets: Targets, /) -> None:
        with self.store.write() as tx:
            tx.erasures.put_step(row.request, done)
            if done.outcome is not Outcome.PENDING:
                self._note(tx, row, AuditAction.STEP_FINISHED, targets, done=done)

    def _complete(self, row: Erasure, targets: Targets, accepted: frozenset[str], /) -> Erasure:
        with self.store.write() as tx:
            steps = tx.erasures.steps(row.request)
            state, result = settled(steps, accepted=accepted)
            if state is State.IN_PROGRESS:
                return row
            rebuilt = _rebuilt(tx, row)
            row = replace(row.moved(state), result=result, rebuilt=rebuilt)
            if state is State.COMPLETED:
                row = self._close(tx, row, steps, targets)
            else:
                self._note(tx, row, AuditAction.ERASURE_BLOCKED, targets)
            tx.erasures.put(row)
            self.cut("erasure.completing")
        return row

    def _close(self, tx: Transaction, row: Erasure, steps: tuple[Step, ...], targets: Targets, /) -> Erasure:
        """Destroy the request key, fix the receipt, and drop what only the work needed."""
        whole = row.scope is ScopeKind.SUBJECT
        row = replace(row, completed_at=self.clock(), idempotency=None if whole else row.idempotency)
        stays = sum(item.action is PlanAction.SPEND for item in tx.erasures.plan(row.request))
        queued = tx.erasures.queued(row.request)
        target = _target(tx, row)
        self._unlink(tx, row)
        self.keys.destroy(tx, row.request)
        tx.unit_keys.delete_held(row.request)
        tx.contents.delete([target.unit] if target.unit else [])
        tx.items.delete([target.item])
        tx.holders.delete(row.request)
        tx.erasures.drop_plan(row.request)
        self._note(tx, row, AuditAction.ERASURE_COMPLETED, targets)
        self.notary.fix(tx, row, steps, queued=queued, stays={"source_message": stays} if stays else {})
        return row

    @staticmethod
    def _unlink(tx: Transaction, row: Erasure, /) -> None:
        """Drop the digests of a person's idempotency keys: who guesses a key could name the person by one."""
        if row.scope is ScopeKind.SUBJECT and row.subject is not None:
            for other in tx.erasures.of(row.subject):
                tx.erasures.put(replace(other, idempotency=None))

    def _note(
        self, tx: Transaction, row: Erasure, action: AuditAction, targets: Targets, /, *, done: Step | None = None
    ) -> None:
        outcome = done.outcome.value if done else row.result.value if row.result else None
        self.notary.record(
            tx,
            AuditEntry(
                time=self.clock(),
                action=action,
                actor=ActorRole.SYSTEM,
                policy=POLICY,
                request=row.request,
                subject=targets.token or None,
                step=done.name if done else None,
                target=done.target if done else None,
                level=done.level if done else None,
                count=done.count if done else None,
                outcome=outcome,
                reason=done.reason if done else None,
            ),
        )


def _row(tx: Transaction, request: RequestId, /) -> Erasure:
    row = tx.erasures.get(request)
    if row is None:
        raise UnknownRequest
    return row


def _target(tx: Transaction, row: Erasure, /) -> Item:
    for item in tx.items.of(SubjectId(row.request), types=_TARGETS, limit=1):
        return item
    raise RequestDamaged(request=row.request)


def _rebuilt(tx: Transaction, row: Erasure, /) -> int:
    blanked = [item.item for item in tx.erasures.plan(row.request) if item.action is PlanAction.BLANK]
    return sum(found.state is ItemState.LIVE for found in tx.items.any(blanked).values())
