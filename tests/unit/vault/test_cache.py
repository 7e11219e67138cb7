"""Decrypted keys in memory: 60 seconds, bounded, for one version."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oblio.errors.vault import EpochGone
from oblio.model.ids import HolderId, new_id
from oblio.model.subject import Holder
from oblio.ports.store import uncut
from oblio.vault.cache import EpochCache, HolderCache
from oblio.vault.providers.local import LocalEpochKeys
from oblio.vault.timed import Alarm

ROW = Holder(holder=HolderId(new_id()))


class Silent:
    """An alarm that never rings."""

    def cancel(self) -> None:
        """Do nothing."""


class Rings:
    """Alarms that ring when the test says so."""

    def __init__(self) -> None:
        self._rings: list[Callable[[], None]] = []

    def set_alarm(self, _seconds: float, ring: Callable[[], None]) -> Alarm:
        self._rings.append(ring)
        return Silent()

    def ring(self) -> None:
        for ring in self._rings:
            ring()


def silent(_seconds: float, _ring: Callable[[], None]) -> Alarm:
    return Silent()


class Provider(LocalEpochKeys):
    """Epoch keys in files, with a look at each load."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, cut=uncut)
        self.loads: list[int] = []
        self.on_load: Callable[[], None] = lambda: None

    def load(self, epoch: int, /) -> bytes:
        self.loads.append(epoch)
        self.on_load()
        return super().load(epoch)


@pytest.fixture
def provider(tmp_path: Path) -> Provider:
    """Keys of the epochs 1 and 2."""
    made = Provider(tmp_path)
    made.create(1)
    made.create(2)
    return made


def test_a_key_is_kept_for_less_than_60_seconds() -> None:
    now = [0.0]
    cache = HolderCache(lambda: now[0], alarms=silent)
    cache.put(ROW, b"k" * 32)
    now[0] = 59.9
    assert cache.get(ROW) == b"k" * 32
    now[0] = 60.0
    assert cache.get(ROW) is None
    assert len(cache) == 0


def test_another_version_or_key_number_finds_nothing() -> None:
    cache = HolderCache(lambda: 0.0, alarms=silent)
    cache.put(ROW, b"k" * 32)
    assert cache.get(replace(ROW, version=2)) is None
    assert cache.get(replace(ROW, key_no=2)) is None


def test_the_oldest_key_makes_room() -> None:
    cache = HolderCache(lambda: 0.0, most=2, alarms=silent)
    rows = [Holder(holder=HolderId(new_id())) for _ in range(3)]
    for row in rows:
        cache.put(row, b"k" * 32)
    assert [cache.get(row) is not None for row in rows] == [False, True, True]


@pytest.mark.parametrize("leaves", ["forgotten", "rings", "closed"])
def test_a_key_that_leaves_is_overwritten(leaves: str) -> None:
    now, rings = [0.0], Rings()
    cache = HolderCache(lambda: now[0], alarms=rings.set_alarm)
    cache.put(ROW, b"k" * 32)
    kept = cache._timed.get(ROW.holder, lambda kept: kept.key)
    if leaves == "forgotten":
        cache.forget(ROW.holder)
        cache.forget(ROW.holder)
    elif leaves == "rings":
        now[0] = 60.0
        rings.ring()
    else:
        cache.close()
    assert kept == bytearray(32)
    assert cache.get(ROW) is None


def test_what_a_caller_got_is_not_overwritten_under_its_hands() -> None:
    cache = HolderCache(lambda: 0.0, alarms=silent)
    cache.put(ROW, b"k" * 32)
    got = cache.get(ROW)
    cache.forget(ROW.holder)
    assert got == b"k" * 32


def test_a_cipher_is_loaded_once_in_60_seconds(provider: Provider) -> None:
    now = [0.0]
    cache = EpochCache(provider, lambda: now[0], alarms=silent)
    assert cache.cipher(1) is cache.cipher(1)
    now[0] = 60.0
    cache.cipher(1)
    assert provider.loads == [1, 1]


def test_a_cipher_of_an_epoch_that_is_gone_is_a_fault(provider: Provider) -> None:
    with pytest.raises(EpochGone):
        EpochCache(provider, lambda: 0.0, alarms=silent).cipher(10)


def test_a_cipher_leaves_by_its_alarm(provider: Provider) -> None:
    now, rings = [0.0], Rings()
    cache = EpochCache(provider, lambda: now[0], alarms=rings.set_alarm)
    cache.cipher(1)
    now[0] = 60.0
    rings.ring()
    assert len(cache._timed) == 0


def test_a_forgotten_epoch_is_not_kept_again(provider: Provider) -> None:
    cache = EpochCache(provider, lambda: 0.0, alarms=silent)
    cache.cipher(1)
    cache.forget(1)
    cache.cipher(1)
    cache.cipher(2)
    cache.cipher(2)
    assert provider.loads == [1, 1, 2]
    assert len(cache._timed) == 1


def test_an_epoch_forgotten_while_its_key_is_read_is_not_kept(provider: Provider) -> None:
    cache = EpochCache(provider, lambda: 0.0, alarms=silent)
    reading, go = threading.Event(), threading.Event()

    def wait() -> None:
        reading.set()
        go.wait(30)

    provider.on_load = wait
    thread = threading.Thread(target=cache.cipher, args=(1,))
    thread.start()
    reading.wait(30)
    cache.forget(1)
    go.set()
    thread.join()
    assert len(cache._timed) == 0


def test_a_closed_cache_keeps_no_cipher(provider: Provider) -> None:
    cache = EpochCache(provider, lambda: 0.0, alarms=silent)
    cache.cipher(1)
    cache.close()
    cache.cipher(1)
    assert len(cache._timed) == 0
