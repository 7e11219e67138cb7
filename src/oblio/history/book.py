"""Messages of one person: what was said, kept with consent for history, found again newest first.

A message belongs to its author. Memories taken from it name it as their source; when such a memory is forgotten the
message stays, is marked `spent`, and nothing is taken from it again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.model.consent import Purpose
from oblio.model.ids import ItemId, UnitId, new_id
from oblio.model.memory import HISTORY, Item, ItemType, Kept, Message, Refused, Said
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.access import Fence, Shown, Texts
from oblio.ports.body import TextBody
from oblio.ports.gate import Gate
from oblio.ports.keys import Keys, binding_of
from oblio.ports.store import Store, Transaction
from oblio.ports.times import check_time

ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_MESSAGES: Final = frozenset({ItemType.MESSAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMessage:
    """A message that passed consent and filter, but is not stored."""

    said: Said
    body: TextBody
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Messages of all persons of one store, one ticket at a time."""

    store: Store
    keys: Keys
    fence: Fence
    texts: Texts
    gate: Gate

    def add(self, ticket: Ticket, said: Said, /, *, now: datetime) -> Kept | Refused:
        """Keep one message if consent and filter allow it.

        Raises:
            BadTime: the time has no zone.
        """
        prepared = self.prepare(ticket, said)
        if isinstance(prepared, Refused):
            return prepared
        with self.store.write() as tx:
            return self.write(tx, ticket, prepared, now=now)

    def prepare(self, ticket: Ticket, said: Said, /) -> PreparedMessage | Refused:
        """Judge a message outside of any write transaction; raises what `add` raises."""
        check_time(said.at)
        with self.store.read() as tx:
            person = self.fence.enter(tx, ticket)
        if Purpose.HISTORY not in person.purposes:
            return Refused(reasons=(Reason.CONSENT_MISSING,))
        verdict, screened = self.gate.screen(said.text, kind=None, field="message", consents=person.consents)
        if screened is None:
            return Refused(reasons=verdict.reasons)
        return PreparedMessage(said=said, body=TextBody.of(screened), reasons=verdict.reasons)

    def write(self, tx: Transaction, ticket: Ticket, prepared: PreparedMessage, /, *, now: datetime) -> Kept | Refused:
        """Store a prepared message; ticket and consent are checked again in this transaction."""
        person, said = self.fence.enter(tx, ticket), prepared.said
        if Purpose.HISTORY not in person.purposes:
            return Refused(reasons=(Reason.CONSENT_MISSING,))
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
        self.keys.seal(tx, prepared.body.encode(), binding_of(item), holders=(person.subject,))
        return Kept(id=item.item, reasons=prepared.reasons)

    def messages(self, ticket: Ticket, /, *, now: datetime) -> Iterator[Message]:
        """Return an iterator over the person's messages, newest written first, page by page."""
        return map(_message, self.texts.of(ticket, _MESSAGES, now=now))


def _message(shown: Shown) -> Message:
    row = shown.row
    return Message(id=row.item, role=row.kind, text=shown.text, saved=row.saved, said_at=row.said_at, state=row.state)
