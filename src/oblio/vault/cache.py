"""Decrypted keys in memory: at most 60 seconds, bounded in number, and good for one version.

Keys of holders are kept in byte arrays that are overwritten when they leave. What a caller works with is a copy, and
the cipher objects of the cryptography library hold copies too: Python cannot promise more (LIMITATIONS.md).
"""

from dataclasses import dataclass, field
from threading import Lock

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.model.ids import HolderId
from oblio.model.subject import Holder
from oblio.ports.provider import EpochKeys
from oblio.vault.timed import MOST, Alarms, Clock, Timed, sleeping_thread


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    version: int
    key_no: int
    key: bytearray = field(repr=False)


def _overwrite(kept: _Kept) -> None:
    kept.key[:] = bytes(len(kept.key))


class HolderCache:
    """Keys by holder, good for one (version, key number) only. Safe to use from many threads.

    Args:
        clock: seconds that never run backwards.
        most: how many keys are kept.
        alarms: sets the alarm at which a key leaves that nobody asks for.
    """

    def __init__(self, clock: Clock, /, *, most: int = MOST, alarms: Alarms = sleeping_thread) -> None:
        self._timed: Timed[HolderId, _Kept] = Timed(clock, _overwrite, most=most, alarms=alarms)

    def get(self, row: Holder, /) -> bytes | None:
        """Return a copy of the key that this row names, `None` when it is not kept."""

        def read(kept: _Kept) -> bytes | None:
            return bytes(kept.key) if (kept.version, kept.key_no) == (row.version, row.key_no) else None

        return self._timed.get(row.holder, read)

    def put(self, row: Holder, key: bytes, /) -> None:
        """Keep the key of a row; the oldest one goes when there are too many."""
        self._timed.put(row.holder, _Kept(version=row.version, key_no=row.key_no, key=bytearray(key)))

    def forget(self, holder: HolderId, /) -> None:
        """Overwrite and drop the key of a holder."""
        self._timed.forget(holder)

    def close(self) -> None:
        """Overwrite and drop every key, and keep none from now on."""
        self._timed.close()

    def __len__(self) -> int:
        return len(self._timed)


class EpochCache:
    """Ciphers of epoch keys. Safe to use from many threads.

    Args:
        provider: where epoch keys are.
        clock: seconds that never run backwards.
        alarms: sets the alarm at which a cipher leaves that nobody asks for.
    """

    def __init__(self, provider: EpochKeys, clock: Clock, /, *, alarms: Alarms = sleeping_thread) -> None:
        self._provider = provider
        self._timed: Timed[int, AESGCM] = Timed(clock, _leave, alarms=alarms)
        self._storing = Lock()
        self._gone = 0

    def cipher(self, epoch: int, /) -> AESGCM:
        """Return the cipher of an epoch; one that was forgotten is loaded each time, and kept no more.

        Raises:
            EpochGone: its key was destroyed or never made.
        """
        cipher = self._timed.get(epoch, _same)
        if cipher is None:
            cipher = AESGCM(self._provider.load(epoch))
            with self._storing:
                if epoch > self._gone:
                    self._timed.put(epoch, cipher)
        return cipher

    def forget(self, epoch: int, /) -> None:
        """Drop the cipher of an epoch whose key is destroyed next. Numbers only rise, so older ones are gone too."""
        with self._storing:
            self._gone = max(self._gone, epoch)
            self._timed.forget(epoch)

    def close(self) -> None:
        """Drop every cipher, and keep none from now on."""
        self._timed.close()


def _same(cipher: AESGCM) -> AESGCM:
    return cipher


def _leave(_cipher: AESGCM) -> None:
    """Do nothing more: the library's own copy cannot be overwritten from here."""
