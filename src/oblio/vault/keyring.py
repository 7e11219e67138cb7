"""The keyring: seals, opens, re-keys and destroys for one store (rules K1 to K8).

Every call works within the caller's transaction, because database and key file change together: the key file is synced
before the commit that relies on it, and what a rolled-back transaction left in it belongs to nobody.

A reader may hold a view of the database that is older than the key file. When a key does not open, the rows are read
again; only rows that have not changed make it a fault.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import ContentForged, EpochGone, KeyDamaged, KeyDestroyed, SlotFileMissing, SlotFileTruncated
from oblio.model.ids import HolderId, TenantId, UnitId
from oblio.model.subject import Holder
from oblio.ports.keys import Binding, Rotation
from oblio.ports.provider import KeySetPlace
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import UnitKeyRow
from oblio.vault.cache import EpochCache, HolderCache
from oblio.vault.envelope import bound_unit_key, needle, new_key, seal, unseal, unwrap, wrap
from oblio.vault.holder_keys import HolderKeys
from oblio.vault.key_set import key_set_body
from oblio.vault.place import KeyPlace
from oblio.vault.rotation import KeySetWriter, Rotator
from oblio.vault.slot_keys import SlotKeys
from oblio.vault.table_keys import TableKeys
from oblio.vault.timed import Alarms, Clock, sleeping_thread

BATCH_UNITS: Final = 1000
CUTS: Final = ("rekey.batch",)

# A slot that was freed may hold a later key of the same holder, which shows as content that does not authenticate.
_MAY_HAVE_MOVED: Final = (KeyDestroyed, KeyDamaged, SlotFileMissing, SlotFileTruncated, EpochGone, ContentForged)


class Keyring:
    """`Keys` over a key place and a store.

    Args:
        place: the open key place of this store; its `cut` is called after each durable step.
        store: the database; its `keys_in_tables` decides where holder keys are.
        key_set: where the key set goes after a rotation; `None` keeps none.
        clock: seconds that never run backwards, for the 60 seconds that a decrypted key may live.
        alarms: sets the alarm at which a decrypted key leaves memory although nobody asks for it again.
    """

    def __init__(
        self,
        place: KeyPlace,
        store: Store,
        /,
        *,
        key_set: KeySetPlace | None = None,
        clock: Clock = time.monotonic,
        alarms: Alarms = sleeping_thread,
    ) -> None:
        self._place = place
        self._store = store
        self._cut = place.cut
        self._cache = HolderCache(clock, alarms=alarms)
        self._ciphers = ciphers = EpochCache(place.epochs, clock, alarms=alarms)
        kind = TableKeys if store.keys_in_tables else SlotKeys
        self._keys: HolderKeys = kind(place, store, ciphers)
        self._rotator = Rotator(place, store, self._keys, ciphers=ciphers, clock=clock)
        self._key_set = (
            None
            if key_set is None
            else KeySetWriter(place=key_set, body=lambda tx: key_set_body(tx, place, self._keys))
        )

    def lookup(self, tenant: TenantId, external: str, /) -> bytes:
        """Return the HMAC under which an external id is found, 32 bytes."""
        return self._place.derived.mac("lookup", tenant.encode(), external.encode())

    def mac(self, purpose: str, *parts: bytes) -> bytes:
        """Return a keyed digest for `purpose` over the parts, 32 bytes."""
        return self._place.derived.mac(f"mac/{purpose}", *parts)

    def admit(self, tx: Transaction, holder: Holder, /) -> Holder:
        """Give a new holder its first key, durable before the commit, and add its row. Return the row as stored."""
        return self._keys.admit(tx, holder, new_key())

    def seal(self, tx: Transaction, body: bytes, binding: Binding, /, *, holders: Sequence[HolderId]) -> None:
        """Seal `body` under a new unit key, store it, and wrap the key for each holder.

        Raises:
            ValueError: nobody shall hold the key.
            KeyDestroyed: a holder has no key.
        """
        if not holders:
            message = "a sealed content needs at least one holder"
            raise ValueError(message)
        unit_key = new_key()
        tx.contents.add(binding.unit, seal(unit_key, body, binding))
        tx.unit_keys.add([self._wrapped(tx, unit_key, binding.unit, holder) for holder in holders])

    def open(self, tx: Transaction, holder: HolderId, bindings: Sequence[Binding], /) -> Mapping[UnitId, bytes]:
        """Open contents for a holder. A unit that is not there has no key in the result.

        Raises:
            KeyDestroyed: the holder's key is gone.
            KeyDamaged: the holder's key does not authenticate.
            ContentForged: bytes do not authenticate for this binding.
        """
        try:
            return self._opened(tx, holder, bindings)
        except _MAY_HAVE_MOVED:
            seen = (tx.holders.get(holder), tx.singletons.vault())
        while True:
            with self._store.read() as view:
                now = (view.holders.get(holder), view.singletons.vault())
                try:
                    return self._opened(view, holder, bindings)
                except _MAY_HAVE_MOVED:
                    if now == seen:
                        raise
                    seen = now

    def rekey(self, tx: Transaction, holder: HolderId, /) -> None:
        """Give a holder a new key and re-wrap its remaining unit keys, in batches of 1,000.

        Call it after the rows of the units that vanish are deleted. The old wrapped key stays until `settle`. However
        many units remain, all are re-wrapped in this one transaction.

        Raises:
            KeyDestroyed: the holder has no key.
            KeyDamaged: the holder's key does not open.
        """
        row = self._row(tx, holder)
        if row.retired_slot is not None:
            self._keys.settle(tx, [row])
            row = replace(row, retired_slot=None)
        old, new = self._key(tx, row), new_key()
        moved = self._keys.replace(tx, row, new)
        self._rewrap(tx, moved, AESGCM(old), AESGCM(new))
        self.forget_cached(holder)

    def settle(self, tx: Transaction, holders: Sequence[HolderId], /) -> None:
        """Make the keys that `rekey` left behind unreadable, durably. Quiet where nothing is left."""
        found = [tx.holders.get(holder) for holder in dict.fromkeys(holders)]
        self._keys.settle(tx, [row for row in found if row is not None])

    def destroy(self, tx: Transaction, holder: HolderId, /) -> None:
        """Make a holder's key unreadable in every key file, durably, and take its slot. Quiet when already done.

        Read the holder's row again before putting it: slot and version have changed.
        """
        self.forget_cached(holder)
        row = tx.holders.get(holder)
        if row is not None:
            self._keys.destroy(tx, row)

    def needles(self, tx: Transaction, holder: HolderId, units: Sequence[UnitId], /) -> Sequence[bytes]:
        """Return what a byte check looks for: the head of each unit's ciphertext, and every wrapped key.

        The wrapped keys of `holder` itself come last, the current one as the very last.
        """
        heads = [needle(sealed) for sealed in tx.contents.get(units).values()]
        wraps = [row.wrapped for row in tx.unit_keys.holders(units)]
        row = tx.holders.get(holder)
        return [*heads, *wraps, *(() if row is None else self._keys.wraps(tx, row))]

    def holds(self, tx: Transaction, holder: HolderId, /) -> bool:
        """Say whether the holder's key opens now."""
        row = tx.holders.get(holder)
        self.forget_cached(holder)
        try:
            return row is not None and bool(self._keys.load(tx, row))
        except (KeyDestroyed, KeyDamaged, SlotFileMissing, SlotFileTruncated, EpochGone):
            return False

    def forget_cached(self, holder: HolderId, /) -> None:
        """Drop a decrypted key from memory, overwritten where Python allows."""
        self._cache.forget(holder)

    def close(self) -> None:
        """Drop every decrypted key from memory, and keep none from now on."""
        self._cache.close()
        self._ciphers.close()

    def rotate(self, *, now: datetime) -> Rotation:
        """Run one whole epoch rotation, or carry on an unfinished one and then stop. Opens its own transactions.

        Raises:
            KeyDamaged: a live key does not open; the old epoch stays.
            KeySetUnproven: the key set could not be read back; the old epoch stays.
            EpochNotGone: the provider still has the old key.
        """
        return self._rotator.run(now, self._key_set)

    def _row(self, tx: Transaction, holder: HolderId) -> Holder:
        row = tx.holders.get(holder)
        if row is None:
            raise KeyDestroyed
        return row

    def _key(self, tx: Transaction, row: Holder) -> bytes:
        """Return a holder's key, and keep it if its row is committed.

        The key of a row that is rolled back must not be kept: the next row with these numbers has another key.
        """
        key = self._cache.get(row)
        if key is None:
            key = self._keys.load(tx, row)
            with self._store.read() as view:
                if view.holders.get(row.holder) == row:
                    self._cache.put(row, key)
        return key

    def _wrapped(self, tx: Transaction, unit_key: bytes, unit: UnitId, holder: HolderId) -> UnitKeyRow:
        row = self._row(tx, holder)
        wrapped = wrap(AESGCM(self._key(tx, row)), unit_key, bound_unit_key(unit, holder, row.key_no))
        return UnitKeyRow(unit=unit, holder=holder, key_no=row.key_no, wrapped=wrapped)

    def _opened(self, tx: Transaction, holder: HolderId, bindings: Sequence[Binding]) -> Mapping[UnitId, bytes]:
        cipher = AESGCM(self._key(tx, self._row(tx, holder)))
        units = [binding.unit for binding in bindings]
        rows = tx.unit_keys.get(holder, units)
        contents = tx.contents.get(rows)
        opened: dict[UnitId, bytes] = {}
        for binding in bindings:
            row, sealed = rows.get(binding.unit), contents.get(binding.unit)
            if row is not None and sealed is not None:
                unit_key = unwrap(cipher, row.wrapped, bound_unit_key(row.unit, holder, row.key_no))
                opened[binding.unit] = unseal(unit_key, sealed, binding)
        return opened

    def _rewrap(self, tx: Transaction, row: Holder, old: AESGCM, new: AESGCM) -> None:
        after = 0
        while rows := tx.unit_keys.of(row.holder, after=after, limit=BATCH_UNITS):
            tx.unit_keys.rewrap([_moved(found, row, old, new) for found in rows])
            self._cut("rekey.batch")
            after = rows[-1].seq


def _moved(found: UnitKeyRow, row: Holder, old: AESGCM, new: AESGCM) -> UnitKeyRow:
    unit_key = unwrap(old, found.wrapped, bound_unit_key(found.unit, found.holder, found.key_no))
    wrapped = wrap(new, unit_key, bound_unit_key(found.unit, found.holder, row.key_no))
    return UnitKeyRow(seq=found.seq, unit=found.unit, holder=found.holder, key_no=row.key_no, wrapped=wrapped)
