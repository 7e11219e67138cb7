"""Where one item's copies are and what it is connected with: ids, states and counts, never content."""

from dataclasses import dataclass
from datetime import date, datetime

from oblio.errors.access import UnknownItem
from oblio.model.ids import ItemId, UnitId
from oblio.model.memory import Item, ItemType
from oblio.model.subject import Ticket
from oblio.ports.access import Fence
from oblio.ports.store import Store

_SEGMENTS = frozenset({ItemType.SEGMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One item, everything it was made from and everything made from it."""

    item: ItemId
    type: str
    kind: str
    deletion_class: str
    state: str
    saved: datetime
    expires: date | None
    unit: UnitId | None
    version: int
    holders: int
    """Keys that can open the current version: one for each person who holds it."""
    segment: ItemId | None
    """The recall block that may hold a copy of its vector."""
    sources: tuple[ItemId, ...]
    derived: tuple[ItemId, ...]
    """Everything of this person that was made from it, over any depth."""
    shared: int
    """How many items of other persons were made from it; their ids are not this person's to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracer:
    """Follows items of one person."""

    store: Store
    fence: Fence

    def trace(self, ticket: Ticket, item: ItemId, /) -> Trace:
        """Return where an item is and what it is connected with.

        Raises:
            UnknownItem: this person has none of this id.
        """
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            row = tx.items.get(person.subject, item)
            if row is None:
                raise UnknownItem
            seen: set[ItemId] = set()
            level = frozenset({item})
            while level:
                level = frozenset(user for users in tx.edges.users(level).values() for user in users) - seen
                seen |= level
            mine = {found for found, each in tx.items.any(seen).items() if each.subject == person.subject}
            sources = tx.items.any(tx.edges.sources((item,)).get(item, frozenset()))
            blocks = tx.items.of(person.subject, types=_SEGMENTS, limit=1)
            return Trace(
                item=item,
                type=row.type,
                kind=row.kind,
                deletion_class=row.deletion_class,
                state=row.state,
                saved=row.saved,
                expires=row.expires,
                unit=row.unit,
                version=row.version,
                holders=len(tx.unit_keys.holders([row.unit] if row.unit else [])),
                segment=_segment(row, blocks[0].item if blocks else None),
                sources=tuple(sorted(source for source, each in sources.items() if each.subject == person.subject)),
                derived=tuple(sorted(mine)),
                shared=len(seen - mine),
            )


def _segment(row: Item, block: ItemId | None) -> ItemId | None:
    return block if row.type is ItemType.MEMORY else None
