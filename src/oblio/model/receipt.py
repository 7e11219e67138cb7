"""What a statement, a receipt or an addendum says, before it is signed.

Invariants:

* tokens, ids, counts and times only, as in the audit log; the sentences of limits come from the table on this page;
* a receipt exists only for a completed request whose steps add up to its result (rules V3, V4, L8), and a step cannot
  claim more than its outcome allows (rules V1, V6);
* `canonical()` is the one byte form: it is what the log commits to and what is signed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, Self

from oblio.model.audit import (
    ActorRole,
    AuditAction,
    AuditEntry,
    canonical_json,
    checked_count,
    checked_id,
    checked_time,
    checked_token,
    distinct,
    refuse,
    time_text,
    time_value,
)
from oblio.model.erasure import Level, Outcome, Result, ScopeKind, State, Step, settled

PAYLOAD_VERSION: Final = 1


class DocumentKind(StrEnum):
    """The three signed documents. The name is part of what is signed."""

    STATEMENT = "oblio/statement/1"
    """How a request stands now. Interim: may be asked for any number of times."""
    RECEIPT = "oblio/receipt/1"
    """The request is completed. Exactly one."""
    ADDENDUM = "oblio/addendum/1"
    """A later fact about a receipt."""


ACTIONS: Final[Mapping[DocumentKind, AuditAction]] = MappingProxyType(
    {
        DocumentKind.STATEMENT: AuditAction.STATEMENT_ISSUED,
        DocumentKind.RECEIPT: AuditAction.RECEIPT_ISSUED,
        DocumentKind.ADDENDUM: AuditAction.ADDENDUM_ISSUED,
    }
)
"""The action of the log entry that commits to a document of each kind."""


class AddendumEvent(StrEnum):
    """What has happened since the receipt."""

    HORIZON_REACHED = "horizon_reached"
    REPLAYED = "replayed"
    KEY_VALIDATED = "key_validated"
    REBUILT = "rebuilt"


class FilterMode(StrEnum):
    """What the write filter does in this store; fixed when the store is created."""

    ENFORCE = "enforce"
    OBSERVE = "observe"
    """A trial store: verdicts are counted, nothing is refused."""


LIMITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "model_weights": "Models that were trained or tuned on the data are not covered.",
        "exported_copies": "Copies that the person or others exported or saved are not covered.",
        "keys_beside_data": "The keys lie beside the database: a raw copy of both, made before, can still be read.",
        "unconfirmed_recipient": "A recipient was told and has not confirmed; see the step of that target.",
        "not_verified": "A system accepted the deletion and could not be read again; see the step of that target.",
        "unsupported": "A system cannot erase this; see the step of that target.",
        "storage_hardware": "Flash wear levelling, snapshots and copy-on-write storage may keep old blocks.",
        "write_ahead_log": "The log of the database server keeps wrapped keys until the horizon.",
        "backups_until_horizon": "Backups made before the erasure can be read until the horizon.",
        "horizon_unknown": "Backups made before stay readable until the next key rotation, which had not run at issue.",
        "rebuild_queued": "Some texts were blanked and wait to be made anew from the remaining sources.",
        "source_messages": "The messages that a forgotten memory came from stay in the person's own history.",
        "presence": "Who has an old copy and the keys, and knows the person's id, can tell that the person was in it.",
        "trial_store": "This is a trial store: its write filter counted verdicts and refused nothing.",
    }
)
"""What is not covered, as a token and one sentence. Closed, so that no free text enters a signed document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLine:
    """Items that stay because of one hold."""

    hold: str
    """Random id of the hold."""
    reason: str
    """Class of the hold: a token."""
    count: int
    review: date

    def __post_init__(self) -> None:
        checked_id(self.hold, "hold")
        checked_token(self.reason, "hold reason")
        if not checked_count(self.count, "hold count") or isinstance(self.review, datetime):
            refuse("hold")

    def facts(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"hold": self.hold, "reason": self.reason, "count": self.count, "review": self.review.isoformat()}


