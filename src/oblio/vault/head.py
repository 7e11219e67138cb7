"""The counter of the database, as the key place remembers it: finds an old copy that was put back.

File `head`: two records of 512 bytes (one sector each). A record is version byte, u64 epoch, nonce 12, sealed counter 8
and tag 16, CRC-32. The counter is sealed under the epoch key, so a record of an old epoch cannot be put back once that
epoch is gone. A write goes to the record that does not hold the largest counter, so a torn write loses nothing.

The database commits first and the key place follows, so after a crash the database may be ahead by one, never by more:
`advance` publishes what an earlier crash held back before it counts on.
"""

import fcntl
import os
import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import ContentForged, EpochGone, KeyPlaceBroken, KeysAreOlder, StoreIsOlder
from oblio.model.ids import raw
from oblio.ports.provider import EpochKeys
from oblio.ports.store import Cut, Transaction
from oblio.vault.envelope import KEY_BYTES, NONCE_BYTES, unwrap, wrap
from oblio.vault.files import opened, read_at, replace_file, write_at

RECORD_BYTES: Final = 512
FORMAT: Final = 1
ROLE: Final = "head"
CUTS: Final = ("head.written", "head.synced")

_CLEAR: Final = struct.Struct(">BQ")
_SEALED: Final = _CLEAR.size + NONCE_BYTES + KEY_BYTES + 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where the key place says the database stands."""

    counter: int
    epoch: int
    record: int
    """Which of the two records holds it."""


class HeadFile:
    """`Head` in a file of the key place."""

    def __init__(self, path: Path, epochs: EpochKeys, /, *, store: str, cut: Cut) -> None:
        self._path = path
        self._epochs = epochs
        self._store = store
        self._cut = cut
        self._epoch = 1

    def create(self, *, epoch: int) -> None:
        """Write a first head: counter 0."""
        record = self._packed(0, epoch).ljust(2 * RECORD_BYTES, b"\0")
        replace_file(self._path, record, ROLE, cut=self._cut)

    def advance(self, tx: Transaction, /) -> int:
        """Raise the counter in the database within a transaction. Return the new value."""
        vault = tx.singletons.vault()
        self._epoch = vault.cur
        self.publish(vault.counter)
        tx.singletons.put_vault(replace(vault, counter=vault.counter + 1))
        return vault.counter + 1

    def publish(self, counter: int, /) -> None:
        """After the commit of `advance`: write the counter to the key place, durably. A smaller one changes nothing.

        Raises:
            KeyPlaceBroken: no record of the head can be read.
        """
        with opened(self._path, os.O_RDWR, ROLE) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            last = self._last(descriptor)
            if last.counter < counter:
                self._put(descriptor, last, counter, self._epoch)

    def move(self, counter: int, epoch: int, /) -> None:
        """Seal the counter under the epoch that a rotation made current, before the old epoch key dies."""
        self._epoch = epoch
        with opened(self._path, os.O_RDWR, ROLE) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            last = self._last(descriptor)
            if (last.epoch, last.counter) < (epoch, counter):
                self._put(descriptor, last, max(counter, last.counter), epoch)

    def position(self) -> Position:
        """Return what the key place remembers.

        Raises:
            KeyPlaceMissing: there is no head.
            KeyPlaceBroken: no record can be read.
        """
        with opened(self._path, os.O_RDONLY, ROLE) as descriptor:
            return self._last(descriptor)

    def check(self, tx: Transaction, /) -> None:
        """Compare both, and publish what a crash held back.

        Raises:
            StoreIsOlder: the database is behind the key place; replay the ledger first.
            KeysAreOlder: the key place is behind the database by more than one.
        """
        vault = tx.singletons.vault()
        found = self.position()
        if vault.counter < found.counter:
            raise StoreIsOlder(store_counter=vault.counter, place_counter=found.counter)
        if vault.counter > found.counter + 1:
            raise KeysAreOlder(store_counter=vault.counter, place_counter=found.counter)
        self._epoch = vault.cur
        self.publish(vault.counter)

    def adopt(self, tx: Transaction, /) -> None:
        """Make an older database follow the key place: its epoch, its counter, no re-wrapping under way.

        An older epoch that a rotation had left to die is named again, so that the next rotation ends it.
        """
        found, vault = self.position(), tx.singletons.vault()
        retiring = max((epoch for epoch in self._epochs.epochs() if epoch < found.epoch), default=None)
        self._epoch = found.epoch
        tx.singletons.put_vault(
            replace(vault, cur=found.epoch, new=None, progress=0, retiring=retiring, counter=found.counter)
        )

    def _put(self, descriptor: int, last: Position, counter: int, epoch: int) -> None:
        write_at(descriptor, self._packed(counter, epoch), RECORD_BYTES * (1 - last.record))
        self._cut("head.written")
        os.fdatasync(descriptor)
        self._cut("head.synced")

    def _last(self, descriptor: int) -> Position:
        found = read_at(descriptor, 2 * RECORD_BYTES, 0)
        positions = [self._read(found, record) for record in (0, 1)]
        present = [position for position in positions if position is not None]
        if not present:
            raise KeyPlaceBroken(role=ROLE)
        return max(present, key=lambda position: (position.counter, position.epoch))

    def _bound_to(self, epoch: int) -> bytes:
        return b"oblio/head/1" + raw(self._store) + struct.pack(">Q", epoch)

    def _packed(self, counter: int, epoch: int) -> bytes:
        # The counter is filled up to the size of a key, because that is what `wrap` seals.
        cipher = AESGCM(self._epochs.load(epoch))
        body = _CLEAR.pack(FORMAT, epoch) + wrap(cipher, counter.to_bytes(KEY_BYTES, "big"), self._bound_to(epoch))
        return body + struct.pack(">I", zlib.crc32(body))

    def _read(self, found: bytes, record: int) -> Position | None:
        """Return the position in a record; `None` where it is empty, torn, or sealed under an epoch that is gone."""
        start = RECORD_BYTES * record
        body, crc = found[start : start + _SEALED], found[start + _SEALED : start + _SEALED + 4]
        if len(body) < _SEALED or crc != struct.pack(">I", zlib.crc32(body)) or body[0] != FORMAT:
            return None
        epoch = _CLEAR.unpack_from(body)[1]
        try:
            cipher = AESGCM(self._epochs.load(epoch))
            counter = unwrap(cipher, body[_CLEAR.size :], self._bound_to(epoch))
        except (EpochGone, ContentForged, KeyPlaceBroken):
            return None
        return Position(counter=int.from_bytes(counter, "big"), epoch=epoch, record=record)
