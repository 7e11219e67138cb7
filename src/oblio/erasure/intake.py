"""Taking a request: plan, confirmation, and the one transaction after which it cannot be lost."""

import hmac
import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256

from oblio.erasure import plan as planning
from oblio.erasure.destroy import TOMBSTONE, Eraser, Order
from oblio.erasure.steps import first_steps, nothing_steps
from oblio.erasure.targets import Targets
from oblio.errors.erasure import PlanChanged, UnknownRequest
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import Erasure, Plan, PlanAction, Result, Scope, ScopeKind, State, plan_digest
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, TenantId, UnitId, new_id, raw
from oblio.model.memory import ERASURE_TARGET, Item, ItemType
from oblio.model.retention import POLICY
from oblio.model.subject import Holder, HolderRole, HolderState, Ticket
from oblio.ports.access import Fence, Person
from oblio.ports.keys import Head, Keys, binding_of
from oblio.ports.notary import Notary
from oblio.ports.store import Cut, Store, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a caller asks for."""

    scope: Scope
    digest: str | None = None
    """Digest of the plan that was shown; `None` commits to whatever the scope comes to."""
    idempotency: str | None = field(default=None, repr=False)
    """The caller's key: the same key for the same person and scope is the same request (rule X1)."""
    actor: ActorRole = ActorRole.SUBJECT
    types: frozenset[ItemType] = planning.FORGETTABLE
    """What an item scope may name."""
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A request that is durable from now on."""

    row: Erasure
    recovery: str | None = field(repr=False)
    """Opens the request after the person is gone: shown once, stored hashed. `None` when the request was known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Takes requests. Nothing is destroyed here."""

    store: Store
    keys: Keys
    head: Head
    fence: Fence
    notary: Notary
    eraser: Eraser
    cut: Cut

    def plan(self, ticket: Ticket, scope: Scope, /) -> Plan:
        """Return what the scope would erase now, without touching it (rule X19)."""
        with self.store.read() as tx:
            return planning.make(tx, self.fence.enter(tx, ticket), scope)

    def take(self, ticket: Ticket, wish: Wish, /) -> Taken:
        """Lock what the request is about, in one transaction with request, plan and sealed needles (rules X2, X3).

        Raises:
            PlanChanged: the set is another than the one whose digest was confirmed.
            UnknownItem: an item is not this person's.
            SubjectLocked, SubjectErased: see the fence; `known` finds the request that did it.
        """
        with self.store.write() as tx:
            person = self.fence.enter(tx, ticket)
            idempotency = self._idempotency(person, wish)
            known = None if idempotency is None else tx.erasures.find(person.subject, idempotency)
            if known is not None:
                return Taken(row=known, recovery=None)
            plan = planning.make(tx, person, wish.scope, types=wish.types)
            if wish.digest is not None and not hmac.compare_digest(
                wish.digest.encode("utf-8", "surrogatepass"), plan.digest.encode()
            ):
                raise PlanChanged(count=sum(plan.counts.values()))
            code = secrets.token_urlsafe(24)
            row = Erasure(
                tenant=person.tenant,
                request=RequestId(HolderId(new_id())),
                subject=person.subject,
                scope=wish.scope.kind,
                plan_digest=plan.digest,
                idempotency=idempotency,
                recovery=sha256(code.encode()).digest(),
                blanked=plan.blanked,
                received_at=wish.received_at,
                locked_at=wish.received_at,
            ).moved(State.LOCKED)
            self._lock(tx, person, row, plan, wish.actor)
            counter = self.head.advance(tx)
        self.cut("erasure.locked")
        self.head.publish(counter)
        self.cut("erasure.published")
        return Taken(row=row, recovery=code)

    def nobody(self, tenant: TenantId, /, *, now: datetime) -> Erasure:
        """Take and complete a request about somebody of whom there is nothing: `no_data`, with a receipt (rule X1)."""
        row = Erasure(
            tenant=tenant,
            request=RequestId(HolderId(new_id())),
            subject=None,
            scope=ScopeKind.SUBJECT,
            plan_digest=plan_digest(0, ()),
            received_at=now,
            locked_at=now,
        )
        row = row.moved(State.LOCKED).moved(State.IN_PROGRESS).moved(State.COMPLETED)
        row = replace(row, result=Result.NO_DATA, completed_at=now)
        with self.store.write() as tx:
            tx.erasures.add(row, nothing_steps(), ())
            self._note(tx, row, AuditAction.ERASURE_REQUESTED, None, ActorRole.SUBJECT)
            self.notary.fix(tx, row, nothing_steps(), stays={})
        self.notary.publish()
        return row

    def known(self, subject: SubjectId, /) -> Erasure | None:
        """Return the newest request about the whole person, if there is one."""
        with self.store.read() as tx:
            found = [row for row in tx.erasures.of(subject) if row.scope is ScopeKind.SUBJECT]
        return max(found, key=lambda row: row.received_at, default=None)

    def recovered(self, request: RequestId, code: str, /) -> Erasure:
        """Return a request to whoever holds its recovery code.

        Raises:
            UnknownRequest: no such request, or the code does not open it; the two look the same.
        """
        with self.store.read() as tx:
            row = tx.erasures.get(request)
        given = sha256(code.encode("utf-8", "surrogatepass")).digest()
        if row is None or row.recovery is None or not hmac.compare_digest(row.recovery, given):
            raise UnknownRequest
        return row

    def _idempotency(self, person: Person, wish: Wish, /) -> bytes | None:
        if wish.idempotency is None:
            return None
        scope = [wish.scope.kind.encode(), *sorted(raw(item) for item in wish.scope.items)]
        key = wish.idempotency.encode("utf-8", "surrogatepass")
        return self.keys.mac("idempotency", raw(person.subject), key, *scope)

    def _lock(self, tx: Transaction, person: Person, row: Erasure, plan: Plan, actor: ActorRole, /) -> None:
        token = self.fence.profile(tx, person).token
        whole = row.scope is ScopeKind.SUBJECT
        roots = [item.item for item in plan.items if item.action is PlanAction.ERASE]
        order = Order(
            found=planning.closure(tx, roots),
            person=person.subject if whole else None,
            request=row.request,
            now=row.received_at,
        )
        needles = self.eraser.needles(tx, order, person.subject)
        self._seal_targets(tx, row, Targets(token=token, needles=needles))
        tx.erasures.add(row, first_steps(), plan.items)
        if whole:
            self._fence_person(tx, person)
        else:
            # From here on a write that names one of these as a source is refused (fence b).
            tx.tombstones.add(roots, until=(row.received_at + TOMBSTONE).date())
        for action in (AuditAction.ERASURE_REQUESTED, AuditAction.ERASURE_LOCKED):
            self._note(tx, row, action, token, actor)

    @staticmethod
    def _fence_person(tx: Transaction, person: Person, /) -> None:
        holder = tx.holders.get(person.subject)
        if holder is not None:
            tx.holders.put(
                replace(
                    holder,
                    state=HolderState.LOCKED,
                    lookup=None,
                    generation=holder.generation + 1,
                    version=holder.version + 1,
                )
            )

    def _seal_targets(self, tx: Transaction, row: Erasure, targets: Targets, /) -> None:
        self.keys.admit(tx, Holder(tenant=row.tenant, holder=row.request, role=HolderRole.REQUEST))
        item = Item(
            tenant=row.tenant,
            subject=SubjectId(row.request),
            item=ItemId(new_id()),
            type=ItemType.TARGET,
            kind=ItemType.TARGET,
            deletion_class=ERASURE_TARGET.name,
            unit=UnitId(new_id()),
            generation=1,
            saved=row.received_at,
        )
        tx.items.add(item)
        self.keys.seal(tx, targets.encode(), binding_of(item), holders=(row.request,))

    def _note(self, tx: Transaction, row: Erasure, action: AuditAction, token: str | None, actor: ActorRole, /) -> None:
        self.notary.record(
            tx,
            AuditEntry(
                time=row.received_at, action=action, actor=actor, policy=POLICY, request=row.request, subject=token
            ),
        )
