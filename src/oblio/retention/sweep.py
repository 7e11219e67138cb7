"""The sweep: what expired is erased, by the one eraser, with its own request and receipt (rules R2, X11).

What expired is invisible at once; the sweep is what makes its bytes go, and what makes texts anew that were derived
from it. It asks nobody's consent, because nobody may keep it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.model.ids import ItemId
from oblio.model.subject import Ticket
from oblio.ports.expiry import Expiring
from oblio.ports.store import Store

AT_ONCE: Final = 500
"""Items of one sweep; what is left waits for the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Erases what expired."""

    store: Store
    eraser: Expiring
    clock: Callable[[], datetime]

    def run(self) -> int:
        """Erase expired items of anybody, at most `AT_ONCE`, and forget tombstones that are due. Return the items.

        Raises:
            EraserBusy: another process is at work and did not finish in time.
        """
        now = self.clock()
        owners: dict[Ticket, list[ItemId]] = {}
        with self.store.read() as tx:
            for row in tx.items.expired(now.date(), limit=AT_ONCE):
                ticket = Ticket(tenant=row.tenant, subject=row.subject, generation=row.generation)
                owners.setdefault(ticket, []).append(row.item)
        swept = sum(self.eraser.expire(ticket, items, now=now) for ticket, items in owners.items())
        with self.store.write() as tx:
            tx.tombstones.sweep(now.date())
        return swept
