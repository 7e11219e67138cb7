"""A handle for exactly one person: every call is about this person only.

Before the first grant a handle is unborn: there is no row, nothing can be written, every list is empty. It is bound to
the person by the first call that finds one, and stays bound: after an erasure it answers `SubjectErased`, and a handle
asked for anew is an empty person.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from oblio.access.names import item_id
from oblio.consent.register import checked, purpose_of
from oblio.erasure.correct import Correction
from oblio.erasure.intake import Taken, Wish
from oblio.errors.access import SubjectErased, SubjectLocked, UnknownItem
from oblio.errors.base import Fault
from oblio.errors.consent import UnknownBasis
from oblio.errors.erasure import BadScope, ErasureNotFinal
from oblio.model.consent import Basis, Grant
from oblio.model.erasure import Erasure, Plan, Scope, ScopeKind, State
from oblio.model.ids import ItemId, TenantId
from oblio.model.memory import Derived, Kept, Memory, Message, Note, Origin, Recalled, Recipe, Refused
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.store import Transaction
from oblio.provenance.tracing import Trace
from oblio.recall.prompt import prompt_block
from oblio.wiring import Parts, Receipt

DEFAULT_LIMIT: Final = 10
DEFAULT_WAIT_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 0.05
_NO_CONSENT: Final = Refused(reasons=(Reason.CONSENT_MISSING,))


class Bond:
    """Which person a handle is about: unborn until a row is found, then bound to exactly that row's generation."""

    def __init__(self, parts: Parts, tenant: TenantId, external: str, /) -> None:
        self.tenant: Final = tenant
        self._parts = parts
        self._external = external
        self._ticket: Ticket | None = None

    def find(self) -> Ticket | None:
        """Return the ticket of the person, `None` while there is none."""
        if self._ticket is None:
            with self._parts.store.read() as tx:
                self._ticket = self._parts.fence.find(tx, self.tenant, self._external)
        return self._ticket

    def ticket(self) -> Ticket:
        """Return the ticket of the person.

        Raises:
            UnknownItem: there is nobody, so there is no item either.
        """
        ticket = self.find()
        if ticket is None:
            raise UnknownItem
        return ticket

    def admit(self, tx: Transaction, /, *, now: datetime) -> Ticket:
        """Return the ticket, with a new row in this transaction if there is nobody; `hold` it after the commit."""
        return self._ticket or self._parts.fence.admit(tx, self.tenant, self._external, now=now)

    def hold(self, ticket: Ticket, /) -> None:
        """Stay with this person from now on."""
        self._ticket = ticket


