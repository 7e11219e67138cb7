from pathlib import Path

import pytest

from oblio.model.ids import new_id
from oblio.testing.people import found
from oblio.testing.store import MemoryStore
from oblio.vault.keyring import Keyring
from oblio.vault.place import KeyPlace


class Clock:
    """Seconds that only the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=[False, True], ids=["slots", "tables"])
def store(request: pytest.FixtureRequest) -> MemoryStore:
    """A store in memory, once with slot files and once with keys in tables."""
    return MemoryStore(keys_in_tables=request.param)


@pytest.fixture
def place(tmp_path: Path, store: MemoryStore) -> KeyPlace:
    """A new key place of `store`."""
    made = KeyPlace.create(tmp_path / "agent.keys", new_id(), slots=not store.keys_in_tables)
    found(store, made.store_id)
    return made


@pytest.fixture
def ring(place: KeyPlace, store: MemoryStore, clock: Clock) -> Keyring:
    return Keyring(place, store, clock=clock)
