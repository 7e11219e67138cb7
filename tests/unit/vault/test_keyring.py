"""The keyring: what opens, what does not, and what is left of what was destroyed."""

from dataclasses import replace
from typing import Protocol

import pytest

from oblio.errors.vault import (
    ContentForged,
    EpochGone,
    FormatUnknown,
    KeyDestroyed,
)
from oblio.model.ids import DEFAULT_TENANT, HolderId, TenantId, UnitId, new_id
from oblio.model.subject import Holder
from oblio.testing.people import NOON, admitted, forgotten, intact, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault.keyring import CUTS, Keyring
from oblio.vault.place import KeyPlace


class Seconds(Protocol):
    """The clock of conftest."""

    now: float


def bytes_of_keys(place: KeyPlace, store: MemoryStore) -> bytes:
    """Everything that holds wrapped keys: the files and the tables."""
    state = store.image()
    tables = [row.wrapped for row in state.unit_keys.values()] + [row.wrapped for row in state.subject_keys.values()]
    return b"".join([*(path.read_bytes() for path in place.files()), *tables, *state.contents.values()])


def holder_row(store: MemoryStore, holder: HolderId) -> Holder:
    with store.read() as tx:
        row = tx.holders.get(holder)
    assert row is not None
    return row


def test_what_was_sealed_opens_for_its_holders_only(store: MemoryStore, ring: Keyring) -> None:
    anna, bo, carl = (admitted(store, ring) for _ in range(3))
    own, shared = sealed(store, ring, anna, count=2), sealed(store, ring, anna, others=[bo])
    assert opened(store, ring, anna, [*own, *shared]) == intact([*own, *shared])
    assert opened(store, ring, bo, [*own, *shared]) == intact(shared)
    assert opened(store, ring, carl, [*own, *shared]) == {}


def test_sealing_for_nobody_is_refused(store: MemoryStore, ring: Keyring) -> None:
    (binding,) = sealed(store, ring, admitted(store, ring))
    with pytest.raises(ValueError, match="at least one holder"), store.write() as tx:
        ring.seal(tx, b"x", replace(binding, unit=UnitId(new_id())), holders=[])


def test_an_unknown_holder_has_no_key(store: MemoryStore, ring: Keyring) -> None:
    nobody = HolderId(new_id())
    with pytest.raises(KeyDestroyed):
        opened(store, ring, nobody, [])
    with store.write() as tx:
        ring.destroy(tx, nobody)
        ring.settle(tx, [nobody])
        assert ring.needles(tx, nobody, []) == []
        assert not ring.holds(tx, nobody)


