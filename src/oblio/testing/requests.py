"""The tables about consent and requests of the in-memory store; each class is one port of `oblio.ports.tables`."""

# ruff: noqa: D102 -- the ports say what each method must do

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from oblio.model.consent import Grant, Purpose
from oblio.model.erasure import OPEN, UNFINISHED, Erasure, PlanItem, Step
from oblio.model.ids import ItemId, RequestId, SubjectId
from oblio.ports.tables import Rebuild
from oblio.testing.state import State
from oblio.testing.tables import clash


@dataclass(frozen=True, slots=True)
class MemoryConsents:
    """`Consents` in memory."""

    state: State

    def add(self, grant: Grant, /) -> None:
        self.state.consents[self.state.next("consents")] = grant

    def of(self, subject: SubjectId, /) -> tuple[Grant, ...]:
        return tuple(grant for grant in self.state.consents.values() if grant.subject == subject)

    def withdraw(self, subject: SubjectId, purpose: Purpose, /, *, at: datetime) -> int:
        standing = {
            seq: grant
            for seq, grant in self.state.consents.items()
            if grant.subject == subject and grant.purpose is purpose and grant.withdrawn_at is None
        }
        self.state.consents.update({seq: replace(grant, withdrawn_at=at) for seq, grant in standing.items()})
        return len(standing)

    def delete(self, subject: SubjectId, /) -> int:
        gone = [seq for seq, grant in self.state.consents.items() if grant.subject == subject]
        for seq in gone:
            del self.state.consents[seq]
        return len(gone)


@dataclass(frozen=True, slots=True)
class MemoryTombstones:
    """`Tombstones` in memory; one refuses writes up to and including its last day."""

    state: State

    def add(self, items: Iterable[ItemId], /, *, until: date) -> None:
        self.state.tombstones.update(dict.fromkeys(items, until))

    def among(self, items: Iterable[ItemId], /) -> frozenset[ItemId]:
        return frozenset(item for item in items if item in self.state.tombstones)

    def sweep(self, today: date, /) -> int:
        gone = [item for item, until in self.state.tombstones.items() if until < today]
        for item in gone:
            del self.state.tombstones[item]
        return len(gone)


@dataclass(frozen=True, slots=True)
class MemoryErasures:
    """`Erasures` in memory."""

    state: State

    def add(self, row: Erasure, steps: Sequence[Step], plan: Sequence[PlanItem], /) -> None:
        if row.request in self.state.erasures:
            clash("erasures")
        self.state.erasures[row.request] = row
        self.state.steps[row.request] = tuple(steps)
        self.state.plans[row.request] = tuple(plan)

    def get(self, request: RequestId, /) -> Erasure | None:
        return self.state.erasures.get(request)

    def put(self, row: Erasure, /) -> None:
        if row.request not in self.state.erasures:
            raise KeyError(row.request)
        self.state.erasures[row.request] = row

    def find(self, subject: SubjectId, idempotency: bytes, /) -> Erasure | None:
        rows = self.state.erasures.values()
        return next((r for r in rows if r.subject == subject and r.idempotency == idempotency), None)

    def of(self, subject: SubjectId, /) -> Sequence[Erasure]:
        return [row for row in self.state.erasures.values() if row.subject == subject]

    def open(self) -> Sequence[Erasure]:
        return [row for row in self.state.erasures.values() if row.state in OPEN]

    def unfinished(self) -> Sequence[Erasure]:
        return [row for row in self.state.erasures.values() if row.state in UNFINISHED]

    def steps(self, request: RequestId, /) -> tuple[Step, ...]:
        return self.state.steps.get(request, ())

    def put_step(self, request: RequestId, step: Step, /) -> None:
        steps = self.state.steps[request]
        if not any((s.name, s.target, s.level) == (step.name, step.target, step.level) for s in steps):
            raise KeyError(step.name)
        self.state.steps[request] = tuple(
            step if (s.name, s.target, s.level) == (step.name, step.target, step.level) else s for s in steps
        )

    def plan(self, request: RequestId, /) -> tuple[PlanItem, ...]:
        return self.state.plans.get(request, ())

    def put_plan(self, request: RequestId, plan: Sequence[PlanItem], /) -> None:
        self.state.plans[request] = tuple(plan)

    def drop_plan(self, request: RequestId, /) -> None:
        self.state.plans.pop(request, None)

    def add_rebuilds(self, rows: Sequence[Rebuild], /) -> None:
        self.state.rebuilds.update({row.item: row for row in rows})

    def rebuilds(self, *, below: int, limit: int) -> Sequence[Rebuild]:
        return [row for row in self.state.rebuilds.values() if row.attempts < below][:limit]

    def queued(self, request: RequestId, /) -> int:
        return sum(row.request == request for row in self.state.rebuilds.values())

    def put_rebuild(self, row: Rebuild, /) -> None:
        if row.item in self.state.rebuilds:
            self.state.rebuilds[row.item] = row

    def drop_rebuild(self, item: ItemId, /) -> None:
        self.state.rebuilds.pop(item, None)


@dataclass(frozen=True, slots=True)
class MemoryReceipts:
    """`Receipts` in memory."""

    state: State

    def add(self, request: RequestId, payload: bytes, /) -> None:
        if request in self.state.payloads:
            clash("receipts")
        self.state.payloads[request] = payload

    def payload(self, request: RequestId, /) -> bytes | None:
        return self.state.payloads.get(request)

    def document(self, request: RequestId, /) -> bytes | None:
        return self.state.documents.get(request)

    def put_document(self, request: RequestId, document: bytes, /) -> None:
        if request not in self.state.payloads:
            raise KeyError(request)
        self.state.documents[request] = document


@dataclass(frozen=True, slots=True)
class MemoryImports:
    """`Imports` in memory."""

    state: State

    def cursor(self, subject: SubjectId, source: bytes, /) -> str | None:
        return self.state.imports.get((subject, source))

    def put(self, subject: SubjectId, source: bytes, cursor: str, /) -> None:
        self.state.imports[subject, source] = cursor

    def delete(self, subject: SubjectId, /) -> int:
        mine = [key for key in self.state.imports if key[0] == subject]
        for key in mine:
            del self.state.imports[key]
        return len(mine)
