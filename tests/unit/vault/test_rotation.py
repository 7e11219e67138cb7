"""Rotation: the old epoch dies, what lives stays, and nobody is left out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import pytest

from oblio.errors.vault import EpochGone, EpochNotGone, KeyDamaged, KeySetUnproven
from oblio.model.ids import HolderId
from oblio.model.subject import HolderRole, HolderState
from oblio.ports.provider import EpochState
from oblio.testing.people import NOON, admitted, forgotten, found, intact, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault import slot_keys, table_keys
from oblio.vault.key_set import read_key_set
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace
from oblio.vault.providers.local import LocalEpochKeys
from oblio.vault.slots import HEADER_BYTES, SLOT_BYTES


class Seconds(Protocol):
    """The clock of conftest."""

    now: float


class Destination:
    """Where a key set goes; it may lose what it is given."""

    def __init__(self, *, loses: bool = False) -> None:
        self.body = b""
        self.loses = loses

    def write(self, body: bytes, /) -> None:
        if not self.loses:
            self.body = body

    def read(self) -> bytes:
        return self.body


class Undying(LocalEpochKeys):
    """A provider that keeps what it was told to destroy, as one with a waiting period does (rule K4)."""

    def destroy(self, epoch: int, /) -> None:
        """Keep it."""

    def state(self, epoch: int, /) -> EpochState:
        """Say that it is waiting."""
        there = super().state(epoch)
        return EpochState.PENDING if there is EpochState.PRESENT and epoch == 1 else there


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_keys, "BATCH_SLOTS", 2)
    monkeypatch.setattr(table_keys, "BATCH_KEYS", 2)


def test_what_lives_opens_under_the_new_epoch_and_the_old_one_is_gone(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    people = [admitted(store, ring) for _ in range(7)]
    theirs = {who: sealed(store, ring, who, count=2) for who in people}
    with store.write() as tx:
        ring.destroy(tx, people[2])
    rotation = ring.rotate(now=NOON)
    assert rotation.started_here
    assert rotation.started_at == NOON
    for who in people:
        ring.forget_cached(who)
    for who in people[:2] + people[3:]:
        assert opened(store, ring, who, theirs[who]) == intact(theirs[who])
    assert place.epochs.epochs() == [2]
    names = {path.name for path in place.files()}
    assert names & {"slots.1", "epoch.1.key"} == set()
    assert ("slots.2" in names) is not store.keys_in_tables
    with store.read() as tx:
        vault = tx.singletons.vault()
    assert (vault.cur, vault.new, vault.retiring, vault.counter) == (2, None, None, 1)
    assert place.head.position().epoch == 2


def test_the_end_is_measured_from_the_one_reading_of_the_clock(
    store: MemoryStore, place: KeyPlace, clock: Seconds
) -> None:
    def cut(_point: str) -> None:
        clock.now += 1

    place.cut = cut
    ring = Keyring(place, store, clock=lambda: clock.now)
    rotation = ring.rotate(now=NOON)
    assert rotation.finished_at > NOON + timedelta(seconds=5)
    with store.read() as tx:
        vault = tx.singletons.vault()
    assert (vault.rotation_started_at, vault.rotation_finished_at) == (rotation.started_at, rotation.finished_at)


def test_an_empty_store_rotates(place: KeyPlace, ring: Keyring) -> None:
    for expected in (2, 3):
        assert ring.rotate(now=NOON).started_here
        assert place.epochs.epochs() == [expected]


def test_no_wrap_of_before_opens_after_the_rotation(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    old = store.image()
    before = {path.name: path.read_bytes() for path in place.files() if path.name.startswith("slots")}
    with store.write() as tx:
        ring.destroy(tx, anna)
    ring.rotate(now=NOON)
    store.put_back(old)
    for name, body in before.items():
        (place.directory / name).write_bytes(body)
        (place.directory / name).chmod(0o600)
    with pytest.raises(EpochGone):
        opened(store, Keyring(place, store), anna, mine)


def test_a_run_under_way_is_finished_and_does_not_count(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    ring._rotator._begin(NOON)
    rotation = ring.rotate(now=NOON + timedelta(hours=1))
    assert not rotation.started_here
    assert rotation.started_at == NOON
    assert ring.rotate(now=NOON + timedelta(hours=2)).started_here
    assert opened(store, ring, anna, mine) == intact(mine)


@pytest.mark.parametrize("batches", [0, 1, 2, 3])
def test_whoever_comes_goes_or_forgets_during_a_run_is_neither_lost_nor_revived(
    store: MemoryStore, place: KeyPlace, ring: Keyring, batches: int
) -> None:
    people = [admitted(store, ring) for _ in range(5)]
    theirs = {who: sealed(store, ring, who, count=3) for who in people}
    ring._rotator._begin(NOON)
    for _ in range(batches):
        with store.write() as tx:
            ring._keys.batch(tx)
    late = admitted(store, ring)
    theirs[late] = sealed(store, ring, late)
    for who in (people[0], people[4]):
        forgotten(store, ring, who, theirs[who][:1])
        theirs[who] = theirs[who][1:]
    needles: list[bytes] = []
    for who in (people[1], people[3]):
        with store.write() as tx:
            needles += ring.needles(tx, who, [])
            ring.destroy(tx, who)
    assert needles
    files = b"".join(path.read_bytes() for path in place.files())
    assert not [needle for needle in needles if needle in files]
    ring.rotate(now=NOON)
    other = Keyring(place, store)
    for who in (people[0], people[2], people[4], late):
        assert opened(store, other, who, theirs[who]) == intact(theirs[who])
    for who in (people[1], people[3]):
        with store.read() as tx:
            assert not other.holds(tx, who)


def test_keys_that_a_re_keying_left_are_settled_before_a_run_starts(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    anna = admitted(store, ring)
    with store.write() as tx:
        needles = ring.needles(tx, anna, [])
        ring.rekey(tx, anna)
    ring.rotate(now=NOON)
    with store.read() as tx:
        assert tx.holders.retired() == []
    assert needles[0] not in b"".join(path.read_bytes() for path in place.files())


def test_the_key_set_is_read_back_before_the_old_epoch_dies(store: MemoryStore, place: KeyPlace) -> None:
    destination = Destination(loses=True)
    ring = Keyring(place, store, key_set=destination)
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    with pytest.raises(KeySetUnproven):
        ring.rotate(now=NOON)
    assert place.epochs.epochs() == [1, 2]
    destination.loses = False
    assert not ring.rotate(now=NOON).started_here
    assert place.epochs.epochs() == [2]
    assert opened(store, ring, anna, mine) == intact(mine)
    assert read_key_set(destination.body, place).epoch == 2


def test_a_provider_that_keeps_the_old_key_keeps_the_run_open(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Rules K3 and K4: destroyed and seen to be gone are two facts."""
    directory = tmp_path_factory.mktemp("keys") / "agent.keys"
    store = MemoryStore()
    directory.mkdir(mode=0o700)
    place = KeyPlace.create(directory, "0" * 32, epochs=Undying(directory))
    found(store, place.store_id)
    ring = Keyring(place, store)
    with pytest.raises(EpochNotGone):
        ring.rotate(now=NOON)
    with store.read() as tx:
        assert tx.singletons.vault().rotation_finished_at is None
    ring = Keyring(KeyPlace.open(directory), store)
    assert not ring.rotate(now=NOON).started_here
    assert ring.rotate(now=NOON).started_here


