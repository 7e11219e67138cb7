"""One fact of the audit log, as a type that free text cannot enter.

Invariants (erasure rules table L, L2, L7):

* every field is an id of 32 hexadecimal digits, a name from a closed list, a short token, a count or a time;
* a token is at most 64 of `a-z 0-9 _ . -`: no space, no upper case, no `@`, no `:` or `/`, and no long run of digits
  or hexadecimal digits, so that a sentence, an address, a link, a number of a person or a hash does not fit;
* a digest is accepted only where it commits to a signed document, a ledger or a checkpoint, never to content;
* `canonical()` is the one byte form, and it begins with the format version.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NoReturn, Self, cast

from oblio.model.erasure import Level, Outcome, Result

ENTRY_VERSION: Final = 1
MAX_ENTRY_BYTES: Final = 65_536
"""The most bytes that one leaf of the log may have. Far above what an entry can reach; a limit for readers."""
MAX_COUNT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 8259 section 6)."""

_TOKEN: Final = re.compile(r"[a-z0-9_.-]{1,64}")
_TELLING: Final = re.compile(r"[0-9]{6}|[0-9a-f]{16}")
"""A number long enough for a person, or hexadecimal digits long enough for a hash or an id."""
_ID: Final = re.compile(r"[0-9a-f]{32}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_PREFIX: Final = '{"v":1,'


class AuditAction(StrEnum):
    """What has happened. Public names, never renamed; new ones may be added."""

    STORE_CREATED = "store_created"
    CONSENT_GRANTED = "consent_granted"
    CONSENT_WITHDRAWN = "consent_withdrawn"
    MEMORY_CORRECTED = "memory_corrected"
    ERASURE_REQUESTED = "erasure_requested"
    ERASURE_CANCELLED = "erasure_cancelled"
    ERASURE_LOCKED = "erasure_locked"
    STEP_FINISHED = "step_finished"
    ERASURE_BLOCKED = "erasure_blocked"
    ERASURE_COMPLETED = "erasure_completed"
    STATEMENT_ISSUED = "statement_issued"
    RECEIPT_ISSUED = "receipt_issued"
    ADDENDUM_ISSUED = "addendum_issued"
    HOLD_PLACED = "hold_placed"
    HOLD_RELEASED = "hold_released"
    EXPORT_ISSUED = "export_issued"
    RESTORE_DETECTED = "restore_detected"
    RESTORE_REPLAYED = "restore_replayed"
    ROTATION_STARTED = "rotation_started"
    ROTATION_FINISHED = "rotation_finished"
    LATE_WRITE_REFUSED = "late_write_refused"
    ENTRY_DROPPED = "entry_dropped"
    LOG_REPAIRED = "log_repaired"
    LOG_CONTINUED = "log_continued"


class ActorRole(StrEnum):
    """Who acted: a role, never a name."""

    SUBJECT = "subject"
    OPERATOR = "operator"
    SYSTEM = "system"


OUTCOMES: Final = frozenset(item.value for kind in (Outcome, Result) for item in kind)
"""How one step ended (rules V), or how a request stands as a whole (rule V3)."""

_DIGEST_ACTIONS: Final = frozenset(
    {
        AuditAction.STATEMENT_ISSUED,
        AuditAction.RECEIPT_ISSUED,
        AuditAction.ADDENDUM_ISSUED,
        AuditAction.RESTORE_REPLAYED,
        AuditAction.LOG_CONTINUED,
    },
)


def refuse(what: str, /) -> NoReturn:
    """Refuse a field.

    Raises:
        ValueError: always. It names the field and never shows the value, nor an error that may repeat it.
    """
    message = f"{what} is not allowed in an audit record"
    raise ValueError(message) from None


def checked_token(value: object, field: str, /) -> str:
    """Return `value` if it is a token without a long number or hash.

    Raises:
        ValueError: it is longer than 64 characters, has other characters than `a-z0-9_.-`, six digits in a row, or
            sixteen hexadecimal digits in a row.
    """
    if not isinstance(value, str) or not _TOKEN.fullmatch(value) or _TELLING.search(value):
        refuse(field)
    return value


def checked_id(value: object, field: str, /) -> str:
    """Return `value` if it is 32 lower-case hexadecimal digits.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, str) or not _ID.fullmatch(value):
        refuse(field)
    return value


def checked_count(value: object, field: str, /) -> int:
    """Return `value` if it is a whole number from 0 to 2**53 - 1.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        refuse(field)
    return value


def checked_time(value: object, field: str, /) -> datetime:
    """Return `value` if it is an aware time at UTC.

    Raises:
        ValueError: it is naive, of another zone or no time at all.
    """
    if not isinstance(value, datetime) or value.utcoffset() != timedelta(0):
        refuse(field)
    return value


def time_text(value: datetime, /) -> str:
    """Return the one written form of a UTC time: `2026-11-30T12:00:00.000000Z`."""
    return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def time_value(text: str, /) -> datetime:
    """Read what `time_text` wrote.

    Raises:
        ValueError: any other form.
    """
    try:
        value = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except (TypeError, ValueError):
        refuse("time")
    if time_text(value) != text:
        refuse("time")
    return value


def canonical_json(value: Mapping[str, object], /) -> bytes:
    """Return ASCII JSON with sorted keys and no spaces; numbers must be whole."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def distinct(pairs: list[tuple[str, object]], /) -> dict[str, object]:
    """Build a JSON object from its members; for `json.loads(object_pairs_hook=...)`.

    Raises:
        ValueError: a key occurs twice, so two readers could see different facts.
    """
    built = dict(pairs)
    if len(built) != len(pairs):
        refuse("repeated key")
    return built


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One fact. Making one checks every field; a `ValueError` names the field, never its value."""

    time: datetime
    """When it happened: aware, UTC."""
    action: AuditAction
    actor: ActorRole
    policy: str
    """Version of the policy in force: a token."""
    request: str | None = None
    """Erasure request: 32 hexadecimal digits."""
    subject: str | None = None
    """The subject token: 32 random hexadecimal digits that only the subject's own key links to the person."""
    step: str | None = None
    target: str | None = None
    """Name of the store or connector, as configured."""
    level: Level | None = None
    count: int | None = None
    outcome: str | None = None
    """One of `OUTCOMES`."""
    reason: str | None = None
    digest: str | None = None
    """SHA-256 in hexadecimal of a signed document, a ledger or a checkpoint; refused for every other action."""
    leaf: int | None = None
    """Position of the entry whose bytes were dropped; only and always with `entry_dropped` (rule L4)."""

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: a field holds anything but what its type allows.
        """
        checked_time(self.time, "time")
        for name, value, kind in (
            ("action", self.action, AuditAction),
            ("actor", self.actor, ActorRole),
            ("level", self.level, Level),
        ):
            if not (isinstance(value, kind) or (name == "level" and value is None)):
                refuse(name)
        checked_token(self.policy, "policy")
        self._check_optional()
        self._check_commitments()

    def _check_optional(self) -> None:
        for name in ("request", "subject"):
            if (value := getattr(self, name)) is not None:
                checked_id(value, name)
        for name in ("step", "target", "reason"):
            if (value := getattr(self, name)) is not None:
                checked_token(value, name)
        for name in ("count", "leaf"):
            if (value := getattr(self, name)) is not None:
                checked_count(value, name)
        if self.outcome is not None and self.outcome not in OUTCOMES:
            refuse("outcome")

    def _check_commitments(self) -> None:
        if (self.leaf is not None) != (self.action is AuditAction.ENTRY_DROPPED):
            refuse("leaf")
        if self.digest is None:
            return
        if self.action not in _DIGEST_ACTIONS or not isinstance(self.digest, str):
            refuse("digest")
        if not _DIGEST.fullmatch(self.digest):
            refuse("digest")

    def canonical(self) -> bytes:
        """Return the stored form: ASCII JSON, `"v":1` first, the other keys sorted, absent fields left out."""
        fields: dict[str, object] = {
            "action": self.action.value,
            "actor": self.actor.value,
            "policy": self.policy,
            "time": time_text(self.time),
        }
        for name in ("request", "subject", "step", "target", "level", "count", "outcome", "reason", "digest", "leaf"):
            if (value := getattr(self, name)) is not None:
                fields[name] = value
        return _PREFIX.encode() + canonical_json(fields)[1:]

    @classmethod
    def from_canonical(cls, body: bytes, /) -> Self:
        """Read what `canonical` wrote, and nothing else.

        Raises:
            ValueError: too long, another version, an unknown or repeated key, a bad value, or another spelling of it.
        """
        if len(body) > MAX_ENTRY_BYTES or not body.startswith(_PREFIX.encode()):
            refuse("form")
        entry = cls._read(body)
        if entry.canonical() != body:
            refuse("form")
        return entry

    @classmethod
    def _read(cls, body: bytes) -> Self:
        try:
            fields = cast("dict[str, str]", json.loads(body, object_pairs_hook=distinct))
            del fields["v"]
            level = fields.pop("level", None)
            return cls(
                time=time_value(fields.pop("time")),
                action=AuditAction(fields.pop("action")),
                actor=ActorRole(fields.pop("actor")),
                level=None if level is None else Level(level),
                **fields,  # type: ignore[arg-type]  # an unknown key raises TypeError, a wrong value is checked
            )
        except (KeyError, TypeError, ValueError, RecursionError):
            refuse("form")
