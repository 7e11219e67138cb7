"""A small log with facts, and the documents that it proves."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from oblio.audit.checkpoint import Checkpoint
from oblio.audit.log import AuditLog
from oblio.audit.receipt import Addendum, Document, Receipt, Statement
from oblio.audit.signer import Signer
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.erasure import Level, Outcome, Result, ScopeKind, State, Step
from oblio.model.receipt import AddendumEvent, DocumentKind, FilterMode, HeldLine, Payload
from oblio.testing.audit_tables import MemoryAuditTables, MemoryCheckpointPlace

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ORIGIN = "oblio.example/0011"
CLASSES: dict[DocumentKind, type[Document]] = {
    DocumentKind.STATEMENT: Statement,
    DocumentKind.RECEIPT: Receipt,
    DocumentKind.ADDENDUM: Addendum,
}


def fact(count: int = 0, /, **changes: object) -> AuditEntry:
    """Return a late write that was refused, told apart by its count."""
    facts: dict[str, Any] = {
        "time": NOW,
        "action": AuditAction.LATE_WRITE_REFUSED,
        "actor": ActorRole.SYSTEM,
        "policy": "2026-11",
        "count": count,
    }
    facts.update(changes)
    return AuditEntry(**facts)


def payload(kind: DocumentKind = DocumentKind.RECEIPT, /, **changes: object) -> Payload:
    """Return what a document of this kind could say."""
    done = kind is not DocumentKind.STATEMENT
    second = Step(name="keys", target="store", level=Level.PHYSICAL, outcome=Outcome.PURGED, count=7)
    facts: dict[str, Any] = {
        "kind": kind,
        "document": "d0" * 16,
        "store": "50" * 16,
        "request": "e0" * 16,
        "scope": ScopeKind.SUBJECT,
        "state": State.COMPLETED if done else State.PARTIALLY_BLOCKED,
        "result": Result.COMPLETED_WITH_LIMITS if done else Result.PARTIALLY_HELD,
        "steps": (
            Step(name="rows", target="store", level=Level.LOGICAL, outcome=Outcome.ERASED, count=7),
            second if done else replace(second, outcome=Outcome.HELD, reason="legal_claim"),
            Step(name="vectors", target="qdrant", level=Level.PHYSICAL, outcome=Outcome.NOT_VERIFIED, reason="busy"),
        ),
        "times": {"received": NOW, "locked": NOW},
        "issued": NOW,
        "horizon": NOW if done else None,
        "limits": ("not_verified", "exported_copies"),
        "policy": "2026-11",
        "blanked": 3,
        "rebuilt": 2,
        "queued": 1,
        "holds": () if done else (HeldLine(hold="40" * 16, reason="legal_claim", count=7, review=date(2027, 1, 31)),),
        "filter_mode": FilterMode.ENFORCE,
        "names": ("a0" * 16,) if done else (),
        "event": AddendumEvent.HORIZON_REACHED if kind is DocumentKind.ADDENDUM else None,
    }
    facts.update(changes)
    return Payload(**facts)


@dataclass
class World:
    """A log on tables in memory."""

    tables: MemoryAuditTables = field(default_factory=MemoryAuditTables)
    place: MemoryCheckpointPlace = field(default_factory=MemoryCheckpointPlace)
    signer: Signer = field(default_factory=lambda: Signer(ORIGIN, bytes(range(32))))

    @property
    def log(self) -> AuditLog:
        """The log: it has no state, so a new one is the same one after a restart."""
        return AuditLog(self.signer, origin=ORIGIN, place=self.place)

    @property
    def key(self) -> str:
        """The public key."""
        return str(self.signer.key)

    def add(self, *counts: int) -> Checkpoint:
        """Record facts, sequence and publish them as one batch."""
        for count in counts:
            self.log.record(self.tables, fact(count))
        head = self.log.sequence(self.tables)
        if head is None:
            message = "nothing was ever recorded"
            raise RuntimeError(message)
        self.log.publish(head)
        return head

    def document(self, kind: DocumentKind = DocumentKind.RECEIPT, /, **changes: object) -> Document:
        """Log and issue a document."""
        content = payload(kind, **changes)
        since = self.log.record(self.tables, content.entry(actor=ActorRole.SYSTEM))
        self.add()
        index = self.log.find(self.tables, content.entry(actor=ActorRole.SYSTEM), since=since)
        if index is None:
            message = "the entry was not sequenced"
            raise RuntimeError(message)
        return CLASSES[kind].issue(content, signer=self.signer, proof=self.log.inclusion(self.tables, index))


@pytest.fixture
def world() -> World:
    """An empty log."""
    return World()


@pytest.fixture
def grown(world: World) -> World:
    """A log of eleven facts in three batches, all published."""
    world.add(*range(4))
    world.add(4)
    world.add(*range(5, 11))
    return world