def test_a_unit_without_its_content_is_not_in_the_result(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    first, second = sealed(store, ring, anna, count=2)
    with store.write() as tx:
        tx.contents.delete([first.unit])
    assert opened(store, ring, anna, [first, second]) == intact([second])


def test_swapped_contents_do_not_open(store: MemoryStore, ring: Keyring) -> None:
    """Rule K8."""
    anna = admitted(store, ring)
    first, second = sealed(store, ring, anna, count=2)
    with store.write() as tx:
        found = tx.contents.get([first.unit, second.unit])
        tx.contents.delete(found)
        tx.contents.add(first.unit, found[second.unit])
        tx.contents.add(second.unit, found[first.unit])
    with pytest.raises(ContentForged):
        opened(store, ring, anna, [first])


def test_plain_content_is_refused(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    (binding,) = sealed(store, ring, anna)
    with store.write() as tx:
        tx.contents.delete([binding.unit])
        tx.contents.add(binding.unit, b'{"text": "a plain text of somebody"}')
    with pytest.raises(FormatUnknown):
        opened(store, ring, anna, [binding])


def test_a_destroyed_key_opens_nothing_and_no_byte_of_it_is_left(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    hers, his = sealed(store, ring, anna, count=3), sealed(store, ring, bo, count=3)
    with store.read() as tx:
        needles = ring.needles(tx, anna, [])
    assert len(needles) == 1
    assert needles[0] in bytes_of_keys(place, store)
    with store.write() as tx:
        ring.destroy(tx, anna)
    assert needles[0] not in bytes_of_keys(place, store)
    with pytest.raises(KeyDestroyed):
        opened(store, ring, anna, hers)
    assert opened(store, ring, bo, his) == intact(his)
    with store.read() as tx:
        assert not ring.holds(tx, anna)
        assert ring.holds(tx, bo)


def test_destroying_again_changes_nothing(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    for _ in range(2):
        with store.write() as tx:
            ring.destroy(tx, anna)
        assert holder_row(store, anna).version == 2


def test_re_keying_keeps_what_remains_and_kills_the_old_key(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    mine = sealed(store, ring, anna, count=5, others=[bo])
    before = holder_row(store, anna)
    with store.read() as tx:
        needles = ring.needles(tx, anna, [mine[0].unit])
    assert len(needles) == 1 + 2 + 1
    assert all(12 <= len(needle) <= 60 and needle in bytes_of_keys(place, store) for needle in needles)
    forgotten(store, ring, anna, mine[:1])
    after = holder_row(store, anna)
    assert (after.key_no, after.version, after.retired_slot) == (before.key_no + 1, before.version + 1, None)
    assert store.keys_in_tables or after.slot != before.slot
    assert opened(store, ring, anna, mine) == intact(mine[1:])
    assert opened(store, ring, bo, mine) == intact(mine[1:])
    found = bytes_of_keys(place, store)
    assert not [needle for needle in needles if needle in found]


def test_re_keying_twice_without_settling_settles_first(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=3)
    with store.read() as tx:
        (first,) = ring.needles(tx, anna, [])
    for binding in mine[:2]:
        with store.write() as tx:
            tx.unit_keys.delete([binding.unit])
            ring.rekey(tx, anna)
    assert first not in bytes_of_keys(place, store)
    with store.write() as tx:
        ring.settle(tx, [anna, anna])
    assert opened(store, ring, anna, mine) == intact(mine[2:])


def test_re_keying_many_units_goes_in_batches_and_loses_none(place: KeyPlace, store: MemoryStore) -> None:
    seen: list[str] = []
    place.cut = seen.append
    ring = Keyring(place, store)
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=40)
    with store.write() as tx:
        ring.rekey(tx, anna)
    assert seen.count(CUTS[0]) == 1
    assert opened(store, ring, anna, mine) == intact(mine)


def test_a_re_keying_that_is_rolled_back_leaves_no_key_in_memory(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=2)

    def cut_off() -> None:
        with store.write() as tx:
            ring.rekey(tx, anna)
            assert ring.open(tx, anna, mine) == intact(mine)
            raise LookupError

    with pytest.raises(LookupError):
        cut_off()
    assert ring._cache.get(replace(holder_row(store, anna), version=2, key_no=2)) is None
    with store.write() as tx:
        ring.rekey(tx, anna)
    assert opened(store, ring, anna, mine) == intact(mine)


def test_another_process_stops_using_a_key_as_soon_as_the_erasure_commits(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    """Rule K6."""
    other = Keyring(place, store)
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    assert opened(store, other, anna, mine) == intact(mine)
    with store.write() as tx:
        ring.destroy(tx, anna)
    with pytest.raises(KeyDestroyed):
        opened(store, other, anna, mine)


def test_a_reader_with_an_older_view_is_served_from_a_new_one(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=2)
    ring.forget_cached(anna)
    with store.read() as old_view:
        forgotten(store, ring, anna, mine[:1])
        ring.rotate(now=NOON)
        assert ring.open(old_view, anna, mine) == intact(mine[1:])


def test_a_reader_of_an_older_view_learns_that_the_person_is_gone(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    ring.forget_cached(anna)
    with store.read() as old_view:
        with store.write() as tx:
            ring.destroy(tx, anna)
            tx.holders.delete(anna)
        if store.keys_in_tables:  # a view of the tables is whole: it still shows the person as she was
            assert ring.open(old_view, anna, mine) == intact(mine)
        else:
            with pytest.raises(KeyDestroyed):
                ring.open(old_view, anna, mine)


def test_a_reader_meets_a_fault_only_when_the_rows_stand_still(
    store: MemoryStore, ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    views = 0
    real = ring._opened

    def opened_late(*args: object) -> object:
        nonlocal views
        views += 1
        if views < 4:
            with store.write() as tx:
                tx.singletons.put_vault(replace(tx.singletons.vault(), counter=views))
            raise EpochGone(epoch=1)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ring, "_opened", opened_late)
    assert opened(store, ring, anna, mine) == intact(mine)
    assert views == 4


def test_lookups_and_digests_are_keyed_by_tenant_and_purpose(ring: Keyring) -> None:
    assert ring.lookup(DEFAULT_TENANT, "anna") == ring.lookup(DEFAULT_TENANT, "anna")
    found = {
        ring.lookup(DEFAULT_TENANT, "anna"),
        ring.lookup(TenantId("acme"), "anna"),
        ring.lookup(DEFAULT_TENANT, "bo"),
    }
    found |= {ring.mac("a", b"x"), ring.mac("b", b"x"), ring.mac("lookup", b"default", b"anna")}
    assert len(found) == 6
    assert {len(digest) for digest in found} == {32}


def test_a_closed_ring_keeps_no_decrypted_key(ring: Keyring, store: MemoryStore) -> None:
    who = admitted(store, ring)
    units = sealed(store, ring, who, count=1)
    assert opened(store, ring, who, units) == intact(units)
    ring.close()
    assert opened(store, ring, who, units) == intact(units)
    assert (len(ring._cache), len(ring._ciphers._timed)) == (0, 0)
