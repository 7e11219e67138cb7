"""The vault as the workflows see it: sealing, opening, re-keying, destroying, rotating.

All methods that take a transaction must be called inside a write transaction of the store unless they say otherwise,
because database and key file change together (rules K1 to K8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from oblio.model.ids import HolderId, ItemId, TenantId, UnitId
from oblio.model.memory import Item
from oblio.model.subject import Holder
from oblio.ports.store import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a sealed content is bound to: moved to another place it does not open (rule K8)."""

    tenant: TenantId
    owner: HolderId
    unit: UnitId
    item: ItemId
    version: int
    type: str


def binding_of(item: Item, /) -> Binding:
    """Return the binding of an item's current version.

    Raises:
        ValueError: the item is blank.
    """
    if item.unit is None:
        message = "a blank item has no content"
        raise ValueError(message)
    return Binding(
        tenant=item.tenant, owner=item.subject, unit=item.unit, item=item.item, version=item.version, type=item.type
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """What `rotate` finished."""

    started_at: datetime
    finished_at: datetime
    started_here: bool
    """True when the run started after the call, false when the call only finished one that was under way."""


class Keys(Protocol):
    """The vault."""

    def lookup(self, tenant: TenantId, external: str, /) -> bytes:
        """Return the HMAC under which an external id is found, 32 bytes. Needs no transaction."""
        ...

    def mac(self, purpose: str, *parts: bytes) -> bytes:
        """Return a keyed digest for `purpose` over the parts, 32 bytes. Needs no transaction."""
        ...

    def admit(self, tx: Transaction, holder: Holder, /) -> Holder:
        """Give a new holder its first key, durable before the commit, and add its row. Return the row as stored."""
        ...

    def seal(self, tx: Transaction, body: bytes, binding: Binding, /, *, holders: Sequence[HolderId]) -> None:
        """Seal `body` under a new unit key, store it, and wrap the key for each holder."""
        ...

    def open(self, tx: Transaction, holder: HolderId, bindings: Sequence[Binding], /) -> Mapping[UnitId, bytes]:
        """Open contents for a holder; also inside a read transaction. A unit that is not there is left out.

        Raises:
            KeyDestroyed: the holder's key is gone.
            ContentForged: bytes do not authenticate for this binding.
        """
        ...

    def rekey(self, tx: Transaction, holder: HolderId, /) -> None:
        """Give a holder a new key and re-wrap its remaining unit keys.

        Call it after the rows of the units that vanish are deleted. The old wrapped key stays until `settle`.
        """
        ...

    def settle(self, tx: Transaction, holders: Sequence[HolderId], /) -> None:
        """Make the keys that `rekey` left behind unreadable, durably. Quiet where nothing is left."""
        ...

    def destroy(self, tx: Transaction, holder: HolderId, /) -> None:
        """Make a holder's key unreadable in every key file, durably, and take its slot. Quiet when already done.

        The content of the holder is dead when this returns, even if the transaction is rolled back.
        """
        ...

    def needles(self, tx: Transaction, holder: HolderId, units: Sequence[UnitId], /) -> Sequence[bytes]:
        """Return what a byte check looks for: for each unit the head of its ciphertext and every wrapped key.

        With the wrapped key of `holder` itself as the last one when it is to be destroyed or replaced, which it always
        is. Nonces and wraps are not secret. Each needle has 12 to 60 bytes.
        """
        ...

    def holds(self, tx: Transaction, holder: HolderId, /) -> bool:
        """Say whether the holder's key opens now."""
        ...

    def forget_cached(self, holder: HolderId, /) -> None:
        """Drop a decrypted key from memory, zeroised where Python allows."""
        ...

    def rotate(self, *, now: datetime) -> Rotation:
        """Run one whole epoch rotation, or carry on an unfinished one and then stop. Opens its own transactions.

        A run that was under way does not count for an erasure that came after its start: ask `started_here`.
        """
        ...


class Ledger(Protocol):
    """The erasure ledger in the key place: random ids of what was erased, MACed, outside every data backup (B1)."""

    def append(self, ids: Sequence[str], /) -> None:
        """Add ids of holders and units, durably. Repeating one is harmless."""
        ...

    def ids(self) -> Sequence[str]:
        """Return all ids.

        Raises:
            LedgerForged: a record does not authenticate.
        """
        ...


class Head(Protocol):
    """The memory of the key place about the database: finds a database or key file that is older than it should be."""

    def advance(self, tx: Transaction, /) -> int:
        """Raise the counter in the database within a transaction. Return the new value."""
        ...

    def publish(self, counter: int, /) -> None:
        """After that commit: write the counter to the key place, durably."""
        ...

    def check(self, tx: Transaction, /) -> None:
        """Compare both, repair a publish that a crash cut off.

        Raises:
            StoreIsOlder: the database is behind the key place (an old copy was put back); replay the ledger first.
            KeysAreOlder: the key place is behind the database.
        """
        ...

    def adopt(self, tx: Transaction, /) -> None:
        """Make an older database follow the key place: its epoch, its counter, no rotation under way.

        Only for a replay of the ledger, in the transaction that does it.
        """
        ...
