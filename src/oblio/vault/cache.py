"""Decrypted keys in memory: at most 60 seconds, bounded in number, and good for one version.

Keys of holders are kept in byte arrays that are overwritten when they leave. What a caller works with is a copy, and
the cipher objects of the cryptography library hold copies too: Python cannot promise more (LIMITATIONS.md).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.model.ids import HolderId
from oblio.model.subject import Holder
from oblio.ports.provider import EpochKeys

KEEP_SECONDS: Final = 60.0
MOST_HOLDERS: Final = 4096

Clock = Callable[[], float]
"""Seconds that never run backwards, such as `time.monotonic`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    version: int
    key_no: int
    key: bytearray = field(repr=False)
    until: float


class HolderCache:
    """Keys by holder, good for one (version, key number) only. Safe to use from many threads."""

    def __init__(self, clock: Clock, /, *, most: int = MOST_HOLDERS) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[HolderId, _Kept] = OrderedDict()

    def get(self, row: Holder, /) -> bytes | None:
        """Return a copy of the key that this row names, `None` when it is not kept."""
        with self._lock:
            self._expire()
            kept = self._kept.get(row.holder)
            if kept is None or (kept.version, kept.key_no) != (row.version, row.key_no):
                return None
            return bytes(kept.key)

    def put(self, row: Holder, key: bytes, /) -> None:
        """Keep the key of a row; the oldest one goes when there are too many."""
        with self._lock:
            self._expire()
            self._drop(row.holder)
            self._kept[row.holder] = _Kept(
                version=row.version, key_no=row.key_no, key=bytearray(key), until=self._clock() + KEEP_SECONDS
            )
            while len(self._kept) > self._most:
                self._drop(next(iter(self._kept)))

    def forget(self, holder: HolderId, /) -> None:
        """Overwrite and drop the key of a holder."""
        with self._lock:
            self._drop(holder)

    def __len__(self) -> int:
        return len(self._kept)

    def _expire(self) -> None:
        # All are kept for the same time, so the first is the oldest.
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).until <= now:
            self._drop(next(iter(self._kept)))

    def _drop(self, holder: HolderId) -> None:
        kept = self._kept.pop(holder, None)
        if kept is not None:
            kept.key[:] = bytes(len(kept.key))


class EpochCache:
    """Ciphers of epoch keys. Safe to use from many threads."""

    def __init__(self, provider: EpochKeys, clock: Clock, /) -> None:
        self._provider = provider
        self._clock = clock
        self._kept: dict[int, tuple[float, AESGCM]] = {}

    def cipher(self, epoch: int, /) -> AESGCM:
        """Return the cipher of an epoch.

        Raises:
            EpochGone: its key was destroyed or never made.
        """
        now = self._clock()
        until, cipher = self._kept.get(epoch, (now, None))
        if cipher is None or until <= now:
            cipher = AESGCM(self._provider.load(epoch))
            self._kept[epoch] = (now + KEEP_SECONDS, cipher)
        return cipher

    def forget(self, epoch: int, /) -> None:
        """Drop the cipher of an epoch whose key was destroyed."""
        self._kept.pop(epoch, None)
