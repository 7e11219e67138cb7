"""Items: what is stored of a person, and the values that a caller of `remember` and `recall` gets back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from oblio.model.ids import DEFAULT_TENANT, ItemId, SubjectId, TenantId, UnitId
from oblio.model.retention import DeletionClass
from oblio.model.screening import Reason
from oblio.model.subject import Ticket

KINDS: Final[Mapping[str, DeletionClass]] = MappingProxyType(
    {
        name: DeletionClass(name=name, days=days)
        for name, days in {
            "preference": 365,
            "goal": 365,
            "difficulty": 180,
            "fact": 90,
            "session": 1,
            "sensitive": 30,
        }.items()
    }
)
"""The kinds of a memory and their periods. Operators may add kinds in configuration, never lengthen these."""

HISTORY: Final = DeletionClass(name="history", days=365)
DERIVED: Final = DeletionClass(name="derived", days=None)
SEGMENT: Final = DeletionClass(name="segment", days=None)
PROFILE: Final = DeletionClass(name="profile", days=None)
ERASURE_TARGET: Final = DeletionClass(name="erasure_target", days=None)


class ItemType(StrEnum):
    """What an item is."""

    MEMORY = "memory"
    MESSAGE = "message"
    DERIVED = "derived"
    SEGMENT = "segment"
    """The recall block of one subject: copies of vectors, rebuilt from the memories whenever it is missing."""
    PROFILE = "profile"
    """External id, audit token and index key of one subject."""
    TARGET = "target"
    """Sealed targets and needles of one erasure request."""


class ItemState(StrEnum):
    """Whether and how an item may be used."""

    LIVE = "live"
    SPENT = "spent"
    """A message whose memory was forgotten: it stays in the history and is never extracted again."""
    BLANK = "blank"
    """A derived item that lost a source; it has no text until it is rebuilt from the others."""


class Origin(StrEnum):
    """How a memory came to be."""

    SAID = "said"
    EXTRACTED = "extracted"
    TOOL = "tool"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The row of one item. Clear text: random ids, kind, state, times. The content is sealed apart from it."""

    tenant: TenantId = DEFAULT_TENANT
    subject: SubjectId
    item: ItemId
    type: ItemType
    kind: str
    """Kind of a memory, role of a message, name of a deriver; the type's own name for the rest."""
    deletion_class: str
    state: ItemState = ItemState.LIVE
    origin: Origin = Origin.SAID
    unit: UnitId | None
    """The current sealed version; `None` while blank."""
    version: int = 1
    generation: int
    saved: datetime
    said_at: datetime | None = None
    expires: date | None = None
    deriver: str | None = None
    """`name/version` of what made a derived item."""
    seq: int = 0
    """Order of writing, given by the database; 0 before it is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What somebody wants remembered: the arguments of `remember`, not yet judged."""

    text: str = field(repr=False)
    kind: str
    sources: tuple[ItemId, ...] = ()
    origin: Origin = Origin.SAID
    said_at: datetime | None = None
    item: ItemId | None = None
    """The id it shall have, so that an import can be repeated; `None` for a fresh random one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message that shall be kept, not yet judged."""

    role: str
    text: str = field(repr=False)
    at: datetime | None = None
    origin: Origin = Origin.SAID
    item: ItemId | None = None
    """See `Note.item`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a derived item shall be made of: the arguments of `derive`."""

    name: str
    sources: tuple[ItemId, ...]
    deriver: str = "digest"
    text: str | None = field(default=None, repr=False)
    """A text that the host application made from the sources; `None` to run the deriver now."""
    others: tuple[Ticket, ...] = ()
    """Other persons whose items may be among the sources, each proven by a ticket of their own."""
    item: ItemId | None = None
    """See `Note.item`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A memory that was stored. `reasons` is not empty when something was cut out of it."""

    id: ItemId
    reasons: tuple[Reason, ...] = ()
    pending: str | None = None
    """After a correction: why the bytes of the old version could not be shown to be gone yet; its key is dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A memory that was not stored, and why. A value, not an exception: an agent meets it every day."""

    reasons: tuple[Reason, ...]

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One line of the readable list."""

    id: ItemId
    text: str = field(repr=False)
    kind: str
    saved: datetime
    expires: date | None
    said_at: datetime | None
    origin: Origin
    sources: tuple[ItemId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the history."""

    id: ItemId
    role: str
    text: str = field(repr=False)
    saved: datetime
    said_at: datetime | None
    state: ItemState


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One memory that answers a question; `score` orders answers of one call and means nothing across calls."""

    id: ItemId
    text: str = field(repr=False)
    score: float
    kind: str
    saved: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A text made from other items. `text` is `None` while it is blank."""

    id: ItemId
    name: str
    deriver: str
    text: str | None = field(repr=False)
    state: ItemState
    saved: datetime
    sources: tuple[ItemId, ...]
