"""Epoch keys in files: made once, destroyed for good."""

from pathlib import Path

import pytest

from oblio.errors.vault import EpochGone, KeyPlaceBroken, KeyPlaceExposed
from oblio.ports.provider import EpochState
from oblio.vault.providers.local import LocalEpochKeys


@pytest.fixture
def keys(tmp_path: Path) -> LocalEpochKeys:
    return LocalEpochKeys(tmp_path)


def test_a_key_is_random_private_and_stays(keys: LocalEpochKeys, tmp_path: Path) -> None:
    keys.create(1)
    keys.create(2)
    first = keys.load(1)
    keys.create(1)
    assert keys.load(1) == first != keys.load(2)
    assert len(first) == 32
    assert (tmp_path / "epoch.1.key").stat().st_mode & 0o777 == 0o600
    assert keys.epochs() == [1, 2]


def test_a_destroyed_key_is_gone_and_seen_to_be_gone(keys: LocalEpochKeys) -> None:
    keys.create(1)
    assert keys.state(1) is EpochState.PRESENT
    keys.destroy(1)
    keys.destroy(1)
    assert keys.state(1) is EpochState.GONE
    with pytest.raises(EpochGone):
        keys.load(1)


def test_numbers_are_listed_in_numeric_order_and_other_files_are_not_keys(keys: LocalEpochKeys, tmp_path: Path) -> None:
    for epoch in (10, 9):
        keys.create(epoch)
    (tmp_path / "epoch.x.key").touch()
    assert keys.epochs() == [9, 10]


@pytest.mark.parametrize("damage", [b"", b"\0" * 45, b"\x01"])
def test_a_damaged_key_is_not_used(keys: LocalEpochKeys, tmp_path: Path, damage: bytes) -> None:
    keys.create(1)
    path = tmp_path / "epoch.1.key"
    path.write_bytes(damage or path.read_bytes()[:-1])
    with pytest.raises(KeyPlaceBroken):
        keys.load(1)


def test_a_key_under_another_number_is_not_used(keys: LocalEpochKeys, tmp_path: Path) -> None:
    keys.create(1)
    (tmp_path / "epoch.1.key").rename(tmp_path / "epoch.2.key")
    with pytest.raises(KeyPlaceBroken):
        keys.load(2)


def test_a_key_that_others_may_read_is_refused(keys: LocalEpochKeys, tmp_path: Path) -> None:
    keys.create(1)
    (tmp_path / "epoch.1.key").chmod(0o644)
    with pytest.raises(KeyPlaceExposed):
        keys.load(1)
