"""Epoch rotation: the moment from which no wrapped key of before can be opened, unless its epoch key was copied too.

    new epoch key and file -> [new] -> re-wrap in batches -> open all -> [cur, retiring] -> head -> key set, read back
    -> destroy the old epoch key -> see that it is gone -> remove its file -> [retiring NULL, times]

What stands in brackets is a transaction; every step may be repeated, and the vault row says where to go on. A run that
is under way is finished, never joined: an erasure that came after its start is covered by the next run only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from oblio.errors.vault import EpochNotGone, KeySetUnproven
from oblio.ports.keys import Rotation
from oblio.ports.provider import EpochState, KeySetPlace
from oblio.ports.store import Store, Transaction
from oblio.ports.tables import VaultRow
from oblio.vault.cache import EpochCache
from oblio.vault.holder_keys import HolderKeys
from oblio.vault.place import KeyPlace
from oblio.vault.timed import Clock

CUTS: Final = (
    "rotation.begun",
    "rotation.batch",
    "rotation.verified",
    "rotation.switched",
    "rotation.head",
    "rotation.key_set",
    "rotation.destroyed",
    "rotation.cleared",
    "rotation.finished",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySetWriter:
    """Where the key set goes, and how it is made within a write transaction. No setting names a place for it yet."""

    place: KeySetPlace
    body: Callable[[Transaction], bytes]


class Rotator:
    """Runs rotations of one store. One worker at a time calls it, under the store's lock for that."""

    def __init__(
        self, place: KeyPlace, store: Store, keys: HolderKeys, /, *, ciphers: EpochCache, clock: Clock
    ) -> None:
        self._place = place
        self._store = store
        self._keys = keys
        self._ciphers = ciphers
        self._clock = clock
        self._cut = place.cut

    def run(self, now: datetime, key_set: KeySetWriter | None, /) -> Rotation:
        """Finish the run that is under way, or start one and finish it.

        Raises:
            KeyDamaged: a live key does not open; the old epoch stays.
            KeySetUnproven: the key set could not be read back; the old epoch stays.
            EpochNotGone: the provider still has the old key.
        """
        began = self._clock()
        started_here = self._begin(now)
        self._rewrap()
        self._retire(key_set)
        finished = self._finish(now + timedelta(seconds=self._clock() - began))
        return Rotation(
            started_at=finished.rotation_started_at or now,
            finished_at=finished.rotation_finished_at or now,
            started_here=started_here,
        )

    def _vault(self) -> VaultRow:
        with self._store.read() as tx:
            return tx.singletons.vault()

    def _begin(self, now: datetime) -> bool:
        with self._store.write() as tx:
            vault = tx.singletons.vault()
            if vault.new is not None or vault.retiring is not None:
                return False
            # Keys that a re-keying left behind must not be taken for live ones of the old epoch.
            self._keys.settle(tx, tx.holders.retired())
            self._keys.begin(tx, now=now)
        self._cut("rotation.begun")
        return True

    def _rewrap(self) -> None:
        while self._vault().new is not None:
            self._batches()
            self._keys.verify()
            self._cut("rotation.verified")
            self._switch()

    def _batches(self) -> None:
        done = False
        while not done:
            with self._store.write() as tx:
                done = self._keys.batch(tx)
            self._cut("rotation.batch")

    def _switch(self) -> None:
        """Make the new epoch current, unless somebody came after the last batch."""
        with self._store.write() as tx:
            if not self._keys.batch(tx):
                return
            self._place.head.advance(tx)
            vault = tx.singletons.vault()
            if vault.new is not None:
                tx.singletons.put_vault(replace(vault, cur=vault.new, new=None, progress=0, retiring=vault.cur))
        self._cut("rotation.switched")

    def _retire(self, key_set: KeySetWriter | None) -> None:
        vault = self._vault()
        if vault.retiring is None:
            return
        with self._store.write() as tx:
            self._keys.sweep(tx, vault.retiring)
        self._place.head.move(vault.counter, vault.cur)
        self._cut("rotation.head")
        if key_set is not None:
            self._write_key_set(key_set, vault.cur)
            self._cut("rotation.key_set")
        self._ciphers.forget(vault.retiring)
        self._place.epochs.destroy(vault.retiring)
        self._cut("rotation.destroyed")
        if self._place.epochs.state(vault.retiring) is not EpochState.GONE:
            raise EpochNotGone(epoch=vault.retiring)
        self._keys.clear(vault.retiring)
        self._cut("rotation.cleared")

    def _write_key_set(self, key_set: KeySetWriter, epoch: int) -> None:
        with self._store.write() as tx:
            body = key_set.body(tx)
        key_set.place.write(body)
        if key_set.place.read() != body:
            raise KeySetUnproven(epoch=epoch)

    def _finish(self, finished_at: datetime) -> VaultRow:
        with self._store.write() as tx:
            vault = tx.singletons.vault()
            if vault.retiring is not None:
                vault = replace(vault, retiring=None, rotation_finished_at=finished_at)
                tx.singletons.put_vault(vault)
        self._cut("rotation.finished")
        return vault
