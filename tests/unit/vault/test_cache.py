"""Decrypted keys in memory: 60 seconds, bounded, for one version."""

from dataclasses import replace

from oblio.model.ids import HolderId, new_id
from oblio.model.subject import Holder
from oblio.vault.cache import HolderCache

ROW = Holder(holder=HolderId(new_id()))


def test_a_key_is_kept_for_less_than_60_seconds() -> None:
    now = [0.0]
    cache = HolderCache(lambda: now[0])
    cache.put(ROW, b"k" * 32)
    now[0] = 59.9
    assert cache.get(ROW) == b"k" * 32
    now[0] = 60.0
    assert cache.get(ROW) is None
    assert len(cache) == 0


def test_another_version_or_key_number_finds_nothing() -> None:
    cache = HolderCache(lambda: 0.0)
    cache.put(ROW, b"k" * 32)
    assert cache.get(replace(ROW, version=2)) is None
    assert cache.get(replace(ROW, key_no=2)) is None


def test_the_oldest_key_makes_room() -> None:
    cache = HolderCache(lambda: 0.0, most=2)
    rows = [Holder(holder=HolderId(new_id())) for _ in range(3)]
    for row in rows:
        cache.put(row, b"k" * 32)
    assert [cache.get(row) is not None for row in rows] == [False, True, True]


def test_a_key_that_leaves_is_overwritten() -> None:
    cache = HolderCache(lambda: 0.0)
    cache.put(ROW, b"k" * 32)
    kept = cache._kept[ROW.holder].key
    cache.forget(ROW.holder)
    cache.forget(ROW.holder)
    assert kept == bytes(32)
    assert cache.get(ROW) is None


def test_what_a_caller_got_is_not_overwritten_under_its_hands() -> None:
    cache = HolderCache(lambda: 0.0)
    cache.put(ROW, b"k" * 32)
    got = cache.get(ROW)
    cache.forget(ROW.holder)
    assert got == b"k" * 32
