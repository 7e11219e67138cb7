"""Holders of keys, the person behind one of them, and the ticket that proves a handle.

A holder is whoever owns a key: a subject or an erasure request. Its row carries the fences: `generation` rises when
the subject is erased (an older ticket is refused), `version` rises whenever its key changes (a cached key with another
version is dropped).
"""

from dataclasses import dataclass, field
from enum import StrEnum

from oblio.model.ids import DEFAULT_TENANT, HolderId, SubjectId, TenantId


class HolderRole(StrEnum):
    """What kind of owner a key has."""

    SUBJECT = "subject"
    REQUEST = "request"


class HolderState(StrEnum):
    """Where a holder is in its life. Nobody moves back: an erased person who returns is a new holder."""

    ACTIVE = "active"
    LOCKED = "locked"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The row of one holder. Clear text: random ids, counters, state."""

    tenant: TenantId = DEFAULT_TENANT
    holder: HolderId
    role: HolderRole = HolderRole.SUBJECT
    lookup: bytes | None = field(default=None, repr=False)
    """HMAC of tenant and external id, 32 bytes; `None` for requests and from the lock of an erasure on."""
    state: HolderState = HolderState.ACTIVE
    slot: int | None = None
    """Place of the wrapped key in the slot file; `None` where keys live in tables, and once the key is destroyed."""
    retired_slot: int | None = None
    """A slot that a re-keying left behind and that is not yet known to be zero. It is not free."""
    key_no: int = 1
    """Number of the holder's current key; rises with every re-keying. Unit keys name the one that wraps them."""
    version: int = 1
    generation: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """Proof of a handle: what is passed around inside, so that the external id need not be."""

    tenant: TenantId
    subject: SubjectId
    generation: int
