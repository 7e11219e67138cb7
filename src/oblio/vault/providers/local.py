"""Epoch keys in files beside the slot files: `epoch.<n>.key`, version byte, number, key 32, CRC-32.

The default of an embedded store, so that nobody loses the keys by forgetting a service. A raw copy of the key place
and the data taken together keeps what it held; receipts say so.
"""

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from oblio.errors.vault import EpochGone, KeyPlaceBroken, KeyPlaceMissing
from oblio.ports.provider import EpochState
from oblio.ports.store import Cut, uncut
from oblio.vault.envelope import KEY_BYTES, new_key
from oblio.vault.files import guarded, read_whole, replace_file, shred

FORMAT: Final = 1
ROLE: Final = "epoch key"

_RECORD: Final = struct.Struct(f">BQ{KEY_BYTES}s")


class LocalEpochKeys:
    """`EpochKeys` in a private directory."""

    def __init__(self, directory: Path, /, *, cut: Cut = uncut) -> None:
        self._directory = directory
        self._cut = cut

    def _path(self, epoch: int) -> Path:
        return self._directory / f"epoch.{epoch}.key"

    def create(self, epoch: int, /) -> None:
        """Make a key, durably: temporary name, sync, rename, sync of the directory. Quiet when it exists."""
        if self.state(epoch) is EpochState.GONE:
            body = _RECORD.pack(FORMAT, epoch, new_key())
            replace_file(self._path(epoch), body + struct.pack(">I", zlib.crc32(body)), ROLE, cut=self._cut)

    def load(self, epoch: int, /) -> bytes:
        """Return a key.

        Raises:
            EpochGone: there is no such file.
            KeyPlaceBroken: the file is damaged, or zeros of a destruction that a crash cut off.
        """
        try:
            found = read_whole(self._path(epoch), ROLE)
        except KeyPlaceMissing as error:
            raise EpochGone(epoch=epoch) from error
        body, crc = found[:-4], found[-4:]
        if len(body) != _RECORD.size or crc != struct.pack(">I", zlib.crc32(body)):
            raise KeyPlaceBroken(role=ROLE)
        version, number, key = _RECORD.unpack(body)
        if version != FORMAT or number != epoch:
            raise KeyPlaceBroken(role=ROLE)
        return bytes(key)

    def destroy(self, epoch: int, /) -> None:
        """Overwrite the file with zeros, sync, remove it, sync the directory. Quiet when it is gone."""
        shred(self._path(epoch), ROLE, cut=self._cut)

    def state(self, epoch: int, /) -> EpochState:
        """Look for the file. A local key has no waiting period: it is there or gone."""
        with guarded(ROLE):
            return EpochState.PRESENT if self._path(epoch).exists() else EpochState.GONE

    def epochs(self) -> Sequence[int]:
        """Return the numbers of the key files, lowest first."""
        with guarded(ROLE):
            names = [path.name.split(".") for path in self._directory.glob("epoch.*.key")]
        return sorted(int(number) for _, number, _ in names if number.isdigit())
