"""The one eraser: destroys keys and rows of a closure, blanks what was derived, in one transaction.

Forgetting one memory, correcting one, erasing a person and retention all end here (rule X11). Order inside the
transaction: the ledger names what dies (so that no restored backup revives it), the slot of an erased person is zeroed
and synced, rows go, and every other holder whose units vanished gets a new key (old backups hold the old wraps).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from oblio.erasure.plan import Closure
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, UnitId
from oblio.model.memory import Item, ItemState, ItemType
from oblio.model.subject import HolderState
from oblio.ports.keys import Keys, Ledger
from oblio.ports.store import Cut, Transaction
from oblio.ports.tables import Rebuild

TOMBSTONE: Final = timedelta(days=90)
"""How long a write that names an erased item is recognised and refused (rules X5, R2)."""

_SEGMENTS: Final = frozenset({ItemType.SEGMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What shall be destroyed."""

    found: Closure
    person: SubjectId | None
    """The subject whose key dies whole; `None` for an item scope."""
    request: RequestId | None
    """The request that rebuilds are counted under; `None` for a correction, which is its own owner's doing."""
    replaced: Item | None = None
    """A corrected item as it was: its row stays, its old version dies."""
    spent: tuple[ItemId, ...] = ()
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """Destroys. Every method is idempotent: a second call for the same closure finds nothing and changes nothing."""

    keys: Keys
    ledger: Ledger
    cut: Cut

    def units(self, tx: Transaction, order: Order, /) -> tuple[UnitId, ...]:
        """Return the units that vanish: of erased, blanked and replaced items, and every recall block of the owners."""
        rows = [*order.found.erase.values(), *order.found.blank.values(), *self._blocks(tx, order)]
        rows += [order.replaced] if order.replaced else []
        return tuple(dict.fromkeys(row.unit for row in rows if row.unit is not None))

    def needles(self, tx: Transaction, order: Order, holder: HolderId, /) -> tuple[bytes, ...]:
        """Return what a byte check of `order` looks for: none where nothing sealed vanishes and no key changes."""
        units = self.units(tx, order)
        return tuple(self.keys.needles(tx, holder, units)) if units or order.person is not None else ()

    def destroy(self, tx: Transaction, order: Order, /) -> int:
        """Destroy what `order` names and return the number of erased items that had a row."""
        units = self.units(tx, order)
        holders = sorted({row.holder for row in tx.unit_keys.holders(units)} - {order.person})
        if order.replaced is None:
            # A request is carried on until this has happened. Nobody carries on a correction whose commit was lost, so
            # it enters the ledger after its commit.
            self.enter(units, order.person)
        if order.person is not None:
            self.keys.destroy(tx, order.person)
            self.cut("erasure.key")
        self.sweep(tx, order)
        for holder in holders:
            self._rekey(tx, holder)
        self.cut("erasure.rows")
        return len(order.found.erase)

    def enter(self, units: Sequence[UnitId], person: SubjectId | None, /) -> None:
        """Name in the ledger what dies, so that no copy that is put back revives it (rule B1)."""
        self.ledger.append([*units, *([person] if person else [])])
        self.cut("erasure.ledger")

    def sweep(self, tx: Transaction, order: Order, /) -> None:
        """Remove the rows only: for a replay, where the keys are dead already."""
        units = self.units(tx, order)
        blocks = [row.item for row in self._blocks(tx, order)]
        gone = [*order.found.erase, *(block for block in blocks if block not in order.found.erase)]
        tx.unit_keys.delete(units)
        tx.contents.delete(units)
        tx.edges.delete(gone)
        tx.items.delete(gone)
        tx.tombstones.add(order.found.erase, until=(order.now + TOMBSTONE).date())
        for row in order.found.blank.values():
            tx.items.put(replace(row, unit=None, state=ItemState.BLANK))
        tx.erasures.add_rebuilds([_rebuild(row, order.request) for row in order.found.blank.values()])
        tx.items.mark(order.spent, ItemState.SPENT)
        if order.person is not None:
            self._person(tx, order.person)

    def _rekey(self, tx: Transaction, holder: HolderId, /) -> None:
        """Re-key a holder; not one being erased whose key is dead already, in a commit that a crash took."""
        row = tx.holders.get(holder)
        dying = row is not None and row.state is not HolderState.ACTIVE
        if not dying or self.keys.holds(tx, holder):
            self.keys.rekey(tx, holder)

    def _person(self, tx: Transaction, person: SubjectId, /) -> None:
        tx.unit_keys.delete_held(person)
        tx.consents.delete(person)
        tx.imports.delete(person)
        row = tx.holders.get(person)
        if row is not None and row.state is not HolderState.ERASED:
            tx.holders.put(replace(row, state=HolderState.ERASED, lookup=None))

    @staticmethod
    def _blocks(tx: Transaction, order: Order, /) -> list[Item]:
        owners = order.found.owners | ({order.replaced.subject} if order.replaced else set())
        return [row for owner in sorted(owners) for row in tx.items.of(owner, types=_SEGMENTS)]


def _rebuild(row: Item, request: RequestId | None, /) -> Rebuild:
    return Rebuild(tenant=row.tenant, subject=row.subject, item=row.item, request=request)
