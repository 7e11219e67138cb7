"""Holder keys in a table, changed in the data's own transaction (PostgreSQL).

The database's log keeps old rows, so a destroyed wrap may be read there until its epoch key dies: the date that
receipts name.
"""

import struct
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import ContentForged, KeyDestroyed, KeyForeign
from oblio.model.ids import HolderId, raw
from oblio.model.subject import Holder
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import SubjectKeyRow, VaultRow
from oblio.vault.cache import EpochCache
from oblio.vault.envelope import unwrap, wrap
from oblio.vault.place import KeyPlace

BATCH_KEYS: Final = 1000


def _epoch(vault: VaultRow) -> int:
    """Return the epoch that new wraps are under."""
    return vault.cur if vault.new is None else vault.new


class TableKeys:
    """`HolderKeys` in the table of subject keys."""

    def __init__(self, place: KeyPlace, store: Store, ciphers: EpochCache, /) -> None:
        self._place = place
        self._store = store
        self._ciphers = ciphers

    def admit(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Add the row and its wrapped key."""
        admitted = replace(row, slot=None, retired_slot=None)
        tx.holders.add(admitted)
        self._add(tx, row, key)
        return admitted

    def load(self, tx: Transaction, row: Holder, /) -> bytes:
        """Read the wrapped key that the row names."""
        stored = next((found for found in tx.subject_keys.get(row.holder) if found.key_no == row.key_no), None)
        if stored is None:
            raise KeyDestroyed
        return self._unwrapped(stored)

    def replace(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Add the new wrapped key and delete the old one."""
        moved = replace(row, key_no=row.key_no + 1, version=row.version + 1)
        self._add(tx, moved, key)
        tx.subject_keys.delete(row.holder, key_no=row.key_no)
        tx.holders.put(moved)
        return moved

    def settle(self, tx: Transaction, rows: Sequence[Holder], /) -> None:
        """Do nothing: `replace` has deleted the old row in the same transaction."""

    def destroy(self, tx: Transaction, row: Holder, /) -> None:
        """Delete every wrapped key of the holder."""
        if tx.subject_keys.delete(row.holder):
            tx.holders.put(replace(row, version=row.version + 1))

    def wraps(self, tx: Transaction, row: Holder, /) -> Sequence[bytes]:
        """Return the wrapped keys of the holder."""
        rows = sorted(tx.subject_keys.get(row.holder), key=lambda found: found.key_no)
        return [found.wrapped for found in rows]

    def begin(self, tx: Transaction, /, *, now: datetime) -> None:
        """Make the next epoch key, durable, then name it."""
        vault = tx.singletons.vault()
        epoch = self._place.next_epoch(vault.cur)
        tx.singletons.put_vault(
            replace(vault, new=epoch, progress=0, rotation_started_at=now, rotation_finished_at=None)
        )

    def batch(self, tx: Transaction, /) -> bool:
        """Re-wrap up to 1,000 keys that are still under the current epoch."""
        vault = tx.singletons.vault()
        moved = self._move(tx, vault.cur, _epoch(vault))
        tx.singletons.put_vault(replace(vault, progress=vault.progress + moved))
        return moved < BATCH_KEYS

    def verify(self) -> None:
        """Do nothing: every wrap was opened to be re-wrapped, in the transaction that stored it."""

    def sweep(self, tx: Transaction, epoch: int, /) -> None:
        """Re-wrap what is left under an epoch that is about to die."""
        while self._move(tx, epoch, tx.singletons.vault().cur) == BATCH_KEYS:
            pass

    def clear(self, epoch: int, /) -> None:
        """Do nothing: the rows were overwritten."""

    def _move(self, tx: Transaction, before: int, after: int) -> int:
        rows = tx.subject_keys.under(before, limit=BATCH_KEYS)
        tx.subject_keys.rewrap([self._wrapped(row.holder, row.key_no, after, self._unwrapped(row)) for row in rows])
        return len(rows)

    def _add(self, tx: Transaction, row: Holder, key: bytes) -> None:
        tx.subject_keys.add(self._wrapped(row.holder, row.key_no, _epoch(tx.singletons.vault()), key))

    def _bound_to(self, holder: HolderId, key_no: int, epoch: int) -> bytes:
        return b"oblio/subject/1" + raw(self._place.store_id) + struct.pack(">QQ", epoch, key_no) + raw(holder)

    def _wrapped(self, holder: HolderId, key_no: int, epoch: int, key: bytes) -> SubjectKeyRow:
        wrapped = wrap(self._ciphers.cipher(epoch), key, self._bound_to(holder, key_no, epoch))
        return SubjectKeyRow(holder=holder, epoch=epoch, key_no=key_no, wrapped=wrapped)

    def _unwrapped(self, row: SubjectKeyRow) -> bytes:
        cipher: AESGCM = self._ciphers.cipher(row.epoch)
        try:
            return unwrap(cipher, row.wrapped, self._bound_to(row.holder, row.key_no, row.epoch))
        except ContentForged as error:
            raise KeyForeign(epoch=row.epoch) from error
