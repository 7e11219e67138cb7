"""Messages of one person: what was said, kept with consent for history, found again newest first.

A message belongs to its author. Memories taken from it name it as their source; when such a memory is forgotten the
message stays, is marked `spent`, and nothing is taken from it again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.errors.memory import BadTime
from oblio.model.consent import Purpose
from oblio.model.ids import ItemId, UnitId, new_id
from oblio.model.memory import HISTORY, Item, ItemType, Kept, Message, Refused, Said
from oblio.model.retention import is_expired
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.access import Fence
from oblio.ports.body import TextBody
from oblio.ports.gate import Gate
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import Cursor

PAGE: Final = 500
ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_MESSAGES: Final = frozenset({ItemType.MESSAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Messages of all persons of one store, one ticket at a time."""

    store: Store
    keys: Keys
    fence: Fence
    gate: Gate

    def add(self, ticket: Ticket, said: Said, /, *, now: datetime) -> Kept | Refused:
        """Keep one message if consent and filter allow it.

        Raises:
            BadTime: the time has no zone.
        """
        with self.store.write() as tx:
            return self.write(tx, ticket, said, now=now)

    def write(self, tx: Transaction, ticket: Ticket, said: Said, /, *, now: datetime) -> Kept | Refused:
        """Like `add`, inside a transaction of the caller."""
        if said.at is not None and said.at.utcoffset() is None:
            raise BadTime
        person = self.fence.enter(tx, ticket)
        if Purpose.HISTORY not in person.purposes:
            return Refused(reasons=(Reason.CONSENT_MISSING,))
        verdict, screened = self.gate.screen(said.text, kind=None, field="message", consents=person.consents)
        if screened is None:
            return Refused(reasons=verdict.reasons)
        item = Item(
            tenant=person.tenant,
            subject=person.subject,
            item=said.item or ItemId(new_id()),
            type=ItemType.MESSAGE,
            kind=said.role if said.role in ROLES else "user",
            deletion_class=HISTORY.name,
            origin=said.origin,
            unit=UnitId(new_id()),
            generation=person.generation,
            saved=now,
            said_at=said.at,
            expires=HISTORY.expires(now),
        )
        self.fence.check_new(tx, item)
        tx.items.add(item)
        self.keys.seal(tx, TextBody.of(screened).encode(), binding_of(item), holders=(person.subject,))
        return Kept(id=item.item, reasons=verdict.reasons)

    def messages(self, ticket: Ticket, /, *, now: datetime) -> Iterator[Message]:
        """Yield the person's messages, newest written first, page by page."""
        before: Cursor | None = None
        while True:
            with self.store.read() as tx:
                person = self.fence.enter(tx, ticket)
                rows = tx.items.of(person.subject, types=_MESSAGES, before=before, limit=PAGE)
                shown = [row for row in rows if row.unit and not is_expired(row.expires, now=now)]
                bodies = self.keys.open(tx, person.subject, [binding_of(row) for row in shown])
            for row in shown:
                if row.unit is not None:
                    yield _message(row, bodies[row.unit])
            if len(rows) < PAGE:
                return
            before = Cursor(seq=rows[-1].seq)


def _message(row: Item, body: bytes) -> Message:
    return Message(
        id=row.item,
        role=row.kind,
        text=TextBody.decode(body).text,
        saved=row.saved,
        said_at=row.said_at,
        state=row.state,
    )
