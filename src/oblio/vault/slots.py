"""The slot file of one epoch: wrapped holder keys in slots of 64 bytes, never across a disk sector.

Header of 4,096 bytes: magic `OBLIOSLT`, u16 format, u16 slot size, u64 epoch, store id 16, CRC-32, zeros. Slot *i* at
`4096 + 64 * i`: nonce 12, ciphertext 32, tag 16, CRC-32 of these 60 bytes. 64 zero bytes are an empty or erased slot.

Invariants, of which the callers keep the first three:

1. A used slot is written to for one reason only: to destroy its key. A key that is needed never changes where it is.
2. `sync` comes before the commit that relies on what was written.
3. Nobody is given a slot whose zeros are not yet followed by a commit: until then it counts as its last owner's.
4. What a wrapped key is bound to names store, epoch, slot and holder: moved elsewhere it does not open.
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import (
    ContentForged,
    FormatUnknown,
    KeyForeign,
    KeyPlaceMissing,
    KeyTorn,
    SlotFileBroken,
    SlotFileMissing,
    SlotFileTruncated,
    WrongStore,
)
from oblio.model.ids import HolderId, raw
from oblio.ports.store import Cut
from oblio.vault.envelope import WRAPPED_BYTES, unwrap, wrap
from oblio.vault.files import opened, read_at, replace_file, write_at

HEADER_BYTES: Final = 4096
SLOT_BYTES: Final = 64
FORMAT: Final = 1

_MAGIC: Final = b"OBLIOSLT"
_HEADER: Final = struct.Struct(">8sHHQ16s")
_ZERO: Final = bytes(SLOT_BYTES)


def _header(epoch: int, store: str) -> bytes:
    body = _HEADER.pack(_MAGIC, FORMAT, SLOT_BYTES, epoch, raw(store))
    return (body + struct.pack(">I", zlib.crc32(body))).ljust(HEADER_BYTES, b"\0")


def _packed(wrapped: bytes | None) -> bytes:
    return _ZERO if wrapped is None else wrapped + struct.pack(">I", zlib.crc32(wrapped))


class SlotFile:
    """One open slot file. Use `SlotFile.opened`; writes stay in the system's cache until `sync`."""

    def __init__(self, descriptor: int, *, epoch: int, store: str) -> None:
        self.epoch = epoch
        self._descriptor = descriptor
        self._store = store
        self._bound = b"oblio/slot/1" + raw(store) + struct.pack(">Q", epoch)
        self._ahead = (0, b"")

    @staticmethod
    def create(path: Path, /, *, epoch: int, store: str, slots: int, cut: Cut) -> None:
        """Put a file of empty slots in place, durably; one of an interrupted attempt is replaced."""
        replace_file(path, _header(epoch, store), "slots", size=HEADER_BYTES + SLOT_BYTES * slots, cut=cut)

    @classmethod
    @contextmanager
    def opened(cls, path: Path, /, *, epoch: int, store: str) -> Iterator[Self]:
        """Open a file and check that it is the one of this store and epoch.

        Raises:
            SlotFileMissing: there is none.
            SlotFileBroken: its header is damaged.
            SlotFileTruncated: it ends within the header.
            WrongStore: it belongs to another store.
        """
        try:
            with opened(path, os.O_RDWR, "slots") as descriptor:
                file = cls(descriptor, epoch=epoch, store=store)
                file._check_header()
                yield file
        except KeyPlaceMissing as error:
            raise SlotFileMissing(epoch=epoch) from error

    def _check_header(self) -> None:
        found = read_at(self._descriptor, HEADER_BYTES, 0)
        if len(found) < HEADER_BYTES:
            raise SlotFileTruncated(epoch=self.epoch)
        if found == _header(self.epoch, self._store):
            return
        magic, version, _, epoch, store = _HEADER.unpack_from(found)
        (crc,) = struct.unpack_from(">I", found, _HEADER.size)
        if magic != _MAGIC or crc != zlib.crc32(found[: _HEADER.size]) or epoch != self.epoch:
            raise SlotFileBroken(epoch=self.epoch)
        if version != FORMAT:
            raise FormatUnknown(version=version)
        if store != raw(self._store):
            raise WrongStore
        raise SlotFileBroken(epoch=self.epoch)

    def bound_to(self, slot: int, holder: HolderId, /) -> bytes:
        """Return what a wrapped key of this file is bound to."""
        return self._bound + struct.pack(">Q", slot) + raw(holder)

    def read_ahead(self, start: int, stop: int, /) -> None:
        """Read the slots from `start` to below `stop` at once; later reads of them see what is there now."""
        self._ahead = (start, read_at(self._descriptor, SLOT_BYTES * (stop - start), HEADER_BYTES + SLOT_BYTES * start))

    def wrapped(self, slot: int, /) -> bytes | None:
        """Return the 60 bytes of a wrapped key, `None` for an empty or erased slot.

        Raises:
            KeyTorn: the checksum is wrong.
            SlotFileTruncated: the file ends before the slot.
        """
        found = self._slot(slot)
        if len(found) < SLOT_BYTES:
            raise SlotFileTruncated(epoch=self.epoch)
        if found == _ZERO:
            return None
        if found != _packed(found[:WRAPPED_BYTES]):
            raise KeyTorn(epoch=self.epoch)
        return found[:WRAPPED_BYTES]

    def _slot(self, slot: int) -> bytes:
        start, ahead = self._ahead
        at = SLOT_BYTES * (slot - start)
        found = ahead[at : at + SLOT_BYTES] if at >= 0 else b""
        return found or read_at(self._descriptor, SLOT_BYTES, HEADER_BYTES + SLOT_BYTES * slot)

    def key(self, cipher: AESGCM, slot: int, holder: HolderId, /) -> bytes | None:
        """Return the key in a slot, `None` for an empty or erased one.

        Raises:
            KeyTorn: the checksum is wrong.
            KeyForeign: the checksum is right, but it belongs to another holder, slot, store or epoch.
            SlotFileTruncated: the file ends before the slot.
        """
        wrapped = self.wrapped(slot)
        if wrapped is None:
            return None
        try:
            return unwrap(cipher, wrapped, self.bound_to(slot, holder))
        except ContentForged as error:
            raise KeyForeign(epoch=self.epoch) from error

    def sealed(self, cipher: AESGCM, slot: int, holder: HolderId, key: bytes, /) -> bytes:
        """Return a key wrapped for a slot of this file."""
        return wrap(cipher, key, self.bound_to(slot, holder))

    def write(self, start: int, wrapped: Sequence[bytes | None], /) -> None:
        """Write slots from `start` on; `None` makes an empty one."""
        write_at(self._descriptor, b"".join(map(_packed, wrapped)), HEADER_BYTES + SLOT_BYTES * start)

    def zero(self, slot: int, /) -> None:
        """Overwrite a slot with zeros. Behind the end of the file there is nothing to overwrite."""
        if os.fstat(self._descriptor).st_size > HEADER_BYTES + SLOT_BYTES * slot:
            self.write(slot, [None])

    def sync(self) -> None:
        """Make every write durable (`fdatasync`)."""
        os.fdatasync(self._descriptor)
