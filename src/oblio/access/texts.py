"""Reading one person's texts, page by page, each page in a view of its own that the fence let in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.model.memory import Item, ItemType
from oblio.model.retention import is_expired
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Person, Shown
from oblio.ports.body import TextBody
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import Cursor

PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedTexts:
    """Implements `ports.access.Texts` over store and vault."""

    store: Store
    keys: Keys
    fence: Fence

    def of(self, ticket: Ticket, types: frozenset[ItemType], /, *, now: datetime) -> Iterator[Shown]:
        """See `ports.access.Texts.of`."""
        before: Cursor | None = None
        while True:
            with self.store.read() as tx:
                person = self.fence.enter(tx, ticket)
                rows = tx.items.of(person.subject, types=types, before=before, limit=PAGE)
                page = self.read(tx, person, [row for row in rows if not is_expired(row.expires, now=now)])
            yield from page
            if len(rows) < PAGE:
                return
            before = Cursor(seq=rows[-1].seq)

    def read(self, tx: Transaction, person: Person, rows: Sequence[Item], /) -> list[Shown]:
        """See `ports.access.Texts.read`."""
        bound = {binding_of(row).unit: row for row in rows if row.unit}
        bodies = self.keys.open(tx, person.subject, [binding_of(row) for row in bound.values()])
        sources = tx.edges.sources([row.item for row in bound.values()])
        return [
            Shown(
                row=row,
                text=TextBody.decode(bodies[unit]).text,
                sources=tuple(sorted(sources.get(row.item, frozenset()))),
            )
            for unit, row in bound.items()
            if unit in bodies
        ]
