"""The tables of the store, one protocol a noun, as seen from inside a transaction.

Every read that returns many rows is paged by the caller or bounded by one subject's data. Ids of another subject are
not found rather than refused. Lists given to a method may be of any length; the implementation batches.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from oblio.model.consent import Grant, Purpose
from oblio.model.erasure import Erasure, PlanItem, Step
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, TenantId, UnitId
from oblio.model.memory import Item, ItemState, ItemType
from oblio.model.subject import Holder


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """The one row that says what this store is. Written at creation; `filter_mode` is sealed by `seal`."""

    store: str
    format: int
    created_at: datetime
    filter_mode: str
    seal: bytes = field(repr=False)
    """MAC over store id and filter mode under a key of the key place, 32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultRow:
    """The one row that coordinates key files: which epoch is current and how far a rotation has come."""

    cur: int
    new: int | None = None
    progress: int = 0
    """Slots below this number are in the file of `new`."""
    retiring: int | None = None
    counter: int = 0
    """Rises with every erasure lock and rotation; a database whose counter is behind the key place is an old copy."""
    rotation_started_at: datetime | None = None
    rotation_finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitKeyRow:
    """A unit key wrapped for one holder. Fixed size, so that a re-wrap overwrites in place."""

    unit: UnitId
    holder: HolderId
    key_no: int
    wrapped: bytes = field(repr=False)
    """Nonce 12, ciphertext 32, tag 16: 60 bytes."""
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectKeyRow:
    """A holder's key wrapped by an epoch key; used where keys live in tables (PostgreSQL)."""

    holder: HolderId
    epoch: int
    key_no: int
    wrapped: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """Work left after an erasure: one blanked item to make anew. Holds ids only."""

    tenant: TenantId
    subject: SubjectId
    item: ItemId
    request: RequestId | None
    """`None` when a correction, not an erasure, left the item blank."""
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a newest-first listing goes on: items written before `seq`."""

    seq: int


class Singletons(Protocol):
    """The two one-row tables."""

    def store(self) -> StoreRow | None: ...
    def create(self, store: StoreRow, vault: VaultRow, /) -> None: ...
    def vault(self) -> VaultRow: ...
    def put_vault(self, row: VaultRow, /) -> None: ...


class Holders(Protocol):
    """Holders of keys. At most one live holder owns a slot."""

    def add(self, row: Holder, /) -> None: ...
    def get(self, holder: HolderId, /) -> Holder | None: ...
    def find(self, lookup: bytes, /) -> Holder | None:
        """Return the holder with this lookup HMAC (it includes the tenant)."""
        ...

    def put(self, row: Holder, /) -> None:
        """Write every changeable column of an existing holder."""
        ...

    def delete(self, holder: HolderId, /) -> None: ...
    def free_slot(self) -> int:
        """Return the smallest number that is nobody's `slot` or `retired_slot`."""
        ...

    def owners(self, *, start: int, stop: int) -> Sequence[Holder]:
        """Return holders with `start <= slot < stop`, by slot."""
        ...

    def last_slot(self) -> int:
        """Return the largest slot in use (retired ones included), -1 when there is none."""
        ...

    def retired(self) -> Sequence[Holder]:
        """Return holders whose `retired_slot` is set."""
        ...

    def page(self, *, after: HolderId | None, limit: int) -> Sequence[Holder]:
        """Return all holders by id, for maintenance over the whole store."""
        ...


class SubjectKeys(Protocol):
    """Wrapped holder keys in a table; empty where the slot file is used."""

    def add(self, row: SubjectKeyRow, /) -> None: ...
    def get(self, holder: HolderId, /) -> Sequence[SubjectKeyRow]: ...
    def delete(self, holder: HolderId, /, *, key_no: int | None = None) -> int: ...
    def under(self, epoch: int, /, *, limit: int) -> Sequence[SubjectKeyRow]: ...
    def rewrap(self, rows: Sequence[SubjectKeyRow], /) -> None:
        """Replace epoch and wrapped bytes of (holder, key_no)."""
        ...


class UnitKeys(Protocol):
    """Wrapped unit keys: one row per unit and holder."""

    def add(self, rows: Sequence[UnitKeyRow], /) -> None: ...
    def get(self, holder: HolderId, units: Iterable[UnitId], /) -> Mapping[UnitId, UnitKeyRow]: ...
    def of(self, holder: HolderId, /, *, after: int, limit: int) -> Sequence[UnitKeyRow]:
        """Return rows of one holder with `seq > after`, by seq."""
        ...

    def holders(self, units: Iterable[UnitId], /) -> Sequence[UnitKeyRow]:
        """Return every wrap of these units, whoever holds it."""
        ...

    def rewrap(self, rows: Sequence[UnitKeyRow], /) -> None:
        """Overwrite key_no and wrapped bytes of rows found by `seq`; sizes do not change."""
        ...

    def delete(self, units: Iterable[UnitId], /) -> int: ...
    def delete_held(self, holder: HolderId, /) -> int: ...


