"""Holder keys in tables: what only a table can show."""

from dataclasses import replace
from typing import Protocol

import pytest

from oblio.errors.vault import (
    EpochGone,
    KeyDamaged,
)
from oblio.testing.people import NOON, admitted, forgotten, intact, opened, sealed
from oblio.testing.store import MemoryStore
from oblio.vault.keyring import Keyring


class Seconds(Protocol):
    """The clock of conftest."""

    now: float


@pytest.fixture
def store() -> MemoryStore:
    """A store whose keys are in tables."""
    return MemoryStore(keys_in_tables=True)


def test_a_swapped_row_of_a_key_table_is_named(store: MemoryStore, ring: Keyring) -> None:
    anna, bo = admitted(store, ring), admitted(store, ring)
    with store.write() as tx:
        (his,) = tx.subject_keys.get(bo)
        tx.subject_keys.rewrap([replace(his, holder=anna)])
    with pytest.raises(KeyDamaged):
        opened(store, ring, anna, [])


def test_an_old_data_set_cannot_be_opened_after_a_rotation(store: MemoryStore, ring: Keyring) -> None:
    anna = admitted(store, ring)
    mine = sealed(store, ring, anna, count=3)
    old = store.image()
    forgotten(store, ring, anna, mine[:1])
    ring.rotate(now=NOON)
    assert opened(store, ring, anna, mine) == intact(mine[1:])
    store.put_back(old)
    with pytest.raises(EpochGone):
        opened(store, ring, anna, mine[:1])
