"""A power cut at every durable step of the vault, with unsynced writes lost, kept or torn.

The disk is real; what had not been synced when the power went is undone, kept, or half undone. The database is the
store in memory, whose commits are atomic. Afterwards the key place is opened anew and the work is carried on.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from oblio.errors.vault import KeyDestroyed
from oblio.model.ids import HolderId, new_id
from oblio.model.subject import HolderRole, HolderState
from oblio.ports.keys import Binding
from oblio.testing.people import NOON, admitted, forgotten, found, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault import slot_keys
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace

MODES = ("lost", "kept", "torn")


class _PowerCut(Exception):  # noqa: N818 -- not an error of ours
    pass


@dataclass
class Power:
    """Goes off at the given step; notes every step."""

    steps: int | None
    points: list[str] = field(default_factory=list)

    def __call__(self, point: str) -> None:
        self.points.append(point)
        if self.steps == len(self.points):
            raise _PowerCut


@dataclass
class Disk:
    """Remembers what unsynced writes have overwritten."""

    unsynced: list[tuple[Path, int, bytes]] = field(default_factory=list)

    def attach(self, monkeypatch: pytest.MonkeyPatch) -> None:
        write = os.pwrite

        def pwrite(descriptor: int, body: bytes, at: int) -> int:
            path = Path(f"/proc/self/fd/{descriptor}").readlink()
            with path.open("rb") as file:
                file.seek(at)
                self.unsynced.append((path, at, file.read(len(body)).ljust(len(body), b"\0")))
            return write(descriptor, body, at)

        def synced(real: Callable[[int], None]) -> Callable[[int], None]:
            def sync(descriptor: int) -> None:
                real(descriptor)
                path = Path(f"/proc/self/fd/{descriptor}").readlink()
                self.unsynced = [record for record in self.unsynced if record[0] != path]

            return sync

        monkeypatch.setattr(os, "pwrite", pwrite)
        monkeypatch.setattr(os, "fdatasync", synced(os.fdatasync))
        monkeypatch.setattr(os, "fsync", synced(os.fsync))

    def crash(self, mode: str) -> int:
        """Undo, keep or tear what was not synced. Return how many writes that were."""
        for path, at, before in reversed(self.unsynced) if mode != "kept" else ():
            if path.exists():
                size = len(before) if mode == "lost" else len(before) // 2
                with path.open("r+b") as file:
                    file.seek(at)
                    file.write(before[:size])
        return len(self.unsynced)


@dataclass
class World:
    """A store with people, and the wrapped keys that must be gone once their erasure is done."""

    directory: Path
    store: MemoryStore
    people: list[HolderId] = field(default_factory=list)
    theirs: dict[HolderId, Sequence[Binding]] = field(default_factory=dict)
    needles: list[bytes] = field(default_factory=list)

    def ring(self, power: Power) -> Keyring:
        return Keyring(KeyPlace.open(self.directory, cut=power), self.store)


def needles_of(world: World, ring: Keyring, who: HolderId, units: Sequence[Binding]) -> None:
    with world.store.read() as tx:
        world.needles += ring.needles(tx, who, [binding.unit for binding in units])


def locked(world: World, who: HolderId) -> None:
    with world.store.write() as tx:
        row = tx.holders.get(who)
        if row is not None:
            tx.holders.put(replace(row, state=HolderState.LOCKED))


def erased(world: World, ring: Keyring, who: HolderId) -> None:
    with world.store.write() as tx:
        ring.destroy(tx, who)
        tx.unit_keys.delete_held(who)
        row = tx.holders.get(who)
        if row is not None:
            tx.holders.put(replace(row, state=HolderState.ERASED))


def prepared(directory: Path, power: Power, *, tables: bool) -> World:
    """Three people with three contents each, before the power goes."""
    store = MemoryStore(keys_in_tables=tables, cut=power)
    place = KeyPlace.create(directory, new_id(), slots=not tables)
    found(store, place.store_id)
    world = World(directory=directory, store=store)
    ring = Keyring(place, store)
    world.people = [admitted(store, ring) for _ in range(3)]
    world.theirs = {who: sealed(store, ring, who, count=3) for who in world.people}
    power.points.clear()
    return world


def run(world: World, ring: Keyring) -> None:
    """Live: somebody comes, somebody forgets, somebody goes, the epoch ends, and all of it again during a rotation."""
    first, second, third = world.people
    ring._place.ledger.append([first])
    late = admitted(world.store, ring)
    world.theirs[late] = sealed(world.store, ring, late)
    forgotten_units = world.theirs[first][:1]
    needles_of(world, ring, first, forgotten_units)
    forgotten(world.store, ring, first, forgotten_units)
    needles_of(world, ring, second, world.theirs[second])
    locked(world, second)
    erased(world, ring, second)
    ring.rotate(now=NOON)
    ring._rotator._begin(NOON)
    ring._rotator._batches()
    needles_of(world, ring, third, world.theirs[third][:1])
    forgotten(world.store, ring, third, world.theirs[third][:1])
    needles_of(world, ring, late, world.theirs[late])
    locked(world, late)
    erased(world, ring, late)
    ring.rotate(now=NOON)


def carried_on(world: World) -> Keyring:
    """Open the key place again and finish what was begun, as the engine does at open."""
    calm = Power(None)
    world.store._cut = calm
    ring = world.ring(calm)
    with world.store.read() as tx:
        ring._place.head.check(tx)
        rows = tx.holders.page(after=None, limit=99)
    with world.store.write() as tx:
        ring.settle(tx, [row.holder for row in rows])
    for row in rows:
        if row.state is HolderState.LOCKED:
            erased(world, ring, row.holder)
    if not ring.rotate(now=NOON).started_here:
        assert ring.rotate(now=NOON).started_here
    return ring


def judge(world: World, ring: Keyring) -> None:
    """Whoever lives can read all that is left; of whoever went, no wrapped key is in any file."""
    with world.store.read() as tx:
        rows = tx.holders.page(after=None, limit=99)
        left = {row.holder: {unit.unit for unit in tx.unit_keys.of(row.holder, after=0, limit=99)} for row in rows}
        assert tx.holders.retired() == []
        vault = tx.singletons.vault()
    assert ring._place.epochs.epochs() == [vault.cur]
    for row in rows:
        bindings = world.theirs.get(row.holder, [])
        if row.state is HolderState.ACTIVE:
            known = {binding.unit for binding in bindings}
            assert set(opened(world.store, ring, row.holder, bindings)) == left[row.holder] & known
        else:
            with pytest.raises(KeyDestroyed):
                opened(world.store, ring, row.holder, bindings)
    # The last rotation started after every erasure: nothing that was wrapped before it is in any file.
    files = b"".join(path.read_bytes() for path in ring._place.files())
    assert not [needle for needle in world.needles if needle in files]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_keys, "BATCH_SLOTS", 2)


def steps_of_a_calm_run(directory: Path, *, tables: bool) -> list[str]:
    power = Power(None)
    world = prepared(directory, power, tables=tables)
    run(world, world.ring(power))
    judge(world, carried_on(world))
    return power.points


def test_a_run_passes_every_kind_of_durable_step(tmp_path: Path) -> None:
    points = set(steps_of_a_calm_run(tmp_path / "agent.keys", tables=False))
    expected = {*slot_keys.CUTS, "epoch.created", "rotation.begun", "rotation.switched", "rotation.destroyed"}
    assert expected | {"rekey.batch", "head.synced", "ledger.synced", "commit", "committed", "file.zeroed"} <= points


@pytest.mark.slow
@pytest.mark.parametrize("tables", [False, True], ids=["slots", "tables"])
def test_a_power_cut_at_any_step_loses_no_living_key_and_keeps_no_dead_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, tables: bool
) -> None:
    """Rules X3, K2, K3, K6."""
    points = steps_of_a_calm_run(tmp_path / "calm.keys", tables=tables)
    assert len(points) > 60
    undone = 0
    for step in range(1, len(points) + 1):
        for mode in MODES:
            directory = tmp_path / f"{step}-{mode}.keys"
            with monkeypatch.context() as patch:
                disk, power = Disk(), Power(None)
                world = prepared(directory, power, tables=tables)
                disk.attach(patch)
                ring, power.steps = world.ring(power), step
                power.points.clear()
                with pytest.raises(_PowerCut):
                    run(world, ring)
            writes = disk.crash(mode)
            judge(world, carried_on(world))
            undone += writes
            if not writes:
                break  # everything was synced: the modes do not differ
    assert undone > 0


def test_the_disk_of_this_test_loses_what_was_not_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without the sync before a commit, a power cut loses a living key."""
    power = Power(None)
    world = prepared(tmp_path / "agent.keys", power, tables=False)
    disk = Disk()
    ring = world.ring(power)
    with monkeypatch.context() as patch:
        disk.attach(patch)
        patch.setattr(os, "fdatasync", lambda _descriptor: None)
        late = admitted(world.store, ring, role=HolderRole.SUBJECT)
    assert disk.crash("lost") == 1
    with pytest.raises(KeyDestroyed), world.store.read() as tx:
        world.ring(power).open(tx, late, [])
