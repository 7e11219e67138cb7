"""Correcting a memory: its id, kind and expiry stay; its old version dies like anything erased (rule X11)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.erasure import plan as planning
from oblio.erasure.destroy import Eraser, Order
from oblio.erasure.steps import Verifier
from oblio.errors.access import UnknownItem
from oblio.errors.erasure import EraserBusy
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.memory import Item
from oblio.model.retention import POLICY
from oblio.model.subject import Ticket
from oblio.ports.access import Fence
from oblio.ports.body import TextBody
from oblio.ports.keys import Head, Keys, binding_of
from oblio.ports.notary import Notary
from oblio.ports.store import Cut, Exclusive, Store

CUTS: Final = ("correct.replaced", "correct.settled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A new version of one memory, already screened."""

    old: Item
    new: Item
    body: TextBody


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrector:
    """Replaces versions."""

    store: Store
    keys: Keys
    head: Head
    fence: Fence
    notary: Notary
    eraser: Eraser
    verifier: Verifier
    rebuild: Callable[[datetime], int]
    lock: Exclusive
    cut: Cut

    def correct(self, ticket: Ticket, correction: Correction, /, *, now: datetime) -> str | None:
        """Replace a memory's version, blank what was derived from the old one, and rebuild it from the new one.

        Returns:
            `None` when the old version's bytes are in no live file any more, else why that could not be shown; its key
            is dead in any case.

        Raises:
            UnknownItem: the memory was changed or erased meanwhile.
            SubjectLocked, SubjectErased: see the fence.
            EraserBusy: another process is erasing and did not finish in time.
        """
        with self.lock.hold(wait=True) as mine:
            if not mine:
                raise EraserBusy
            needles = self._replace(ticket, correction, now=now)
            self.eraser.enter((correction.old.unit,) if correction.old.unit else (), None)
            with self.store.write() as tx:
                self.keys.settle(tx, (ticket.subject,))
            self.cut("correct.settled")
            left = self.verifier.purge(needles)
            self.rebuild(now)
        return left

    def _replace(self, ticket: Ticket, correction: Correction, /, *, now: datetime) -> tuple[bytes, ...]:
        old, new = correction.old, correction.new
        with self.store.write() as tx:
            person = self.fence.enter(tx, ticket)
            row = tx.items.get(person.subject, old.item)
            if row is None or row.unit != old.unit or tx.tombstones.among((old.item,)):
                raise UnknownItem
            order = Order(found=planning.downstream(tx, old.item), person=None, request=None, replaced=old, now=now)
            needles = self.eraser.needles(tx, order, person.subject)
            tx.items.put(new)
            self.keys.seal(tx, correction.body.encode(), binding_of(new), holders=(person.subject,))
            self.eraser.destroy(tx, order)
            self.notary.record(
                tx,
                AuditEntry(
                    time=now,
                    action=AuditAction.MEMORY_CORRECTED,
                    actor=ActorRole.SUBJECT,
                    policy=POLICY,
                    subject=self.fence.profile(tx, person).token,
                ),
            )
            # An old copy must be told from this database: it holds a version whose key is dead.
            counter = self.head.advance(tx)
        self.cut("correct.replaced")
        self.head.publish(counter)
        return needles
