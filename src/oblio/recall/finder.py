"""Recall: one person's memories that answer a question, exactly ranked, with consent and expiry checked at read.

Vectors and word hashes are sealed with each memory. A recall block holds copies of them for a fast scan: one sealed
item a person, written when many memories are not in it yet, destroyed with any erasure that touches the person, and
never trusted about what exists - rows decide that, so a memory that is gone cannot be found through a block.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from oblio.errors.memory import BadLimit, EmptyQuery, QueryTooLong
from oblio.errors.storage import StoreBusy
from oblio.model.consent import Purpose
from oblio.model.ids import ItemId, UnitId, new_id
from oblio.model.memory import SEGMENT, Item, ItemType, Recalled
from oblio.model.retention import is_expired
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Person
from oblio.ports.body import TextBody
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Store, Transaction
from oblio.recall.block import Row, decode, encode
from oblio.recall.ranker import Ranker

MOST: Final = 1_000
LONGEST_QUERY: Final = 64_000
"""Characters of a question: those of the longest message. Work grows with them, so there is a bound."""
TAIL: Final = 64
"""Memories outside the block from which on the block is written anew (performance notes: compacted at 64 to 256)."""

_MEMORIES: Final = frozenset({ItemType.MEMORY})
_SEGMENTS: Final = frozenset({ItemType.SEGMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one recall read: the searchable rows, and what it needs to open the best."""

    person: Person
    items: Mapping[UnitId, Item]
    rows: Sequence[Row]
    tail: int
    """Rows that could be in the block and are not."""
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """Finds memories. Reads through one ticket only, so another person's memory cannot be an answer."""

    store: Store
    keys: Keys
    fence: Fence
    ranker: Ranker

    def recall(self, ticket: Ticket, query: str, /, *, limit: int, now: datetime) -> list[Recalled]:
        """Return the best `limit` memories for a question, best first; none while consent for memory does not stand.

        Raises:
            EmptyQuery: nothing visible in the question.
            QueryTooLong: it has more than `LONGEST_QUERY` characters.
            BadLimit: not a whole number from 1 to `MOST`.
        """
        if not isinstance(query, str) or not query.strip():
            raise EmptyQuery
        if len(query) > LONGEST_QUERY:
            raise QueryTooLong(size=len(query), limit=LONGEST_QUERY)
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise BadLimit(most=MOST)
        with self.store.read() as tx:
            found = self._find(tx, ticket, now=now)
        if found is None or not found.rows:
            return []
        best = self.ranker.rank(query, found.rows, key=found.key, limit=limit)
        answers = self._open(ticket, found, best)
        if found.tail > TAIL:
            with suppress(StoreBusy):  # the answers are there; a later call writes the block
                self.compact(ticket, now=now)
        return answers

    def compact(self, ticket: Ticket, /, *, now: datetime) -> None:
        """Write the person's block anew from what is live in the transaction that writes it."""
        with self.store.write() as tx:
            found = self._find(tx, ticket, now=now)
            if found is None:
                return
            self._drop(tx, found.person)
            rows = [row for row in found.rows if row.model == self.ranker.model]
            if not rows:
                return
            body = encode(rows, model=self.ranker.model, dimensions=self.ranker.dimensions)
            item = _block(found.person, now=now)
            tx.items.add(item)
            self.keys.seal(tx, bytes(body), binding_of(item), holders=(found.person.subject,))

    def _find(self, tx: Transaction, ticket: Ticket, /, *, now: datetime) -> Found | None:
        person = self.fence.enter(tx, ticket)
        if Purpose.MEMORY not in person.purposes:
            return None
        live = {
            row.unit: row
            for row in tx.items.of(person.subject, types=_MEMORIES)
            if row.unit and not is_expired(row.expires, now=now) and person.permits(row.kind)
        }
        rows = [row for row in self._block(tx, person) if row.unit in live]
        known = {row.unit for row in rows}
        outside = [row for unit, row in live.items() if unit not in known]
        tail = self._tail(tx, person, outside)
        key = self.fence.profile(tx, person).index_key
        # Rows of another model stay outside the block; counting them would write it anew on every call.
        fit = sum(row.model == self.ranker.model for row in tail)
        return Found(person=person, items=live, rows=[*rows, *tail], tail=fit, key=key)

    def _block(self, tx: Transaction, person: Person, /) -> Sequence[Row]:
        for item in tx.items.of(person.subject, types=_SEGMENTS, limit=1):
            binding = binding_of(item)
            body = self.keys.open(tx, person.subject, (binding,)).get(binding.unit)
            if body is not None:
                return decode(body).rows()
        return ()

    def _tail(self, tx: Transaction, person: Person, items: Sequence[Item], /) -> list[Row]:
        bodies = self.keys.open(tx, person.subject, [binding_of(item) for item in items])
        return [_row(unit, TextBody.decode(body)) for unit, body in bodies.items()]

    def _drop(self, tx: Transaction, person: Person, /) -> None:
        old = tx.items.of(person.subject, types=_SEGMENTS)
        units = [item.unit for item in old if item.unit]
        tx.unit_keys.delete(units)
        tx.contents.delete(units)
        tx.items.delete([item.item for item in old])

    def _open(self, ticket: Ticket, found: Found, best: Sequence[tuple[UnitId, float]], /) -> list[Recalled]:
        """Open the texts of the best rows in a view of now: what was erased or withdrawn since is not returned."""
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            rows = [found.items[unit] for unit, _ in best]
            usable = [binding_of(row) for row in rows if person.permits(row.kind)]
            bodies = self.keys.open(tx, person.subject, usable)
        return [
            Recalled(
                id=found.items[unit].item,
                text=TextBody.decode(bodies[unit]).text,
                score=score,
                kind=found.items[unit].kind,
                saved=found.items[unit].saved,
            )
            for unit, score in best
            if unit in bodies
        ]


def _row(unit: UnitId, body: TextBody) -> Row:
    return Row(unit=unit, model=body.model, vector=body.vector, lexical=body.lexical)


def _block(person: Person, *, now: datetime) -> Item:
    return Item(
        tenant=person.tenant,
        subject=person.subject,
        item=ItemId(new_id()),
        type=ItemType.SEGMENT,
        kind=ItemType.SEGMENT,
        deletion_class=SEGMENT.name,
        unit=UnitId(new_id()),
        generation=person.generation,
        saved=now,
    )
