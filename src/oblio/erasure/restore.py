"""Replaying the erasure ledger over a database that is older than its key place (rules B1, B2).

An old copy put back opens closed. What was erased since has no key any more, so it cannot be read; this removes its
rows too, and everything else whose key the key place no longer holds, and only then lets the store open. It runs in one
transaction: killed at any point, the store is still closed and the replay starts again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from oblio.erasure import plan as planning
from oblio.erasure.destroy import Eraser, Order
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import Level, Outcome, PlanAction, State, Step, settled
from oblio.model.ids import HolderId, ItemId, SubjectId
from oblio.model.memory import ItemType
from oblio.model.retention import POLICY
from oblio.model.subject import Holder, HolderRole, HolderState
from oblio.ports.keys import Head, Keys, Ledger
from oblio.ports.notary import LogBreak, Notary
from oblio.ports.store import Store, Transaction

PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay did."""

    erased_subjects: int
    """Persons erased since the copy was made: gone again."""
    unreadable_subjects: int
    """Persons whose key was replaced since the copy was made, because they forgot something: what the copy holds of
    them cannot be opened with today's keys and was removed. A newer copy of the database has it."""
    erased_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Replays. Used on a store that is closed; nothing else runs meanwhile."""

    store: Store
    keys: Keys
    head: Head
    ledger: Ledger
    eraser: Eraser
    log: LogBreak
    notary: Notary
    clock: Callable[[], datetime]

    def run(self) -> Replayed:
        """Replay the ledger and open the store. Quiet on a store that is not closed: it changes nothing it need not.

        Raises:
            LedgerForged: the ledger was changed.
        """
        gone, now = frozenset(self.ledger.ids()), self.clock()
        commitment = self.log.archive()
        with self.store.write() as tx:
            self.head.adopt(tx)
            dead = [row for row in _holders(tx) if not self._alive(tx, row)]
            erased, lost = self._people(tx, dead, gone, now=now)
            items = self._units(tx, gone, now=now)
            tx.audit.restart()
            for action, count in ((AuditAction.LOG_CONTINUED, None), (AuditAction.RESTORE_REPLAYED, erased)):
                entry = AuditEntry(
                    time=now,
                    action=action,
                    actor=ActorRole.OPERATOR,
                    policy=POLICY,
                    count=count,
                    digest=commitment if action is AuditAction.LOG_CONTINUED else None,
                )
                tx.audit.add_pending(entry.canonical())
            self._requests(tx, now=now)
        self.store.settle()
        return Replayed(erased_subjects=erased, unreadable_subjects=lost, erased_items=items)

    def _alive(self, tx: Transaction, row: Holder, /) -> bool:
        """Say whether today's key place opens this holder; forget a slot that may be another's by now."""
        if row.state is HolderState.ERASED or self.keys.holds(tx, row.holder):
            return True
        tx.holders.put(replace(row, slot=None, retired_slot=None))
        return False

    def _people(
        self, tx: Transaction, dead: list[Holder], gone: frozenset[str], /, *, now: datetime
    ) -> tuple[int, int]:
        erased = lost = 0
        for row in dead:
            if row.role is HolderRole.SUBJECT:
                erased += row.holder in gone
                lost += row.holder not in gone
                self._remove(tx, SubjectId(row.holder), now=now)
            else:
                self._drop(tx, row.holder)
        return erased, lost

    def _remove(self, tx: Transaction, person: SubjectId, /, *, now: datetime) -> None:
        rows = tx.items.of(person, types=frozenset(ItemType))
        found = planning.closure(tx, [row.item for row in rows])
        self.eraser.sweep(tx, Order(found=found, person=person, request=None, now=now))

    def _units(self, tx: Transaction, gone: frozenset[str], /, *, now: datetime) -> int:
        roots: list[ItemId] = []
        for holder in _holders(tx):
            rows = tx.items.of(SubjectId(holder.holder), types=frozenset(ItemType))
            roots += [row.item for row in rows if row.unit in gone and row.type is not ItemType.SEGMENT]
        found = planning.closure(tx, roots)
        self.eraser.sweep(tx, Order(found=found, person=None, request=None, now=now))
        return len(found.erase)

    @staticmethod
    def _drop(tx: Transaction, request: HolderId, /) -> None:
        rows = tx.items.of(SubjectId(request), types=frozenset({ItemType.TARGET}))
        tx.unit_keys.delete_held(request)
        tx.contents.delete([row.unit for row in rows if row.unit])
        tx.items.delete([row.item for row in rows])
        tx.holders.delete(request)

    def _requests(self, tx: Transaction, /, *, now: datetime) -> None:
        """End what the copy shows as open and whose targets died since: it was completed in the newer database.

        Its receipt there may be lost, so it gets one here. What was in the files then cannot be looked for any more,
        and the receipt says so. A request whose key still opens goes on by itself.
        """
        for row in tx.erasures.open():
            if self.keys.holds(tx, row.request):
                continue
            planned = [item.item for item in tx.erasures.plan(row.request) if item.action is PlanAction.ERASE]
            steps = tuple(_ended(each, len(planned)) for each in tx.erasures.steps(row.request))
            for each in steps:
                tx.erasures.put_step(row.request, each)
            state, result = settled(steps, accepted=frozenset(each.target for each in steps))
            moved = row.moved(State.IN_PROGRESS) if row.state is State.LOCKED else row
            done = replace(moved.moved(state), result=result, completed_at=now)
            tx.erasures.put(done)
            tx.erasures.drop_plan(row.request)
            self.notary.fix(tx, done, steps, queued=tx.erasures.queued(row.request), stays={})


def _ended(each: Step, planned: int, /) -> Step:
    """Return a step of a request that was ended by a replay, which removed the rows of everything it named."""
    if each.outcome is not Outcome.PENDING:
        return each
    if each.level is Level.PHYSICAL:
        return replace(each, outcome=Outcome.NOT_VERIFIED, reason="restored_copy")
    count = max(each.count, planned)
    return replace(each, count=count, outcome=Outcome.ERASED if count else Outcome.NO_DATA)


def _holders(tx: Transaction, /) -> Iterator[Holder]:
    after: HolderId | None = None
    while page := tx.holders.page(after=after, limit=PAGE):
        yield from page
        after = page[-1].holder
