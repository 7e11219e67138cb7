"""The key place: made whole or not at all, opened only when private, complete and of this store."""

import errno
import os
from pathlib import Path

import pytest

from oblio.errors.base import Fault
from oblio.errors.vault import (
    FormatUnknown,
    KeyPlaceBroken,
    KeyPlaceExists,
    KeyPlaceExposed,
    KeyPlaceFull,
    KeyPlaceIncomplete,
    KeyPlaceMissing,
    KeyPlaceReadOnly,
    SlotFileMissing,
    WrongStore,
)
from oblio.model.ids import TenantId, new_id
from oblio.vault.place import KeyPlace

STORE = new_id()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A key place of `STORE`."""
    made = tmp_path / "agent.keys"
    KeyPlace.create(made, STORE)
    return made


def test_a_new_place_is_private_and_has_every_file(directory: Path) -> None:
    assert directory.stat().st_mode & 0o777 == 0o700
    names = {path.name for path in directory.iterdir()}
    assert names == {"store.key", "signer.key", "epoch.1.key", "slots.1", "head", "ledger"}
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}
    opened = KeyPlace.open(directory, store_id=STORE)
    assert {path.name for path in opened.files()} == names


def test_what_is_derived_stays_and_differs_between_purposes_and_places(directory: Path, tmp_path: Path) -> None:
    first, again = KeyPlace.open(directory), KeyPlace.open(directory)
    other = KeyPlace.create(tmp_path / "other.keys", STORE)
    assert first.store_id == STORE
    assert first.derived.mac("a", b"x") == again.derived.mac("a", b"x")
    distinct = {first.derived.mac("a", b"x"), first.derived.mac("b", b"x"), other.derived.mac("a", b"x")}
    distinct |= {first.derived.mac("a", b"x", b""), first.derived.mac("a")}
    assert len(distinct) == 5
    assert first.signer_seed() == again.signer_seed() != other.signer_seed()


def test_a_place_of_another_store_is_refused(directory: Path) -> None:
    with pytest.raises(WrongStore):
        KeyPlace.open(directory, store_id=new_id())


def test_a_place_in_use_is_not_created_again(directory: Path) -> None:
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    with pytest.raises(KeyPlaceExists):
        KeyPlace.create(directory, STORE)
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


def test_a_place_that_lost_its_store_key_is_not_taken_for_an_unfinished_one(directory: Path) -> None:
    (directory / "store.key").unlink()
    with pytest.raises(KeyPlaceExists):
        KeyPlace.create(directory, STORE)
    with pytest.raises(KeyPlaceMissing):
        KeyPlace.open(directory)
    assert (directory / "epoch.1.key").exists()


def test_a_missing_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyPlaceMissing):
        KeyPlace.open(tmp_path / "agent.keys")


@pytest.mark.parametrize("mode", [0o701, 0o750, 0o755])
def test_a_directory_that_others_may_enter_is_refused(directory: Path, mode: int) -> None:
    directory.chmod(mode)
    with pytest.raises(KeyPlaceExposed):
        KeyPlace.open(directory)


def test_an_open_directory_is_not_filled(tmp_path: Path) -> None:
    (tmp_path / "agent.keys").mkdir(mode=0o755)
    with pytest.raises(KeyPlaceExposed):
        KeyPlace.create(tmp_path / "agent.keys", STORE)
    assert list((tmp_path / "agent.keys").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "body", "fault"),
    [
        ("store.key", b"", FormatUnknown),
        ("store.key", b"\x02" + bytes(80), FormatUnknown),
        ("store.key", b"\x01" + bytes(80), KeyPlaceBroken),
        ("store.key", b"\x01" + bytes(10), KeyPlaceBroken),
    ],
)
def test_a_damaged_store_key_is_not_used(directory: Path, name: str, body: bytes, fault: type[Fault]) -> None:
    (directory / name).write_bytes(body)
    with pytest.raises(fault):
        KeyPlace.open(directory)


@pytest.mark.parametrize("body", [b"", b"\x01" + bytes(31), b"\x02" + bytes(32)])
def test_a_damaged_signer_key_is_not_used(directory: Path, body: bytes) -> None:
    (directory / "signer.key").write_bytes(body)
    with pytest.raises(KeyPlaceBroken):
        KeyPlace.open(directory).signer_seed()


def test_opening_cuts_off_a_torn_tail_of_the_ledger(directory: Path) -> None:
    erased = new_id()
    KeyPlace.open(directory).ledger.append([erased])
    with (directory / "ledger").open("ab") as file:
        file.write(bytes(100))
    assert KeyPlace.open(directory).ledger.ids() == [erased]


def test_a_checkpoint_is_kept_and_replaced(directory: Path) -> None:
    opened = KeyPlace.open(directory)
    assert opened.last() is None
    opened.save(b"first")
    opened.save(b"second")
    assert opened.last() == b"second"
    assert (directory / "checkpoint").read_bytes() == b"\x01second"


def test_a_checkpoint_of_another_format_is_broken(directory: Path) -> None:
    (directory / "checkpoint").touch(mode=0o600)
    with pytest.raises(KeyPlaceBroken):
        KeyPlace.open(directory).last()


def test_an_ended_log_is_put_aside_once_and_its_digest_repeats(directory: Path) -> None:
    opened = KeyPlace.open(directory)
    assert opened.archive() is None
    opened.save(b"first")
    (directory / "checkpoint.tmp").touch(mode=0o600)  # of a save that was cut off
    digest = opened.archive()
    assert digest is not None
    assert opened.archive() == digest
    assert (opened.logs_ended, opened.last()) == (1, None)
    opened.save(b"second")
    assert opened.archive() != digest
    assert opened.logs_ended == 2


def test_slot_files_come_and_go(directory: Path) -> None:
    opened = KeyPlace.open(directory)
    opened.create_slots(2, 3)
    with opened.slots(2) as file:
        assert file.wrapped(2) is None
    opened.drop_slots(2)
    opened.drop_slots(2)
    with pytest.raises(SlotFileMissing), opened.slots(2):
        pass


def test_an_epoch_that_an_attempt_left_dies_and_its_number_is_not_given_again(directory: Path) -> None:
    opened = KeyPlace.open(directory)
    opened.epochs.create(2)
    opened.create_slots(2, 1)
    assert opened.next_epoch(1) == 3
    assert opened.epochs.epochs() == [1, 3]
    assert not (directory / "slots.2").exists()
    assert (directory / "slots.1").exists()


def test_a_place_without_slots_has_no_slot_file(tmp_path: Path) -> None:
    KeyPlace.create(tmp_path / "agent.keys", STORE, slots=False)
    assert not (tmp_path / "agent.keys" / "slots.1").exists()


def test_a_full_disk_is_named_without_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/home/anna/agent.keys")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(KeyPlaceFull) as caught:
        KeyPlace.create(tmp_path / "agent.keys", STORE)
    assert "anna" not in str(caught.value)


def test_a_directory_without_write_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, who may write anywhere: the system's answer is played back.
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/home/anna/agent.keys")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(KeyPlaceReadOnly) as caught:
        KeyPlace.create(tmp_path / "agent.keys", STORE)
    assert "anna" not in str(caught.value)


def test_lookups_differ_by_tenant(directory: Path) -> None:
    derived = KeyPlace.open(directory).derived
    tenants = [TenantId("acme"), TenantId("acm")]
    names = [b"eanna", b"anna"]
    macs = [derived.mac("lookup", tenant.encode(), name) for tenant, name in zip(tenants, names, strict=True)]
    assert macs[0] != macs[1]


def test_an_unfinished_creation_is_named_and_redone(directory: Path) -> None:
    (directory / "creating").touch(mode=0o600)
    with pytest.raises(KeyPlaceIncomplete):
        KeyPlace.open(directory)
    before = (directory / "store.key").read_bytes()
    KeyPlace.create(directory, STORE)
    assert KeyPlace.open(directory).store_id == STORE
    assert (directory / "store.key").read_bytes() != before