class SubjectHandle:
    """One person. Made by `Oblio.subject`."""

    def __init__(self, parts: Parts, tenant: TenantId, external: str, /) -> None:
        self._parts = parts
        self._bond = Bond(parts, tenant, external)
        self.consent: Final = ConsentHandle(parts, self._bond)

    def __repr__(self) -> str:
        return f"<SubjectHandle of tenant {self._bond.tenant}>"

    def ticket(self) -> Ticket | None:
        """Return the proof of this handle, without the external id; `None` while nobody is there."""
        return self._bond.find()

    def remember(
        self,
        text: str,
        /,
        *,
        kind: str = "preference",
        sources: Sequence[str] = (),
        said_at: datetime | None = None,
        origin: Origin = Origin.SAID,
    ) -> Kept | Refused:
        """Store one memory if the person's consent and the filter allow it.

        Args:
            text: the statement, at most 4,000 characters.
            kind: `preference`, `goal`, `difficulty`, `fact`, `session` or `sensitive`; decides how long it is kept.
            sources: ids of this person's items that it was taken from.
            said_at: when it was said, aware; it dates the memory and does not move its expiry.
            origin: how it came to be.

        Returns:
            `Kept` with its id, and reasons if something was cut out; or `Refused` with reasons. Not an exception.

        Raises:
            NoSuchKind, BadTime, BadId, UnknownItem, ErasedSource, TooManySources: the arguments do not fit.
            SubjectLocked, SubjectErased: this handle is older than the person's erasure.
        """
        note = Note(text=text, kind=kind, sources=_ids(sources), said_at=said_at, origin=origin)
        ticket = self.ticket()
        if ticket is None:
            return _NO_CONSENT
        with self._parts.late.counted():
            return self._parts.book.remember(ticket, note, now=self._parts.clock())

    def recall(self, query: str, /, *, limit: int = DEFAULT_LIMIT) -> list[Recalled]:
        """Return the memories that answer a question, best first; none while consent for memory does not stand.

        Raises:
            EmptyQuery, BadLimit: the arguments do not fit.
            SubjectLocked, SubjectErased: this handle is older than the person's erasure.
        """
        ticket = self.ticket()
        if ticket is None:
            return []
        return self._parts.finder.recall(ticket, query, limit=limit, now=self._parts.clock())

    def prompt(self, query: str, /, *, tokens: int = 400, limit: int = DEFAULT_LIMIT) -> str:
        """Return recalled memories as a block for a prompt, quoted as data with their ids, within a token budget."""
        return prompt_block(self.recall(query, limit=limit), tokens=tokens)

    def memories(self) -> Iterator[Memory]:
        """Yield everything remembered, newest first, with text, kind, saved, expires and where from."""
        ticket = self.ticket()
        return iter(()) if ticket is None else self._parts.book.memories(ticket, now=self._parts.clock())

    def messages(self) -> Iterator[Message]:
        """Yield the messages of the history, newest first."""
        ticket = self.ticket()
        return iter(()) if ticket is None else self._parts.history.messages(ticket, now=self._parts.clock())

    def memory(self, item: str, /) -> Memory:
        """Return one memory.

        Raises:
            BadId, UnknownItem: this person has no such memory.
        """
        return self._parts.book.memory(self._bond.ticket(), item_id(item), now=self._parts.clock())

    def correct(self, item: str, text: str, /) -> Kept | Refused:
        """Replace the text of a memory. Id, kind and expiry stay; the old text and what was made from it go.

        Raises:
            BadId, UnknownItem: this person has no such memory.
            EraserBusy: another process is erasing and did not finish in time.
        """
        ticket, now, book = self._bond.ticket(), self._parts.clock(), self._parts.book
        with self._parts.late.counted():
            old = book.find(ticket, item_id(item), now=now)
            prepared = book.revise(ticket, old, text)
            if isinstance(prepared, Refused):
                return prepared
            correction = Correction(old=old, new=book.replaced(old), body=prepared.body)
            pending = self._parts.corrector.correct(ticket, correction, now=now)
        if pending is not None:
            self._parts.engine.wake()
        return Kept(id=old.item, reasons=prepared.reasons, pending=pending)

    def derive(
        self,
        name: str,
        /,
        *,
        sources: Sequence[str],
        deriver: str = "digest",
        text: str | None = None,
        with_: Sequence["SubjectHandle"] = (),
    ) -> Kept | Refused:
        """Make a text from items: it loses its text when a source is erased, and is made anew from the others.

        Args:
            name: technical name, such as `profile`.
            sources: ids of what it is made from, at least one.
            deriver: registered function that makes it, now and whenever it has to be made anew.
            text: what your own code made from the sources; the deriver then only makes it anew.
            with_: handles of other persons whose items are among the sources.

        Raises:
            NoSources, TooManySources, TooDeep, UnknownItem, ErasedSource, UnknownDeriver, DeriverFailed, BadName.
        """
        recipe = Recipe(name=name, sources=_ids(sources), deriver=deriver, text=text)
        ticket = self.ticket()
        if ticket is None:
            return _NO_CONSENT
        others = [handle.ticket() for handle in with_]
        if None in others:
            raise UnknownItem
        recipe = replace(recipe, others=tuple(other for other in others if other is not None))
        with self._parts.late.counted():
            return self._parts.workshop.derive(ticket, recipe, now=self._parts.clock())

    def derived(self) -> Sequence[Derived]:
        """Return derived items, newest first; one that lost a source and was not made anew has no text."""
        ticket = self.ticket()
        return () if ticket is None else self._parts.workshop.derived(ticket, now=self._parts.clock())

    def trace(self, item: str, /) -> Trace:
        """Return where an item is and what it is connected with: ids, states and counts.

        Raises:
            BadId, UnknownItem: this person has no such item.
        """
        return self._parts.tracer.trace(self._bond.ticket(), item_id(item))

    def plan(self, scope: Scope, /) -> Plan:
        """Return what an erasure of `scope` would do; nothing is touched.

        Args:
            scope: `Scope.whole()` for the person, `Scope.of(id, ...)` for items.

        Raises:
            BadScope: no scope; nothing never means everything.
            BadId, UnknownItem: this person has no such item.
            SubjectLocked, SubjectErased: this handle is older than the person's erasure.
        """
        return self._parts.intake.plan(self._bond.ticket(), _checked(scope))

    def forget(self, item: str, /, *, plan: str | None = None, wait: float = DEFAULT_WAIT_SECONDS) -> Receipt:
        """Erase one memory or derived item, with everything that only it supports.

        Args:
            item: its id.
            plan: digest of the plan that was shown; refused when the set has changed since.
            wait: seconds to wait for readers that keep old pages alive.

        Raises:
            BadId, UnknownItem: this person has no such item.
            PlanChanged: see `plan`.
            ErasureNotFinal: the content is dead, the proof takes longer.
        """
        return self.finish(self.begin(Scope.of(item_id(item)), plan=plan), wait=wait)

    def erase(self, *, plan: str | None = None, key: str | None = None, wait: float = DEFAULT_WAIT_SECONDS) -> Receipt:
        """Erase this person: every item, key and row. Answers with the same receipt when it was done before.

        Args:
            plan: digest of the plan that was shown; refused when the set has changed since.
            key: idempotency key of your application.
            wait: seconds to wait for readers that keep old pages alive.

        Raises:
            PlanChanged: see `plan`.
            ErasureNotFinal: the content is dead, the proof takes longer.
        """
        return self.finish(self.begin(Scope.whole(), plan=plan, key=key), wait=wait)

    def begin(self, scope: Scope, /, *, plan: str | None = None, key: str | None = None) -> Taken:
        """Take an erasure request. It cannot be lost when this returns, and nothing can be made from what it names.

        A whole person is locked from here on; single items stay readable until `finish`.

        Args:
            scope: `Scope.whole()` for the person, `Scope.of(id, ...)` for items.
            plan: digest of the plan that was shown; refused when the set has changed since.
            key: idempotency key of your application: the same key and scope is the same request.

        Returns:
            The request, and the recovery code that opens it after the person is gone (once, never stored in clear).

        Raises:
            BadScope, BadId, UnknownItem, PlanChanged: it cannot be taken like this.
            SubjectLocked, SubjectErased: for items only; a whole person answers with the request that did it.
        """
        whole = _checked(scope).kind is ScopeKind.SUBJECT
        now, ticket = self._parts.clock(), self.ticket()
        if ticket is None:
            if not whole:
                raise UnknownItem
            return Taken(row=self._parts.intake.nobody(self._bond.tenant, now=now), recovery=None)
        try:
            return self._parts.intake.take(ticket, Wish(scope=scope, digest=plan, idempotency=key, received_at=now))
        except (SubjectLocked, SubjectErased):
            known = self._parts.intake.known(ticket.subject) if whole else None
            if known is None:
                raise
            return Taken(row=known, recovery=None)

    def finish(self, taken: Taken, /, *, wait: float = DEFAULT_WAIT_SECONDS) -> Receipt:
        """Carry a request to its end and return its receipt.

        Raises:
            ErasureNotFinal: a step is not done yet; the request goes on by itself, in this process or at the next open.
            EraserBusy, StoreBusy: another process is at work; the request goes on by itself too.
        """
        until, pause = time.monotonic() + wait, threading.Event()
        try:
            row = self._parts.machine.work(taken.row.request)
            while row.state is State.IN_PROGRESS and time.monotonic() < until:
                pause.wait(_RETRY_SECONDS)
                row = self._parts.machine.work(row.request)
            document = self._parts.notary.document(row.request)
        except Fault:
            self._parts.engine.wake()
            raise
        if document is None:
            self._parts.engine.wake()
            raise ErasureNotFinal(request=row.request, state=row.state.value)
        return Receipt.from_json(document)

    def requests(self) -> Sequence[Erasure]:
        """Return this person's erasure requests; also after the erasure."""
        ticket = self.ticket()
        if ticket is None:
            return ()
        with self._parts.store.read() as tx:
            return tx.erasures.of(ticket.subject)