class Contents(Protocol):
    """Ciphertext by unit. Inserted and deleted, never changed."""

    def add(self, unit: UnitId, sealed: bytes, /) -> None: ...
    def get(self, units: Iterable[UnitId], /) -> Mapping[UnitId, bytes]: ...
    def delete(self, units: Iterable[UnitId], /) -> int: ...


class Items(Protocol):
    """Rows of items, always within one subject but for the maintenance calls that say otherwise."""

    def add(self, row: Item, /) -> None: ...
    def get(self, subject: SubjectId, item: ItemId, /) -> Item | None: ...
    def any(self, items: Iterable[ItemId], /) -> Mapping[ItemId, Item]:
        """Return rows by id whoever owns them; for the eraser, which follows sources across owners."""
        ...

    def of(
        self,
        subject: SubjectId,
        /,
        *,
        types: frozenset[ItemType],
        before: Cursor | None = None,
        limit: int | None = None,
    ) -> Sequence[Item]:
        """Return items of these types, newest written first."""
        ...

    def put(self, row: Item, /) -> None:
        """Write state, unit, version, saved, deriver, kind and expires of an existing item."""
        ...

    def mark(self, items: Iterable[ItemId], state: ItemState, /) -> int: ...
    def delete(self, items: Iterable[ItemId], /) -> int: ...
    def counts(self, subject: SubjectId, /) -> Mapping[ItemType, int]: ...
    def expired(self, today: date, /, *, limit: int) -> Sequence[Item]:
        """Return items of anybody whose last readable day is before `today`."""
        ...


class Edges(Protocol):
    """Which item was made from which."""

    def add(self, item: ItemId, sources: Iterable[ItemId], /) -> None: ...
    def sources(self, items: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        """Return the direct sources of each item; an item without any has no key."""
        ...

    def users(self, sources: Iterable[ItemId], /) -> Mapping[ItemId, frozenset[ItemId]]:
        """Return the items made directly from each of `sources`."""
        ...

    def delete(self, items: Iterable[ItemId], /) -> int:
        """Delete every edge that starts or ends at one of `items`."""
        ...


class Consents(Protocol):
    """Grants of one subject."""

    def add(self, grant: Grant, /) -> None: ...
    def of(self, subject: SubjectId, /) -> tuple[Grant, ...]: ...
    def withdraw(self, subject: SubjectId, purpose: Purpose, /, *, at: datetime) -> int: ...
    def delete(self, subject: SubjectId, /) -> int: ...


class Tombstones(Protocol):
    """Random ids of erased items: a write that names one is refused for 90 days."""

    def add(self, items: Iterable[ItemId], /, *, until: date) -> None: ...
    def among(self, items: Iterable[ItemId], /) -> frozenset[ItemId]: ...
    def sweep(self, today: date, /) -> int: ...


class Erasures(Protocol):
    """Requests, their steps, the items of their plans, and what is left to rebuild."""

    def add(self, row: Erasure, steps: Sequence[Step], plan: Sequence[PlanItem], /) -> None: ...
    def get(self, request: RequestId, /) -> Erasure | None: ...
    def put(self, row: Erasure, /) -> None: ...
    def find(self, subject: SubjectId, idempotency: bytes, /) -> Erasure | None: ...
    def of(self, subject: SubjectId, /) -> Sequence[Erasure]: ...
    def open(self) -> Sequence[Erasure]:
        """Return requests that are locked or in progress, oldest first."""
        ...

    def unfinished(self) -> Sequence[Erasure]:
        """Return requests that have not reached their end, those that wait for a person among them, oldest first."""
        ...

    def steps(self, request: RequestId, /) -> tuple[Step, ...]: ...
    def put_step(self, request: RequestId, step: Step, /) -> None: ...
    def plan(self, request: RequestId, /) -> tuple[PlanItem, ...]: ...
    def put_plan(self, request: RequestId, plan: Sequence[PlanItem], /) -> None:
        """Replace the items of a plan: what was derived meanwhile belongs to it too."""
        ...

    def drop_plan(self, request: RequestId, /) -> None: ...
    def add_rebuilds(self, rows: Sequence[Rebuild], /) -> None: ...
    def rebuilds(self, *, below: int, limit: int) -> Sequence[Rebuild]:
        """Return work that was tried fewer than `below` times, oldest first."""
        ...

    def queued(self, request: RequestId, /) -> int:
        """Return how many items of one request wait to be made anew."""
        ...

    def put_rebuild(self, row: Rebuild, /) -> None: ...
    def drop_rebuild(self, item: ItemId, /) -> None: ...


class Receipts(Protocol):
    """Exactly one receipt a request: the payload is fixed in the transaction that completes it."""

    def add(self, request: RequestId, payload: bytes, /) -> None: ...
    def payload(self, request: RequestId, /) -> bytes | None: ...
    def document(self, request: RequestId, /) -> bytes | None: ...
    def put_document(self, request: RequestId, document: bytes, /) -> None: ...


class Imports(Protocol):
    """How far an import has come: a keyed digest of the source, and the cursor after the last stored record."""

    def cursor(self, subject: SubjectId, source: bytes, /) -> str | None: ...
    def put(self, subject: SubjectId, source: bytes, cursor: str, /) -> None: ...
    def delete(self, subject: SubjectId, /) -> int: ...
