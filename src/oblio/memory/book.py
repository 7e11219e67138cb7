"""The readable list of one person's memories and the two ways into it: `remember` and `correct`.

Order of a write: consent, filter, search data, then one transaction that checks ticket, consent and sources again and
stores the sealed text. Whatever came between - a withdrawal, an erasure - wins over the write.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from oblio.errors.access import UnknownItem
from oblio.errors.memory import NoSuchKind
from oblio.model.consent import needed
from oblio.model.ids import ItemId, UnitId, new_id
from oblio.model.memory import KINDS, Item, ItemType, Kept, Memory, Note, Refused
from oblio.model.retention import is_expired
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Person, Shown, Texts
from oblio.ports.body import TextBody
from oblio.ports.gate import Gate
from oblio.ports.keys import Keys, binding_of
from oblio.ports.notes import PreparedNote
from oblio.ports.search import Describer
from oblio.ports.store import Store, Transaction
from oblio.ports.times import check_time

MEMORIES: Final = frozenset({ItemType.MEMORY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """Memories of all persons of one store, one ticket at a time."""

    store: Store
    keys: Keys
    fence: Fence
    texts: Texts
    gate: Gate
    describer: Describer

    def remember(self, ticket: Ticket, note: Note, /, *, now: datetime) -> Kept | Refused:
        """Store one memory if consent and filter allow it; raises what `prepare` and `write` raise."""
        prepared = self.prepare(ticket, note)
        if isinstance(prepared, Refused):
            return prepared
        with self.store.write() as tx:
            return self.write(tx, ticket, prepared, now=now)

    def prepare(self, ticket: Ticket, note: Note, /) -> PreparedNote | Refused:
        """See `ports.notes.Notes.prepare`."""
        _check(note)
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            if not person.permits(note.kind):
                return Refused(reasons=(Reason.CONSENT_MISSING,))
            key = self.fence.profile(tx, person).index_key
        return self._screened(note, key, consents=person.consents)

    def revise(self, ticket: Ticket, old: Item, text: str, /) -> PreparedNote | Refused:
        """Judge and describe a new text of a memory that is there.

        Consent gates use, not a person's own correction: the filter judges as when it was written.
        """
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            key = self.fence.profile(tx, person).index_key
        consents = person.consents | {purpose.value for purpose in needed(old.kind)}
        return self._screened(Note(text=text, kind=old.kind), key, consents=consents)

    def _screened(self, note: Note, key: bytes, /, *, consents: frozenset[str]) -> PreparedNote | Refused:
        verdict, screened = self.gate.screen(note.text, kind=note.kind, field="memory", consents=consents)
        if screened is None:
            return Refused(reasons=verdict.reasons)
        found = self.describer.describe(screened.text, key=key)
        body = TextBody.of(screened, model=found.model, vector=found.vector, lexical=found.lexical)
        return PreparedNote(note=note, body=body, reasons=verdict.reasons)

    def write(self, tx: Transaction, ticket: Ticket, prepared: PreparedNote, /, *, now: datetime) -> Kept | Refused:
        """See `ports.notes.Notes.write`."""
        note, person = prepared.note, self.fence.enter(tx, ticket)
        if not person.permits(note.kind):
            return Refused(reasons=(Reason.CONSENT_MISSING,))
        item = _item(person, note, now=now)
        self.fence.check_new(tx, item)
        self.fence.check_sources(tx, (person,), note.sources)
        tx.items.add(item)
        self.keys.seal(tx, prepared.body.encode(), binding_of(item), holders=(person.subject,))
        tx.edges.add(item.item, note.sources)
        return Kept(id=item.item, reasons=prepared.reasons)

    def memories(self, ticket: Ticket, /, *, now: datetime) -> Iterator[Memory]:
        """Return an iterator over what is remembered, newest written first, page by page.

        A person's own view needs no consent: it shows what is there, expired memories never.
        """
        return map(_memory, self.texts.of(ticket, MEMORIES, now=now))

    def memory(self, ticket: Ticket, item: ItemId, /, *, now: datetime) -> Memory:
        """Return one memory.

        Raises:
            UnknownItem: this person has none of this id, or it has expired.
        """
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
            shown = self.texts.read(tx, person, [self._row(tx, person, item, now=now)])
        if not shown:  # erased after this view was fixed
            raise UnknownItem
        return _memory(shown[0])

    def find(self, ticket: Ticket, item: ItemId, /, *, now: datetime) -> Item:
        """Return the row of one readable memory; raises what `memory` raises."""
        with self.store.read() as tx:
            return self._row(tx, self.fence.enter(tx, ticket), item, now=now)

    def _row(self, tx: Transaction, person: Person, item: ItemId, /, *, now: datetime) -> Item:
        """Return the row of one readable memory.

        Raises:
            UnknownItem: see `memory`.
        """
        row = tx.items.get(person.subject, item)
        if row is None or row.type is not ItemType.MEMORY or row.unit is None or is_expired(row.expires, now=now):
            raise UnknownItem
        return row

    @staticmethod
    def replaced(row: Item, /) -> Item:
        """Return the row of a corrected memory: the same id, kind and expiry, a new sealed version."""
        return replace(row, unit=UnitId(new_id()), version=row.version + 1)


def _check(note: Note) -> None:
    if note.kind not in KINDS:
        raise NoSuchKind
    check_time(note.said_at)


def _item(person: Person, note: Note, *, now: datetime) -> Item:
    return Item(
        tenant=person.tenant,
        subject=person.subject,
        item=note.item or ItemId(new_id()),
        type=ItemType.MEMORY,
        kind=note.kind,
        deletion_class=note.kind,
        origin=note.origin,
        unit=UnitId(new_id()),
        generation=person.generation,
        saved=now,
        said_at=note.said_at,
        expires=KINDS[note.kind].expires(now),
    )


def _memory(shown: Shown) -> Memory:
    row = shown.row
    return Memory(
        id=row.item,
        text=shown.text,
        kind=row.kind,
        saved=row.saved,
        expires=row.expires,
        said_at=row.said_at,
        origin=row.origin,
        sources=shown.sources,
    )