class ConsentHandle:
    """The consents of one person."""

    def __init__(self, parts: Parts, bond: Bond, /) -> None:
        self._parts = parts
        self._bond = bond

    def grant(self, purpose: str, /, *, notice: str, basis: str = "consent") -> None:
        """Record that the person allowed a purpose, on the notice they saw. Their row is made by the first grant.

        Args:
            purpose: `memory`, `history`, `sensitive` or `analytics`.
            notice: version of the notice, such as `2026-11`.
            basis: `consent`, or `contract` for history.

        Raises:
            UnknownPurpose, BadNotice, BasisNotAllowed, NeedsMemory: it cannot be granted like this.
            SubjectLocked, SubjectErased: this handle is older than the person's erasure.
        """
        chosen, now = purpose_of(purpose), self._parts.clock()
        with self._parts.late.counted(), self._parts.store.write() as tx:
            ticket = self._bond.admit(tx, now=now)
            grant = checked(ticket, chosen, notice=notice, basis=_basis(basis), now=now)
            self._parts.register.grant(tx, ticket, grant)
        self._bond.hold(ticket)

    def withdraw(self, purpose: str, /) -> bool:
        """End a purpose at once: nothing is written or used under it any more. Nothing is erased by this.

        Returns:
            Whether it stood.
        """
        chosen, ticket = purpose_of(purpose), self._bond.find()
        if ticket is None:
            return False
        with self._parts.store.write() as tx:
            return self._parts.register.withdraw(tx, ticket, chosen, now=self._parts.clock())

    def list(self) -> tuple[Grant, ...]:
        """Return every grant and withdrawal, oldest first."""
        ticket = self._bond.find()
        if ticket is None:
            return ()
        with self._parts.store.read() as tx:
            self._parts.fence.enter(tx, ticket)
            return tx.consents.of(ticket.subject)


def _ids(values: Sequence[str]) -> tuple[ItemId, ...]:
    return tuple(item_id(value) for value in values)


def _checked(scope: Scope) -> Scope:
    if not isinstance(scope, Scope):
        raise BadScope
    for item in scope.items:
        item_id(item)
    return scope


def _basis(value: str) -> Basis:
    try:
        return Basis(value)
    except ValueError:
        raise UnknownBasis from None
