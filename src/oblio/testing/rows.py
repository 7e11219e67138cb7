"""Rows for tests of a store: every field has a value of its own, so that a swapped column is seen."""

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Final

from oblio.model.consent import Basis, Grant, Purpose
from oblio.model.erasure import Erasure, Level, PlanAction, PlanItem, ScopeKind, Step
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, TenantId, UnitId, new_id
from oblio.model.memory import Item, ItemType, Origin
from oblio.model.subject import Holder
from oblio.ports.tables import StoreRow, SubjectKeyRow, UnitKeyRow, VaultRow

AT: Final = datetime(2026, 11, 30, 23, 59, 59, 999_999, tzinfo=UTC)
EARLY: Final = datetime(1901, 2, 3, 4, 5, 6, 7, tzinfo=UTC)
TENANT: Final = TenantId("acme-7")


def subject_id() -> SubjectId:
    """Return a fresh id of a person."""
    return SubjectId(HolderId(new_id()))


def request_id() -> RequestId:
    """Return a fresh id of a request."""
    return RequestId(HolderId(new_id()))


def item_id() -> ItemId:
    """Return a fresh id of an item."""
    return ItemId(new_id())


def unit_id() -> UnitId:
    """Return a fresh id of a unit."""
    return UnitId(new_id())


def store_row() -> StoreRow:
    """Return the row that says what a store is."""
    return StoreRow(store=new_id(), format=1, created_at=AT, filter_mode="enforce", seal=os.urandom(32))


def vault_row() -> VaultRow:
    """Return the row of a vault at its start."""
    return VaultRow(cur=1)


def holder(*, slot: int | None = None, retired: int | None = None) -> Holder:
    """Return a holder with a lookup."""
    return Holder(
        tenant=TENANT, holder=subject_id(), lookup=os.urandom(32), slot=slot, retired_slot=retired, key_no=3, version=4
    )


def item(subject: SubjectId, /, *, kind: ItemType = ItemType.MEMORY, expires: date | None = None) -> Item:
    """Return an item of a person."""
    return Item(
        tenant=TENANT,
        subject=subject,
        item=item_id(),
        type=kind,
        kind="preference",
        deletion_class="memory.preference",
        origin=Origin.TOOL,
        unit=unit_id(),
        version=2,
        generation=5,
        saved=AT,
        said_at=EARLY,
        expires=expires,
        deriver="digest/1",
    )


def unit_key(unit: UnitId, owner: HolderId, /, *, key_no: int = 1) -> UnitKeyRow:
    """Return a wrap of a unit's key: 60 random bytes."""
    return UnitKeyRow(unit=unit, holder=owner, key_no=key_no, wrapped=os.urandom(60))


def subject_key(owner: HolderId, /, *, epoch: int = 1, key_no: int = 1) -> SubjectKeyRow:
    """Return a wrap of a holder's key: 60 random bytes."""
    return SubjectKeyRow(holder=owner, epoch=epoch, key_no=key_no, wrapped=os.urandom(60))


def grant(subject: SubjectId, /, *, purpose: Purpose = Purpose.MEMORY) -> Grant:
    """Return a grant."""
    return Grant(tenant=TENANT, subject=subject, purpose=purpose, basis=Basis.CONTRACT, notice="2026-11", granted_at=AT)


def erasure(subject: SubjectId | None, /) -> Erasure:
    """Return a request that was just received."""
    return Erasure(
        tenant=TENANT,
        request=request_id(),
        subject=subject,
        scope=ScopeKind.SUBJECT,
        plan_digest="0" * 64,
        idempotency=os.urandom(32),
        recovery=os.urandom(32),
        planned=2,
        received_at=AT,
    )


def steps() -> tuple[Step, ...]:
    """Return two steps of the same name."""
    step = Step(name="rows", target="store", level=Level.LOGICAL, count=3, reason="busy", attempts=1)
    return step, replace(step, level=Level.PHYSICAL, reason=None)


def plan_item(subject: SubjectId, /, *, unit: UnitId | None = None) -> PlanItem:
    """Return one item of a plan."""
    return PlanItem(item=item_id(), subject=subject, unit=unit, action=PlanAction.BLANK)