def damage(place: KeyPlace, slot: int, body: bytes, epoch: int = 1) -> None:
    path = place.directory / f"slots.{epoch}"
    found_bytes = bytearray(path.read_bytes())
    at = HEADER_BYTES + SLOT_BYTES * slot
    found_bytes[at : at + len(body)] = body
    path.write_bytes(found_bytes)


@pytest.fixture
def slot_ring(tmp_path_factory: pytest.TempPathFactory) -> tuple[MemoryStore, KeyPlace, Keyring]:
    store = MemoryStore()
    place = KeyPlace.create(tmp_path_factory.mktemp("slots") / "agent.keys", "0" * 32)
    found(store, place.store_id)
    return store, place, Keyring(place, store)


@pytest.mark.parametrize("body", [bytes(SLOT_BYTES), b"\xff" * SLOT_BYTES])
def test_a_damaged_living_key_stops_the_run_and_the_old_epoch_stays(
    slot_ring: tuple[MemoryStore, KeyPlace, Keyring], body: bytes
) -> None:
    store, place, ring = slot_ring
    people = [admitted(store, ring) for _ in range(3)]
    damage(place, 1, body)
    with pytest.raises(KeyDamaged):
        ring.rotate(now=NOON)
    assert 1 in place.epochs.epochs()
    with store.write() as tx:
        ring.destroy(tx, people[1])
    assert not ring.rotate(now=NOON).started_here
    assert place.epochs.epochs() == [2]


@pytest.mark.parametrize("body", [bytes(SLOT_BYTES), b"\xff" * SLOT_BYTES])
@pytest.mark.parametrize("role", list(HolderRole))
def test_a_destruction_that_a_crash_cut_off_does_not_stop_the_run(
    slot_ring: tuple[MemoryStore, KeyPlace, Keyring], body: bytes, role: HolderRole
) -> None:
    store, place, ring = slot_ring
    who = admitted(store, ring, role=role)
    if role is HolderRole.SUBJECT:
        lock(store, [who])
    damage(place, 0, body)
    assert ring.rotate(now=NOON).started_here
    with store.write() as tx:
        assert not ring.holds(tx, who)
        ring.destroy(tx, who)


