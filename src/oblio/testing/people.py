"""Made-up holders with sealed contents, through the ports only, so that tests of every backend can use them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from oblio.model.ids import DEFAULT_TENANT, HolderId, ItemId, UnitId, new_id
from oblio.model.subject import Holder, HolderRole
from oblio.ports.keys import Binding, Keys
from oblio.ports.store import Store
from oblio.ports.tables import StoreRow, VaultRow

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""A fixed time for tests."""


def found(store: Store, store_id: str, /) -> None:
    """Write the two singleton rows of a new store."""
    row = StoreRow(store=store_id, format=1, created_at=NOON, filter_mode="enforce", seal=bytes(32))
    with store.write() as tx:
        tx.singletons.create(row, VaultRow(cur=1))


def admitted(store: Store, keys: Keys, /, *, role: HolderRole = HolderRole.SUBJECT) -> HolderId:
    """Return a new holder with a key."""
    with store.write() as tx:
        return keys.admit(tx, Holder(holder=HolderId(new_id()), role=role)).holder


def sealed(
    store: Store, keys: Keys, owner: HolderId, /, *, count: int = 1, others: Sequence[HolderId] = ()
) -> Sequence[Binding]:
    """Seal `count` new contents of an owner, and let others hold them too. The body of each is its unit id."""
    bindings = [
        Binding(
            tenant=DEFAULT_TENANT,
            owner=owner,
            unit=UnitId(new_id()),
            item=ItemId(new_id()),
            version=1,
            type="memory",
        )
        for _ in range(count)
    ]
    with store.write() as tx:
        for binding in bindings:
            keys.seal(tx, binding.unit.encode(), binding, holders=(owner, *others))
    return bindings


def opened(store: Store, keys: Keys, holder: HolderId, bindings: Sequence[Binding], /) -> Mapping[UnitId, bytes]:
    """Open contents in a read transaction of their own."""
    with store.read() as tx:
        return keys.open(tx, holder, bindings)


def intact(bindings: Sequence[Binding], /) -> Mapping[UnitId, bytes]:
    """Return what `opened` must give for contents that `sealed` made."""
    return {binding.unit: binding.unit.encode() for binding in bindings}


def forgotten(store: Store, keys: Keys, holder: HolderId, bindings: Sequence[Binding], /) -> None:
    """Erase units of a holder as the eraser does: delete, re-key, then settle in a second transaction."""
    units = [binding.unit for binding in bindings]
    with store.write() as tx:
        tx.unit_keys.delete(units)
        tx.contents.delete(units)
        keys.rekey(tx, holder)
    with store.write() as tx:
        keys.settle(tx, [holder])
