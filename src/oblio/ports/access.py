"""The fence in front of one person's data: who is behind a ticket, and whether the ticket still counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from oblio.model.consent import Purpose, needed
from oblio.model.ids import ItemId, SubjectId, TenantId
from oblio.model.memory import Item, ItemType
from oblio.model.subject import Ticket
from oblio.ports.store import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The subject behind a ticket that was just checked, and the purposes that stand right now."""

    tenant: TenantId
    subject: SubjectId
    generation: int
    purposes: frozenset[Purpose]

    @property
    def consents(self) -> frozenset[str]:
        """The standing purposes as the filter takes them."""
        return frozenset(purpose.value for purpose in self.purposes)

    def permits(self, kind: str, /) -> bool:
        """Say whether memories of this kind may be written and used now."""
        return needed(kind) <= self.purposes


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is sealed about a subject itself."""

    external: str = field(repr=False)
    token: str = field(repr=False)
    """Random audit token, 32 hexadecimal digits: known only while the subject's key lives (rule L2)."""
    index_key: bytes = field(repr=False)
    """Key of the token hashes of lexical search, 32 bytes."""


class Fence(Protocol):
    """Checks tickets inside the transaction that uses them."""

    def enter(self, tx: Transaction, ticket: Ticket, /) -> Person:
        """Return the person behind a ticket.

        Raises:
            SubjectLocked: an erasure of the person is under way.
            SubjectErased: the person was erased after the ticket was made (rules X4, X5).
        """
        ...

    def check_sources(self, tx: Transaction, owners: Sequence[Person], sources: Sequence[ItemId], /) -> None:
        """Check that a write may name these sources: they exist, belong to one of `owners` and were not erased.

        Raises:
            TooManySources: more than `MAX_SOURCES`.
            ErasedSource: one was erased (rule X4), or is a message whose memory was forgotten: nothing is made from it
                again (rule X25).
            UnknownItem: one is nobody's, or somebody else's.
        """
        ...

    def check_new(self, tx: Transaction, item: Item, /) -> None:
        """Check that an item may be added under its id.

        Raises:
            ErasedSource: an item of this id was erased; an import that is repeated does not bring it back.
            AlreadyThere: an item of this id exists.
        """
        ...

    def profile(self, tx: Transaction, person: Person, /) -> Profile:
        """Open the sealed profile of a person."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One readable item: its row, its text and what it was made from."""

    row: Item
    text: str = field(repr=False)
    sources: tuple[ItemId, ...]


class Texts(Protocol):
    """Reads one person's texts."""

    def of(self, ticket: Ticket, types: frozenset[ItemType], /, *, now: datetime) -> Iterator[Shown]:
        """Yield the readable items of these types, newest written first; blank and expired items never.

        Raises:
            SubjectLocked, SubjectErased: see the fence; also between two pages.
        """
        ...

    def read(self, tx: Transaction, person: Person, rows: Sequence[Item], /) -> Sequence[Shown]:
        """Return the texts of rows of this person, in their order; a blank one is left out."""
        ...