def lock(store: MemoryStore, people: Sequence[HolderId]) -> None:
    with store.write() as tx:
        for who in people:
            row = tx.holders.get(who)
            if row is not None:
                tx.holders.put(replace(row, state=HolderState.LOCKED))


def test_the_last_look_finds_a_key_that_was_lost_on_the_way(
    slot_ring: tuple[MemoryStore, KeyPlace, Keyring],
) -> None:
    store, place, ring = slot_ring
    people = [admitted(store, ring) for _ in range(3)]
    ring._rotator._begin(NOON)
    ring._rotator._batches()
    damage(place, 2, bytes(SLOT_BYTES), epoch=2)
    with pytest.raises(KeyDamaged):
        ring.rotate(now=NOON)
    assert place.epochs.epochs() == [1, 2]
    lock(store, people[2:])
    ring._keys.verify()


def test_the_last_look_looks_again_at_a_key_that_moved_meanwhile(
    slot_ring: tuple[MemoryStore, KeyPlace, Keyring], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _place, ring = slot_ring
    (who,) = [admitted(store, ring)]
    ring._rotator._begin(NOON)
    ring._rotator._batches()
    real = ring._keys.load
    looks = 0

    def load(tx: object, row: object, /) -> bytes:
        nonlocal looks
        looks += 1
        if looks == 1:
            with store.write() as inner:
                ring.rekey(inner, who)
            with store.write() as inner:
                ring.settle(inner, [who])
            looks = 2
        return real(tx, row)  # type: ignore[arg-type]

    monkeypatch.setattr(ring._keys, "load", load)
    monkeypatch.setattr(ring._keys, "_unopened", lambda _tx, rows: rows)
    ring._keys.verify()
    assert looks > 2


def test_the_last_look_passes_over_a_holder_whose_erasure_was_locked_meanwhile(
    slot_ring: tuple[MemoryStore, KeyPlace, Keyring],
) -> None:
    store, place, ring = slot_ring
    people = [admitted(store, ring) for _ in range(3)]
    ring._rotator._begin(NOON)
    ring._rotator._batches()
    damage(place, 1, b"\xff" * SLOT_BYTES, epoch=2)
    lock(store, people[1:2])
    ring._keys.verify()
    with store.write() as tx:
        ring.destroy(tx, people[2])
    ring._keys.verify()
    assert not ring.rotate(now=NOON).started_here


def test_what_a_slow_transaction_left_under_the_old_epoch_is_moved_before_it_dies(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = MemoryStore(keys_in_tables=True)
    place = KeyPlace.create(tmp_path_factory.mktemp("tables") / "agent.keys", "0" * 32, slots=False)
    found(store, place.store_id)
    ring = Keyring(place, store)
    people = [admitted(store, ring) for _ in range(5)]
    with store.read() as tx:
        old = [row for who in people for row in tx.subject_keys.get(who)]
    ring._rotator._begin(NOON)
    ring._rotator._rewrap()
    with store.write() as tx:
        tx.subject_keys.rewrap(old)
    ring.rotate(now=NOON)
    with store.read() as tx:
        assert all(ring.holds(tx, who) for who in people)


def test_two_workers_that_rotate_at_once_do_no_harm(store: MemoryStore, place: KeyPlace, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna)
    other = Keyring(place, store)
    ring._rotator._begin(NOON)
    other._rotator._rewrap()
    with store.write() as tx:
        assert ring._keys.batch(tx) or store.keys_in_tables
    ring._rotator._switch()
    other.rotate(now=NOON)
    ring._rotator._retire(None)
    ring._rotator._finish(NOON)
    assert place.epochs.epochs() == [2]
    assert opened(store, ring, anna, mine) == intact(mine)


def test_whoever_comes_after_the_last_batch_delays_the_switch(
    store: MemoryStore, place: KeyPlace, ring: Keyring
) -> None:
    people = [admitted(store, ring)]
    ring._rotator._begin(NOON)
    ring._rotator._batches()
    if store.keys_in_tables:
        with store.write() as tx:
            tx.singletons.put_vault(replace(tx.singletons.vault(), new=None))
    people += [admitted(store, ring) for _ in range(5)]
    if store.keys_in_tables:
        with store.write() as tx:
            tx.singletons.put_vault(replace(tx.singletons.vault(), new=2))
    ring._rotator._switch()
    with store.read() as tx:
        assert tx.singletons.vault().cur == 1
    assert not ring.rotate(now=NOON).started_here
    assert place.epochs.epochs() == [2]
    with store.read() as tx:
        assert all(Keyring(place, store).holds(tx, who) for who in people)
