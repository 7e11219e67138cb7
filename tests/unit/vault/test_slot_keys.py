"""Holder keys in slot files: what only a file can show."""

from typing import Protocol

import pytest

from oblio.errors.vault import (
    ContentForged,
    KeyDestroyed,
    KeyForeign,
    KeyTorn,
    SlotFileMissing,
)
from oblio.model.ids import HolderId
from oblio.model.subject import Holder
from oblio.testing.people import admitted, forgotten, intact, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace
from oblio.vault.slots import HEADER_BYTES, SLOT_BYTES


class Seconds(Protocol):
    """The clock of conftest."""

    now: float


@pytest.fixture
def store() -> MemoryStore:
    """A store whose keys are in slot files."""
    return MemoryStore(keys_in_tables=False)


def holder_row(store: MemoryStore, holder: HolderId) -> Holder:
    with store.read() as tx:
        row = tx.holders.get(holder)
    assert row is not None
    return row


def test_a_destroyed_key_is_dead_even_if_the_transaction_is_rolled_back(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    hers = sealed(store, ring, anna)
    assert opened(store, ring, anna, hers)

    def cut_off() -> None:
        with store.write() as tx:
            ring.destroy(tx, anna)
            raise LookupError

    with pytest.raises(LookupError):
        cut_off()
    with pytest.raises(KeyDestroyed):
        opened(store, ring, anna, hers)


def test_an_old_data_set_beside_the_new_keys_shows_nothing_that_was_erased(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=3)
    old = store.image()
    forgotten(store, ring, anna, mine[:1])
    store.put_back(old)
    with pytest.raises((KeyDestroyed, ContentForged)):
        opened(store, ring, anna, mine[:1])


def test_a_retired_slot_is_given_to_nobody_before_it_is_settled(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    with store.write() as tx:
        ring.rekey(tx, anna)
    bo = admitted(store, ring)
    assert [holder_row(store, who).slot for who in (anna, bo)] == [1, 2]
    assert holder_row(store, anna).retired_slot == 0
    with store.write() as tx:
        ring.destroy(tx, anna)
    assert holder_row(store, anna).retired_slot is None
    assert holder_row(store, admitted(store, ring)).slot == 0


def test_a_key_in_memory_is_used_for_60_seconds_and_then_read_again(
    store: MemoryStore, place: KeyPlace, ring: Keyring, clock: Seconds
) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    assert opened(store, ring, anna, mine) == intact(mine)
    (place.directory / "slots.1").rename(place.directory / "away")
    assert opened(store, ring, anna, mine) == intact(mine)
    clock.now += 60
    with pytest.raises(SlotFileMissing):
        opened(store, ring, anna, mine)


def test_a_reader_whose_old_slot_holds_a_later_key_of_the_same_holder_is_served(
    store: MemoryStore, ring: Keyring
) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=3)
    ring.forget_cached(anna)
    with store.read() as old_view:
        for binding in mine[:2]:
            forgotten(store, ring, anna, [binding])
        assert ring.open(old_view, anna, mine) == intact(mine[2:])


def damaged(place: KeyPlace, at: int, body: bytes) -> None:
    path = place.directory / "slots.1"
    found = bytearray(path.read_bytes())
    found[HEADER_BYTES + at : HEADER_BYTES + at + len(body)] = body
    path.write_bytes(found)


def test_damage_of_a_living_key_is_named(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    hers, his = sealed(store, ring, anna), sealed(store, ring, bo)
    for who in (anna, bo):
        ring.forget_cached(who)
    first = (place.directory / "slots.1").read_bytes()[HEADER_BYTES : HEADER_BYTES + SLOT_BYTES]
    damaged(place, SLOT_BYTES, first)
    with pytest.raises(KeyForeign):
        opened(store, ring, bo, his)
    damaged(place, 5, b"\0\0\0")
    with pytest.raises(KeyTorn):
        opened(store, ring, anna, hers)
    with store.read() as tx:
        assert not ring.holds(tx, anna)
        assert ring.needles(tx, anna, []) == []


def test_settling_several_touches_only_what_was_left_behind(store: MemoryStore, ring: Keyring) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    with store.write() as tx:
        ring.rekey(tx, anna)
    before = holder_row(store, bo)
    with store.write() as tx:
        ring.settle(tx, [bo, anna])
    assert holder_row(store, bo) == before
    assert holder_row(store, anna).retired_slot is None
