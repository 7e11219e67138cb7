"""The counter in the key place: finds old copies, repairs what a crash cut off."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oblio.errors.vault import KeyPlaceBroken, KeyPlaceMissing, KeysAreOlder, StoreIsOlder
from oblio.testing.people import NOON
from oblio.testing.store import MemoryStore
from oblio.vault.head import RECORD_BYTES, HeadFile, Position
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace


@pytest.fixture
def head(place: KeyPlace) -> HeadFile:
    return place.head


def counted(store: MemoryStore, head: HeadFile) -> int:
    with store.write() as tx:
        return head.advance(tx)


def checked(store: MemoryStore, head: HeadFile) -> int:
    with store.read() as tx:
        head.check(tx)
    return head.position().counter


def test_a_counter_rises_with_every_advance_and_is_remembered(store: MemoryStore, head: HeadFile) -> None:
    for expected in (1, 2, 3):
        counter = counted(store, head)
        head.publish(counter)
        assert counter == expected == checked(store, head)


def test_a_publish_that_a_crash_cut_off_is_made_up_for(store: MemoryStore, head: HeadFile) -> None:
    counted(store, head)
    assert head.position().counter == 0
    assert checked(store, head) == 1


def test_the_database_is_never_ahead_by_more_than_one(store: MemoryStore, head: HeadFile) -> None:
    for _ in range(3):
        counted(store, head)
    assert head.position().counter == 2
    assert checked(store, head) == 3


def test_an_old_database_is_found(store: MemoryStore, head: HeadFile) -> None:
    image = store.image()
    head.publish(counted(store, head))
    store.put_back(image)
    with pytest.raises(StoreIsOlder) as caught:
        checked(store, head)
    assert caught.value.facts == {"store_counter": 0, "place_counter": 1}


def test_an_old_key_place_is_found(store: MemoryStore, place: KeyPlace, head: HeadFile) -> None:
    old = (place.directory / "head").read_bytes()
    for _ in range(2):
        head.publish(counted(store, head))
    (place.directory / "head").write_bytes(old)
    with pytest.raises(KeysAreOlder):
        checked(store, head)


def test_publishing_late_never_takes_the_counter_back(store: MemoryStore, head: HeadFile) -> None:
    for _ in range(3):
        counted(store, head)
    head.publish(3)
    head.publish(1)
    assert checked(store, head) == 3


def test_a_torn_write_falls_back_to_the_record_before_it(store: MemoryStore, place: KeyPlace, head: HeadFile) -> None:
    for _ in range(2):
        head.publish(counted(store, head))
    path, last = place.directory / "head", head.position()
    found = bytearray(path.read_bytes())
    found[last.record * RECORD_BYTES + 40 : last.record * RECORD_BYTES + 60] = bytes(20)
    path.write_bytes(found)
    assert head.position().counter == 1
    assert checked(store, head) == 2


def damage_all(path: Path) -> None:
    path.write_bytes(bytes(2 * RECORD_BYTES))


def damage_version(path: Path) -> None:
    path.write_bytes(b"\x02" + path.read_bytes()[1:])


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


@pytest.mark.parametrize("damage", [damage_all, damage_version, shorten])
def test_a_head_without_a_readable_record_is_broken(
    place: KeyPlace, head: HeadFile, damage: Callable[[Path], None]
) -> None:
    damage(place.directory / "head")
    with pytest.raises(KeyPlaceBroken):
        head.position()


def test_a_missing_head_is_named(place: KeyPlace, head: HeadFile) -> None:
    (place.directory / "head").unlink()
    with pytest.raises(KeyPlaceMissing):
        head.position()


def test_a_record_of_another_store_is_not_believed(place: KeyPlace) -> None:
    other = HeadFile(place.directory / "head", place.epochs, store="0" * 32, cut=place.cut)
    with pytest.raises(KeyPlaceBroken):
        other.position()


def test_a_head_from_before_a_rotation_cannot_be_put_back(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    old = (place.directory / "head").read_bytes()
    ring.rotate(now=NOON)
    assert place.head.position() == Position(counter=1, epoch=2, record=1)
    (place.directory / "head").write_bytes(old)
    with pytest.raises(KeyPlaceBroken):
        checked(store, place.head)


def test_an_advance_from_before_a_rotation_may_publish_after_it(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    late = HeadFile(place.directory / "head", place.epochs, store=place.store_id, cut=place.cut)
    counter = counted(store, late)
    ring.rotate(now=NOON)
    late.publish(counter)
    assert place.head.position().epoch == 2
    assert checked(store, place.head) == 2


def test_moving_twice_changes_nothing(place: KeyPlace, store: MemoryStore, ring: Keyring) -> None:
    ring.rotate(now=NOON)
    before = (place.directory / "head").read_bytes()
    place.head.move(1, 2)
    assert (place.directory / "head").read_bytes() == before
    assert checked(store, place.head) == 1


def test_an_older_database_adopts_epoch_and_counter_and_the_epoch_that_was_to_die(
    place: KeyPlace, store: MemoryStore, ring: Keyring
) -> None:
    image = store.image()
    ring.rotate(now=NOON)
    place.epochs.create(1)  # as if a crash had come before its end
    store.put_back(image)
    with store.write() as tx:
        place.head.adopt(tx)
        vault = tx.singletons.vault()
    assert (vault.cur, vault.counter, vault.retiring) == (2, 1, 1)
    assert checked(store, place.head) == 1
    assert not ring.rotate(now=NOON).started_here
    assert place.epochs.epochs() == [2]
    with store.read() as tx:
        assert tx.singletons.vault() == replace(vault, retiring=None, rotation_finished_at=NOON)
