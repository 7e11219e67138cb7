"""Erasure requests: states, scopes, steps, outcomes and what they add up to.

The tables on this page are the whole machine. Code that moves a request calls `Erasure.moved`; code that closes one
calls `settled`, which implements rule V3. A reviewer sees every legal move here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Self

from oblio.model.ids import DEFAULT_TENANT, ItemId, RequestId, SubjectId, TenantId, UnitId


class State(StrEnum):
    """Where a request stands."""

    REQUESTED = "requested"
    LOCKED = "locked"
    IN_PROGRESS = "in_progress"
    PARTIALLY_BLOCKED = "partially_blocked"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


ALLOWED: Final[Mapping[State, frozenset[State]]] = MappingProxyType(
    {
        State.REQUESTED: frozenset({State.LOCKED, State.CANCELLED}),
        State.LOCKED: frozenset({State.IN_PROGRESS}),
        State.IN_PROGRESS: frozenset({State.COMPLETED, State.PARTIALLY_BLOCKED}),
        State.PARTIALLY_BLOCKED: frozenset({State.IN_PROGRESS}),
        State.COMPLETED: frozenset(),
        State.CANCELLED: frozenset(),
    }
)

OPEN: Final = frozenset({State.LOCKED, State.IN_PROGRESS})
"""States in which work goes on by itself; found at open and carried on."""

UNFINISHED: Final = OPEN | {State.REQUESTED, State.PARTIALLY_BLOCKED}
"""States in which a request has not reached its end."""


class ScopeKind(StrEnum):
    """What a request is about."""

    ITEM = "item"
    SUBJECT = "subject"


class Level(StrEnum):
    """`logical`: no read path returns it. `physical`: its bytes are gone from what may be read (rule V6)."""

    LOGICAL = "logical"
    PHYSICAL = "physical"


class Outcome(StrEnum):
    """How one step ended (rules V1 and V3, section 1 of the rules)."""

    ERASED = "erased"
    PURGED = "purged"
    NO_DATA = "no_data"
    HELD = "held"
    UNSUPPORTED = "unsupported"
    PENDING = "pending"
    FAILED = "failed"
    NOT_VERIFIED = "not_verified"


class Result(StrEnum):
    """What all steps add up to."""

    COMPLETE = "complete"
    COMPLETED_WITH_LIMITS = "completed_with_limits"
    NO_DATA = "no_data"
    PARTIALLY_HELD = "partially_held"
    NEEDS_ATTENTION = "needs_attention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One (target, level) of a request. `count` is cumulative over retries and restarts (rule V2)."""

    name: str
    target: str
    """`store` for our own database and keys, else the name of a connector."""
    level: Level
    outcome: Outcome = Outcome.PENDING
    count: int = 0
    reason: str | None = None
    attempts: int = 0


def settled(steps: Sequence[Step], /, *, accepted: frozenset[str] = frozenset()) -> tuple[State, Result | None]:
    """Return state and result that the steps add up to; the first match of rule V3 wins.

    Args:
        steps: every step of the request; a skipped one is in it as `failed` or `unsupported` (rule V5).
        accepted: names of targets whose `unsupported` or `not_verified` the operator accepted in configuration.
    """
    seen = {step.outcome for step in steps}
    limited = {step.target for step in steps if step.outcome in {Outcome.UNSUPPORTED, Outcome.NOT_VERIFIED}}
    if not steps or Outcome.PENDING in seen:
        return State.IN_PROGRESS, None
    if Outcome.FAILED in seen:
        return State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION
    if Outcome.HELD in seen:
        return State.PARTIALLY_BLOCKED, Result.PARTIALLY_HELD
    if limited - accepted:
        return State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION
    if limited:
        return State.COMPLETED, Result.COMPLETED_WITH_LIMITS
    return State.COMPLETED, Result.NO_DATA if seen == {Outcome.NO_DATA} else Result.COMPLETE


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What shall be erased: named items, or everything of the subject. Empty is an error, never everything."""

    kind: ScopeKind
    items: tuple[ItemId, ...] = ()

    def __post_init__(self) -> None:
        if (self.kind is ScopeKind.SUBJECT) == bool(self.items):
            message = "a subject scope names no items, an item scope names at least one"
            raise ValueError(message)

    @classmethod
    def whole(cls) -> Self:
        """Return the scope of everything of the person."""
        return cls(kind=ScopeKind.SUBJECT)

    @classmethod
    def of(cls, *items: str) -> Self:
        """Return the scope of these items; at least one is needed."""
        return cls(kind=ScopeKind.ITEM, items=tuple(ItemId(item) for item in items))


class PlanAction(StrEnum):
    """What the eraser does to one item of a plan."""

    ERASE = "erase"
    BLANK = "blank"
    SPEND = "spend"
    """Only mark it: a source message that must not be extracted again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanItem:
    """One item that a request touches. `subject` is its owner, who may be another person than the one erased."""

    item: ItemId
    subject: SubjectId
    unit: UnitId | None
    action: PlanAction


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a request would do, before anybody commits to it (rule X19)."""

    scope: Scope
    generation: int
    items: tuple[PlanItem, ...] = field(repr=False)
    counts: Mapping[str, int]
    """Items to erase per type, such as `{"memory": 12, "message": 40}`."""
    blanked: int
    stays: Mapping[str, int] = field(default_factory=dict)
    """What remains although it is near, per reason token, such as `{"source_message": 1}`."""
    digest: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", plan_digest(self.generation, self.items))


def plan_digest(generation: int, items: Sequence[PlanItem], /) -> str:
    """Return the digest that commits to the set of items and versions: 64 hexadecimal digits over random ids."""
    lines = sorted(f"{i.item}:{i.unit or '-'}:{i.action}" for i in items)
    return sha256("\n".join([str(generation), *lines]).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """The row of one request. Ids, counts, states and times only."""

    tenant: TenantId = DEFAULT_TENANT
    request: RequestId
    subject: SubjectId | None
    """`None` when nobody was found: such a request ends with `no_data`."""
    scope: ScopeKind
    state: State = State.REQUESTED
    result: Result | None = None
    plan_digest: str
    idempotency: bytes | None = field(default=None, repr=False)
    """Keyed digest of the caller's idempotency key, 32 bytes."""
    recovery: bytes | None = field(default=None, repr=False)
    """SHA-256 of the recovery code, 32 bytes."""
    planned: int = 0
    """Needles that were found in the files before anything was destroyed."""
    blanked: int = 0
    rebuilt: int = 0
    received_at: datetime
    locked_at: datetime | None = None
    completed_at: datetime | None = None
    horizon: datetime | None = None
    """From when on no backup can show what was erased; `None` while the rotation that decides has not ended."""

    def moved(self, to: State, /) -> Self:
        """Return the request in state `to`.

        Raises:
            ValueError: the table does not allow the move; a programming mistake, not a user's.
        """
        if to not in ALLOWED[self.state]:
            message = f"a request cannot move from {self.state} to {to}"
            raise ValueError(message)
        return replace(self, state=to)
