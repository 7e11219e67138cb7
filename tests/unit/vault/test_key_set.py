"""The key set: what opens the data sets of a store, whole or not at all."""

from dataclasses import replace

import pytest

from oblio.errors.base import Fault
from oblio.errors.vault import FormatUnknown, KeyPlaceBroken, WrongStore
from oblio.model.ids import new_id
from oblio.testing.people import admitted, sealed
from oblio.testing.store import MemoryStore
from oblio.vault.key_set import key_set_body, read_key_set
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace


def written(store: MemoryStore, place: KeyPlace, ring: Keyring) -> bytes:
    with store.write() as tx:
        return key_set_body(tx, place, ring._keys)


def test_it_holds_the_keys_of_the_living_and_the_names_of_the_dead(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    mine = sealed(store, ring, anna, count=3)
    his = sealed(store, ring, bo)
    with store.write() as tx:
        ring.destroy(tx, bo)
    place.ledger.append([bo])
    with store.read() as tx:
        (wrapped,) = ring.needles(tx, anna, [])
        row = tx.holders.get(anna)
        units = tx.unit_keys.of(anna, after=0, limit=9)
    body = written(store, place, ring)
    found = read_key_set(body, place)
    assert (found.store, found.epoch, found.counter, found.erased) == (place.store_id, 1, 0, [bo])
    assert [(h.holder, h.slot, h.key_no, h.wrapped) for h in found.holders] == [(anna, row and row.slot, 1, wrapped)]
    assert found.units == [replace(unit, seq=0) for unit in units]
    assert {unit.unit for unit in found.units} == {binding.unit for binding in mine}
    assert bytes.fromhex(his[0].unit) not in body


def test_an_empty_store_has_a_key_set(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    found = read_key_set(written(store, place, ring), place)
    assert (found.holders, found.units, found.erased) == ([], [], [])


@pytest.mark.parametrize(
    ("body", "fault"), [(b"", FormatUnknown), (b"\x02" + bytes(99), FormatUnknown), (b"\x01", KeyPlaceBroken)]
)
def test_what_is_no_key_set_is_refused(place: KeyPlace, body: bytes, fault: type[Fault]) -> None:
    with pytest.raises(fault):
        read_key_set(body, place)


def test_a_changed_key_set_is_refused(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    admitted(store, ring)
    body = bytearray(written(store, place, ring))
    body[40] ^= 1
    with pytest.raises(KeyPlaceBroken):
        read_key_set(bytes(body), place)


def test_a_key_set_of_another_store_is_refused(
    store: MemoryStore, place: KeyPlace, ring: Keyring, tmp_path_factory: pytest.TempPathFactory
) -> None:
    body = written(store, place, ring)
    other = KeyPlace.create(tmp_path_factory.mktemp("other") / "agent.keys", new_id())
    with pytest.raises(WrongStore):
        read_key_set(body, other)
