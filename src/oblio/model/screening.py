"""What the write filter decides, and the only form of text that a repository accepts.

A verdict never holds the text that was matched: spans are offsets, reasons are tokens. `Screened` is made by the gate
and by nothing else (`tests/arch` looks for other constructor calls), so unfiltered text cannot be stored by mistake.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Action(StrEnum):
    """What happens to one field value, mildest first."""

    STORE = "store"
    PSEUDONYMISE = "pseudonymise"
    REDACT = "redact"
    REFUSE = "refuse"


class Reason(StrEnum):
    """Why a value was cut or refused. Public tokens, never renamed; new ones may be added."""

    NATIONAL_ID = "national_id"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    PAYMENT = "payment"
    SECRET = "secret"  # noqa: S105 -- a category name
    HEALTH = "health"
    ART9 = "art9"
    THIRD_PARTY = "third_party"
    CHILD = "child"
    KIND_NOT_PERMITTED = "kind_not_permitted"
    CONSENT_MISSING = "consent_missing"
    TOO_LONG = "too_long"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Span:
    """Where something was found: character offsets into the text as given, end exclusive."""

    start: int
    end: int
    category: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision on one field value."""

    action: Action
    reasons: tuple[Reason, ...] = ()
    rules: tuple[str, ...] = ()
    """Ids of the rules that decided, such as `national_id.se_personnummer`."""
    spans: tuple[Span, ...] = ()
    text: str | None = field(default=None, repr=False)
    """What may be stored; `None` when refused."""
    policy: str
    """Version of the policy that decided."""


@dataclass(frozen=True, slots=True)
class Screened:
    """Text that the gate has judged and let through, with the verdict's reasons and policy version."""

    text: str = field(repr=False)
    reasons: tuple[Reason, ...]
    policy: str