_FINAL: Final = frozenset({Result.COMPLETE, Result.COMPLETED_WITH_LIMITS, Result.NO_DATA})
_COUNTED: Final = frozenset({Outcome.ERASED, Outcome.PURGED, Outcome.HELD})
_REASONED: Final = frozenset({Outcome.UNSUPPORTED, Outcome.FAILED, Outcome.NOT_VERIFIED})
_WRONG_LEVEL: Final = frozenset({(Outcome.ERASED, Level.PHYSICAL), (Outcome.PURGED, Level.LOGICAL)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The content of one document. Making one checks it; a `ValueError` names the field, never its value."""

    kind: DocumentKind
    document: str
    """Random id of this document."""
    store: str
    """Random id of the store."""
    request: str
    scope: ScopeKind
    state: State
    result: Result | None
    """`None` while the steps do not add up to a result."""
    steps: tuple[Step, ...]
    times: Mapping[str, datetime]
    """When each state was reached: `received`, `locked`, `completed`; UTC."""
    issued: datetime
    horizon: datetime | None
    """End of the rotation after which wrapped keys of before are dead (rule B3); `None` while there is none."""
    limits: tuple[str, ...]
    """What is not covered: keys of `LIMITS`."""
    policy: str
    blanked: int
    rebuilt: int
    queued: int
    holds: tuple[HeldLine, ...] = ()
    filter_mode: FilterMode
    names: tuple[str, ...] = ()
    """Ids of earlier documents: a receipt names the interim statements, an addendum its receipt (rule L8)."""
    event: AddendumEvent | None = None

    def __post_init__(self) -> None:
        """Check every field, and that the kind of document may be made.

        Raises:
            ValueError: a field is not allowed, a step claims too much, or the document would.
        """
        for name in ("document", "store", "request"):
            checked_id(getattr(self, name), name)
        for name in ("blanked", "rebuilt", "queued"):
            checked_count(getattr(self, name), name)
        for name in self.names:
            checked_id(name, "names")
        checked_token(self.policy, "policy")
        for token, at in [*self.times.items(), ("issued", self.issued)]:
            checked_time(at, checked_token(token, "times"))
        if self.horizon is not None:
            checked_time(self.horizon, "horizon")
        if not LIMITS.keys() >= set(self.limits):
            refuse("limits")
        for step in self.steps:
            _check_step(step)
        self._check_kind()

    def _check_kind(self) -> None:
        if (self.event is not None) != (self.kind is DocumentKind.ADDENDUM):
            refuse("event")
        if self.kind is DocumentKind.STATEMENT:
            if self.state is State.COMPLETED or self.result in _FINAL:
                refuse("interim statement of a completed request")
            return
        if self.kind is DocumentKind.ADDENDUM and len(self.names) != 1:
            refuse("addendum without its receipt")
        accepted = frozenset(step.target for step in self.steps)
        if self.result is None or settled(self.steps, accepted=accepted) != (self.state, self.result):
            refuse("result")
        if self.state is not State.COMPLETED:
            refuse("state")
        if self.result is Result.COMPLETED_WITH_LIMITS and not self.limits:
            refuse("limits")

    @property
    def final(self) -> bool:
        """Whether this document says that the request is finished: true for a receipt only."""
        return self.kind is DocumentKind.RECEIPT

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal: what the log entry commits to."""
        return sha256(self.canonical()).hexdigest()

    def facts(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "v": PAYLOAD_VERSION,
            "final": self.final,
            "document": self.document,
            "store": self.store,
            "request": self.request,
            "scope": self.scope,
            "state": self.state,
            "result": self.result,
            "steps": [_step_facts(step) for step in self.steps],
            "times": {token: time_text(at) for token, at in self.times.items()},
            "issued": time_text(self.issued),
            "horizon": None if self.horizon is None else time_text(self.horizon),
            "limits": [{"token": token, "says": LIMITS[token]} for token in self.limits],
            "policy": self.policy,
            "blanked": self.blanked,
            "rebuilt": self.rebuilt,
            "queued": self.queued,
            "holds": [line.facts() for line in self.holds],
            "filter_mode": self.filter_mode,
            "trial": self.filter_mode is FilterMode.OBSERVE,
            "names": list(self.names),
            "event": self.event,
        }

    def canonical(self) -> bytes:
        """Return the byte form that is signed and committed to: ASCII JSON, sorted keys, no spaces."""
        return canonical_json(self.facts())

    def entry(self, *, actor: ActorRole, subject: str | None = None) -> AuditEntry:
        """Return the log entry that commits to this document; its time is the time of issue.

        Args:
            actor: who asked for the document.
            subject: the subject token, if the log shall have it here.
        """
        return AuditEntry(
            time=self.issued,
            action=ACTIONS[self.kind],
            actor=actor,
            policy=self.policy,
            request=self.request,
            subject=subject,
            outcome=self.result,
            digest=self.digest,
        )

    @classmethod
    def from_canonical(cls, kind: DocumentKind, body: bytes, /) -> Self:
        """Read what `canonical` wrote for a document of this kind, and nothing else.

        Raises:
            ValueError: another form, an unknown, missing or repeated key, or a value that is not allowed.
        """
        try:
            payload = cls._read(kind, json.loads(body, object_pairs_hook=distinct))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            refuse("payload")
        if payload.canonical() != body:
            refuse("payload")
        return payload

    @classmethod
    def _read(cls, kind: DocumentKind, facts: Any) -> Self:  # noqa: ANN401 -- JSON: the constructor checks every value
        result, horizon, event = facts["result"], facts["horizon"], facts["event"]
        return cls(
            kind=kind,
            scope=ScopeKind(facts["scope"]),
            state=State(facts["state"]),
            result=None if result is None else Result(result),
            steps=tuple(_read_step(step) for step in facts["steps"]),
            times={token: time_value(at) for token, at in facts["times"].items()},
            issued=time_value(facts["issued"]),
            horizon=None if horizon is None else time_value(horizon),
            limits=tuple(line["token"] for line in facts["limits"]),
            holds=tuple(_read_held(line) for line in facts["holds"]),
            filter_mode=FilterMode(facts["filter_mode"]),
            names=tuple(facts["names"]),
            event=None if event is None else AddendumEvent(event),
            **{
                name: facts[name] for name in ("document", "store", "request", "policy", "blanked", "rebuilt", "queued")
            },
        )


def _check_step(step: Step) -> None:
    checked_token(step.name, "step")
    checked_token(step.target, "target")
    checked_count(step.count, "count")
    if step.reason is not None:
        checked_token(step.reason, "reason")
    elif step.outcome in _REASONED:
        refuse("step without a reason")
    if (step.outcome in _COUNTED and not step.count) or (step.outcome is Outcome.NO_DATA and step.count):
        refuse("count")
    if (step.outcome, step.level) in _WRONG_LEVEL:
        refuse("level")


def _step_facts(step: Step) -> dict[str, object]:
    return {
        "step": step.name,
        "level": step.level,
        "target": step.target,
        "outcome": step.outcome,
        "count": step.count,
        "reason": step.reason,
    }


def _read_step(facts: Mapping[str, Any]) -> Step:
    return Step(
        name=facts["step"],
        level=Level(facts["level"]),
        target=facts["target"],
        outcome=Outcome(facts["outcome"]),
        count=facts["count"],
        reason=facts["reason"],
    )


def _read_held(facts: Mapping[str, Any]) -> HeldLine:
    return HeldLine(
        hold=facts["hold"],
        reason=facts["reason"],
        count=facts["count"],
        review=date.fromisoformat(facts["review"]),
    )
