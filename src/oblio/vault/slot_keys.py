"""Holder keys in slot files, with the database as the only coordinator (SQLite).

Where a slot is read and written: in the file of the new epoch if a rotation runs and the slot is below its progress,
else in the current one. What is destroyed is zeroed in all files there are, wherever a rotation stands.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from oblio.errors.vault import EpochGone, KeyDamaged, KeyDestroyed, SlotFileMissing, SlotFileTruncated
from oblio.model.ids import HolderId
from oblio.model.subject import Holder, HolderRole, HolderState
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import VaultRow
from oblio.vault.cache import EpochCache
from oblio.vault.place import KeyPlace
from oblio.vault.slots import SlotFile

BATCH_SLOTS: Final = 1000
CUTS: Final = (
    "slot.written",
    "slot.synced",
    "slot.zeroed",
    "slot.zero_synced",
    "slots.created",
    "batch.written",
    "batch.synced",
)


def epoch_of(vault: VaultRow, slot: int, /) -> int:
    """Return the epoch whose file a slot is read from and written to."""
    return vault.new if vault.new is not None and slot < vault.progress else vault.cur


def _existing(vault: VaultRow) -> Sequence[int]:
    return [epoch for epoch in (vault.cur, vault.new, vault.retiring) if epoch is not None]


class SlotKeys:
    """`HolderKeys` in slot files."""

    def __init__(self, place: KeyPlace, store: Store, ciphers: EpochCache, /) -> None:
        self._place = place
        self._store = store
        self._ciphers = ciphers
        self._cut = place.cut

    def admit(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Write the key into the smallest free slot and sync, then add the row."""
        slot = self._written(tx, row, key)
        admitted = replace(row, slot=slot, retired_slot=None)
        tx.holders.add(admitted)
        return admitted

    def load(self, tx: Transaction, row: Holder, /) -> bytes:
        """Read the holder's slot."""
        if row.slot is None:
            raise KeyDestroyed
        epoch = epoch_of(tx.singletons.vault(), row.slot)
        with self._place.slots(epoch) as file:
            key = file.key(self._ciphers.cipher(epoch), row.slot, row.holder)
        if key is None:
            raise KeyDestroyed
        return key

    def replace(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Write the key into a new slot and sync; the old slot is retired, and not free before it is zeroed."""
        moved = replace(
            row,
            slot=self._written(tx, row, key),
            retired_slot=row.slot,
            key_no=row.key_no + 1,
            version=row.version + 1,
        )
        tx.holders.put(moved)
        return moved

    def settle(self, tx: Transaction, rows: Sequence[Holder], /) -> None:
        """Zero the retired slots in every file, sync each once, then free them."""
        self._zero(tx, [row.retired_slot for row in rows if row.retired_slot is not None])
        for row in rows:
            if row.retired_slot is not None:
                tx.holders.put(replace(row, retired_slot=None))

    def destroy(self, tx: Transaction, row: Holder, /) -> None:
        """Zero both slots of the holder in every file, sync each once, then free them."""
        slots = [slot for slot in (row.slot, row.retired_slot) if slot is not None]
        if slots:
            self._zero(tx, slots)
            tx.holders.put(replace(row, slot=None, retired_slot=None, version=row.version + 1))

    def wraps(self, tx: Transaction, row: Holder, /) -> Sequence[bytes]:
        """Return the bytes of the holder's slots in every file; during a rotation a key may be in two."""
        vault = tx.singletons.vault()
        places = [
            (epoch, slot) for epoch in _existing(vault) for slot in (row.retired_slot, row.slot) if slot is not None
        ]
        places.sort(key=lambda at: at[1] == row.slot and at[0] == epoch_of(vault, at[1]))
        found: list[bytes] = []
        for epoch, slot in places:
            with suppress(SlotFileMissing, SlotFileTruncated, KeyDamaged), self._place.slots(epoch) as file:
                found += [wrapped] if (wrapped := file.wrapped(slot)) else []
        return found

    def begin(self, tx: Transaction, /, *, now: datetime) -> None:
        """Make the next epoch key and its file, both durable, then name them."""
        vault = tx.singletons.vault()
        epoch = self._place.next_epoch(vault.cur)
        self._place.create_slots(epoch, tx.holders.last_slot() + 1)
        self._cut("slots.created")
        tx.singletons.put_vault(
            replace(vault, new=epoch, progress=0, rotation_started_at=now, rotation_finished_at=None)
        )

    def batch(self, tx: Transaction, /) -> bool:
        """Re-wrap the next 1,000 slots into the new file: live ones anew, all others as zeros."""
        vault = tx.singletons.vault()
        last = tx.holders.last_slot()
        if vault.new is None or vault.progress > last:
            return True
        start, stop = vault.progress, min(vault.progress + BATCH_SLOTS, last + 1)
        owners = tx.holders.owners(start=start, stop=stop)
        with self._place.slots(vault.cur) as old, self._place.slots(vault.new) as new:
            old.read_ahead(start, stop)
            slots: list[bytes | None] = [None] * (stop - start)
            for slot, wrapped in self._rewrapped(old, new, owners):
                slots[slot - start] = wrapped
            new.write(start, slots)
            self._cut("batch.written")
            new.sync()
            self._cut("batch.synced")
        tx.singletons.put_vault(replace(vault, progress=stop))
        return stop > last

    def verify(self) -> None:
        """Open every live slot; one that does not open is looked at again by itself, for it may have moved."""
        start, last = 0, 0
        while start <= last:
            with self._store.read() as tx:
                last = tx.holders.last_slot()
                doubtful = self._unopened(tx, tx.holders.owners(start=start, stop=start + BATCH_SLOTS))
            for row in doubtful:
                self._verify(row.holder)
            start += BATCH_SLOTS

    def sweep(self, tx: Transaction, epoch: int, /) -> None:
        """Do nothing: writers exclude each other, so nobody writes to a file that is not named any more."""

    def clear(self, epoch: int, /) -> None:
        """Remove the slot file of a dead epoch."""
        self._place.drop_slots(epoch)

    def _written(self, tx: Transaction, row: Holder, key: bytes) -> int:
        slot = tx.holders.free_slot()
        epoch = epoch_of(tx.singletons.vault(), slot)
        with self._place.slots(epoch) as file:
            file.write(slot, [file.sealed(self._ciphers.cipher(epoch), slot, row.holder, key)])
            self._cut("slot.written")
            file.sync()
        self._cut("slot.synced")
        return slot

    def _zero(self, tx: Transaction, slots: Sequence[int]) -> None:
        if not slots:
            return
        for epoch in _existing(tx.singletons.vault()):
            with suppress(SlotFileMissing), self._place.slots(epoch) as file:
                for slot in slots:
                    file.zero(slot)
                self._cut("slot.zeroed")
                file.sync()
                self._cut("slot.zero_synced")

    def _rewrapped(self, old: SlotFile, new: SlotFile, rows: Sequence[Holder]) -> Iterator[tuple[int, bytes | None]]:
        before, after = self._ciphers.cipher(old.epoch), self._ciphers.cipher(new.epoch)
        for row in rows:
            slot = row.slot if row.slot is not None else 0
            try:
                key = old.key(before, slot, row.holder)
            except KeyDamaged:
                if _must_open(row):
                    raise
                key = None
            if key is None and _must_open(row):
                raise KeyDamaged(epoch=old.epoch)
            yield slot, None if key is None else new.sealed(after, slot, row.holder, key)

    def _unopened(self, tx: Transaction, rows: Sequence[Holder]) -> Sequence[Holder]:
        """Return the holders whose slots do not open in the file of a run's new epoch."""
        vault = tx.singletons.vault()
        epoch = vault.cur if vault.new is None else vault.new
        cipher = self._ciphers.cipher(epoch)
        doubtful: list[Holder] = []
        with self._place.slots(epoch) as file:
            if rows:
                file.read_ahead(rows[0].slot or 0, (rows[-1].slot or 0) + 1)
            for row in rows:
                try:
                    key = None if row.slot is None else file.key(cipher, row.slot, row.holder)
                except (KeyDamaged, SlotFileTruncated):
                    key = None
                if key is None:
                    doubtful.append(row)
        return doubtful

    def _verify(self, holder: HolderId) -> None:
        """Open a holder's key; it is damaged when it fails twice and its rows did not change in between."""
        seen: tuple[Holder, VaultRow] | None = None
        while True:
            with self._store.read() as tx:
                row, vault = tx.holders.get(holder), tx.singletons.vault()
                if row is None or not _must_open(row):
                    return
                try:
                    self.load(tx, row)
                except (KeyDestroyed, KeyDamaged, SlotFileMissing, SlotFileTruncated, EpochGone) as error:
                    if seen == (row, vault):
                        raise KeyDamaged(epoch=vault.new or vault.cur) from error
                    seen = (row, vault)
                else:
                    return


def _must_open(row: Holder) -> bool:
    """Whether an unreadable key is damage: not where a destruction was begun and a crash cut it off."""
    return row.role is HolderRole.SUBJECT and row.state is HolderState.ACTIVE
