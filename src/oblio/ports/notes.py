"""Writing memories in two parts, for whoever needs them inside a transaction of their own."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from oblio.model.memory import Kept, Note, Refused
from oblio.model.screening import Reason
from oblio.model.subject import Ticket
from oblio.ports.body import TextBody
from oblio.ports.store import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedNote:
    """A memory that passed consent and filter and is described for search, but not stored."""

    note: Note
    body: TextBody
    reasons: tuple[Reason, ...]


class Notes(Protocol):
    """The memories of all persons, one ticket at a time."""

    def prepare(self, ticket: Ticket, note: Note, /) -> PreparedNote | Refused:
        """Judge and describe a memory outside of any write transaction.

        Raises:
            NoSuchKind: the kind has no deletion class.
            BadTime: `said_at` has no zone.
        """
        ...

    def write(self, tx: Transaction, ticket: Ticket, prepared: PreparedNote, /, *, now: datetime) -> Kept | Refused:
        """Store a prepared memory; ticket, consent and sources are checked again in this transaction.

        Raises:
            TooManySources, UnknownItem, ErasedSource: see the fence.
        """
        ...
