"""Readers and writers beside a rotation: in threads over the store in memory, in processes over a SQLite file."""

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from oblio.model.ids import HolderId, new_id
from oblio.ports.keys import Binding
from oblio.storage.sqlite import open_sqlite
from oblio.testing.people import NOON, admitted, forgotten, found, intact, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault import slot_keys
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace

ROTATIONS = 6


@pytest.mark.parametrize("tables", [False, True], ids=["slots", "tables"])
def test_readers_beside_rotations_and_re_keyings_never_meet_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, tables: bool
) -> None:
    monkeypatch.setattr(slot_keys, "BATCH_SLOTS", 2)
    store = MemoryStore(keys_in_tables=tables)
    place = KeyPlace.create(tmp_path / "agent.keys", new_id(), slots=not tables)
    found(store, place.store_id)
    ring = Keyring(place, store)
    people = [admitted(store, ring) for _ in range(6)]
    theirs = {who: sealed(store, ring, who, count=2) for who in people}
    done = threading.Event()
    faults: list[BaseException] = []
    reads = [0, 0]

    def reading(number: int) -> None:
        reader = Keyring(place, store)
        try:
            while not done.is_set():
                for who in people:
                    reader.forget_cached(who)
                    assert opened(store, reader, who, theirs[who][:1]) == intact(theirs[who][:1])
                    reads[number] += 1
        except BaseException as error:  # noqa: BLE001 -- handed to the test
            faults.append(error)

    threads = [threading.Thread(target=reading, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(ROTATIONS):
            ring.rotate(now=NOON)
            late = admitted(store, ring)
            spare = sealed(store, ring, people[number], count=1)
            forgotten(store, ring, people[number], spare)
            with store.write() as tx:
                ring.destroy(tx, late)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert faults == []
    assert min(reads) > 0


READER = """
import sys
from pathlib import Path

from oblio.model.ids import DEFAULT_TENANT
from oblio.ports.keys import Binding
from oblio.storage.sqlite import open_sqlite
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace

folder = Path(sys.argv[1])
store = open_sqlite(folder / "agent.db")
ring = Keyring(KeyPlace.open(folder / "agent.keys"), store)
bindings = [
    Binding(tenant=DEFAULT_TENANT, owner=owner, unit=unit, item=item, version=1, type="memory")
    for owner, unit, item in (line.split() for line in (folder / "list").read_text().splitlines())
]
print("ready", flush=True)
reads = 0
while not (folder / "done").exists() or not reads:
    for binding in bindings:
        ring.forget_cached(binding.owner)
        with store.read() as tx:
            if ring.open(tx, binding.owner, [binding]) != {binding.unit: binding.unit.encode()}:
                sys.exit("read something else")
        reads += 1
store.close()
"""


def listed(folder: Path, theirs: dict[HolderId, Sequence[Binding]]) -> None:
    lines = [f"{b.owner} {b.unit} {b.item}" for bindings in theirs.values() for b in bindings]
    (folder / "list").write_text("\n".join(lines), encoding="ascii")


@pytest.mark.slow
def test_two_processes_that_read_beside_rotations_never_meet_a_fault(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "agent.db")
    place = KeyPlace.create(tmp_path / "agent.keys", new_id())
    found(store, place.store_id)
    ring = Keyring(place, store)
    people = [admitted(store, ring) for _ in range(20)]
    theirs = {who: sealed(store, ring, who) for who in people}
    listed(tmp_path, theirs)
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "ready\n"
        for number in range(ROTATIONS // 2):
            ring.rotate(now=NOON)
            forgotten(store, ring, people[number], sealed(store, ring, people[number]))
    finally:
        (tmp_path / "done").touch()
        errors = [reader.communicate()[1] for reader in readers]
    assert [reader.returncode for reader in readers] == [0, 0], errors
    for who in people:
        assert opened(store, ring, who, theirs[who]) == intact(theirs[who])
    store.close()
