"""The slot file: layout, and a clear fault for each way it can be wrong."""

import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import (
    FormatUnknown,
    KeyForeign,
    KeyPlaceExposed,
    KeyTorn,
    SlotFileBroken,
    SlotFileMissing,
    SlotFileTruncated,
    WrongStore,
)
from oblio.model.ids import HolderId, new_id, raw
from oblio.ports.store import uncut
from oblio.vault.envelope import new_key
from oblio.vault.slots import HEADER_BYTES, SLOT_BYTES, SlotFile

STORE = new_id()
HOLDER = HolderId(new_id())
CIPHER = AESGCM(new_key())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of 4 slots under epoch 7; slot 2 holds a key."""
    made = tmp_path / "slots.7"
    SlotFile.create(made, epoch=7, store=STORE, slots=4, cut=uncut)
    with SlotFile.opened(made, epoch=7, store=STORE) as file:
        file.write(2, [file.sealed(CIPHER, 2, HOLDER, b"k" * 32)])
        file.sync()
    return made


def patched(path: Path, at: int, body: bytes) -> Path:
    found = bytearray(path.read_bytes())
    found[at : at + len(body)] = body
    path.write_bytes(found)
    return path


def key_at(path: Path, slot: int, holder: HolderId = HOLDER, *, store: str = STORE, epoch: int = 7) -> bytes | None:
    with SlotFile.opened(path, epoch=epoch, store=store) as file:
        return file.key(CIPHER, slot, holder)


def test_the_layout_is_the_documented_one(path: Path) -> None:
    found = path.read_bytes()
    assert len(found) == HEADER_BYTES + 4 * SLOT_BYTES
    head = b"OBLIOSLT" + bytes((0, 1, 0, 64)) + (7).to_bytes(8, "big") + raw(STORE)
    assert found[:HEADER_BYTES] == (head + zlib.crc32(head).to_bytes(4, "big")).ljust(HEADER_BYTES, b"\0")
    slot = found[HEADER_BYTES + 128 : HEADER_BYTES + 192]
    assert zlib.crc32(slot[:60]).to_bytes(4, "big") == slot[60:]
    assert found[HEADER_BYTES : HEADER_BYTES + 128] == bytes(128)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_key_comes_back_and_an_empty_slot_is_none(path: Path) -> None:
    assert key_at(path, 2) == b"k" * 32
    assert key_at(path, 1) is None


def test_a_zeroed_slot_is_none_and_no_byte_of_it_is_left(path: Path) -> None:
    with SlotFile.opened(path, epoch=7, store=STORE) as file:
        wrapped = file.wrapped(2)
        file.zero(2)
        file.sync()
    assert key_at(path, 2) is None
    assert wrapped is not None
    assert wrapped[:12] not in path.read_bytes()


def test_zeroing_behind_the_end_does_not_grow_the_file(path: Path) -> None:
    with SlotFile.opened(path, epoch=7, store=STORE) as file:
        file.zero(4)
    assert path.stat().st_size == HEADER_BYTES + 4 * SLOT_BYTES


def test_writing_behind_the_end_grows_the_file_with_empty_slots(path: Path) -> None:
    with SlotFile.opened(path, epoch=7, store=STORE) as file:
        file.write(6, [file.sealed(CIPHER, 6, HOLDER, b"z" * 32)])
    assert key_at(path, 5) is None
    assert key_at(path, 6) == b"z" * 32


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SlotFileMissing):
        key_at(tmp_path / "slots.7", 0)


def test_a_file_of_another_store_is_named(path: Path) -> None:
    with pytest.raises(WrongStore):
        key_at(path, 2, store=new_id())


def test_a_file_of_another_epoch_is_broken(path: Path) -> None:
    with pytest.raises(SlotFileBroken):
        key_at(path, 2, epoch=8)


@pytest.mark.parametrize("at", [0, 13, 30, 38])
def test_a_damaged_header_is_broken(path: Path, at: int) -> None:
    patched(path, at, b"\xff")
    with pytest.raises(SlotFileBroken):
        key_at(path, 2)


def test_bytes_behind_the_header_are_not_accepted(path: Path) -> None:
    patched(path, 100, b"x")
    with pytest.raises(SlotFileBroken):
        key_at(path, 2)


def test_a_header_of_another_format_is_refused(path: Path) -> None:
    head = b"OBLIOSLT" + bytes((0, 9, 0, 64)) + (7).to_bytes(8, "big") + raw(STORE)
    patched(path, 0, head + zlib.crc32(head).to_bytes(4, "big"))
    with pytest.raises(FormatUnknown):
        key_at(path, 2)


@pytest.mark.parametrize("size", [0, 100, HEADER_BYTES - 1, HEADER_BYTES + 2 * SLOT_BYTES, HEADER_BYTES + 191])
def test_a_truncated_file_is_named(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(SlotFileTruncated):
        key_at(path, 2)


@pytest.mark.parametrize("cut", [1, 12, 32, 60, 63])
def test_a_torn_slot_is_named_wherever_the_write_ended(path: Path, cut: int) -> None:
    patched(path, HEADER_BYTES + 2 * SLOT_BYTES + cut, bytes(SLOT_BYTES - cut))
    with pytest.raises(KeyTorn):
        key_at(path, 2)


def test_another_holders_key_is_named(path: Path) -> None:
    with pytest.raises(KeyForeign):
        key_at(path, 2, HolderId(new_id()))


def test_a_key_copied_to_another_slot_is_named(path: Path) -> None:
    found = path.read_bytes()
    patched(path, HEADER_BYTES, found[HEADER_BYTES + 128 : HEADER_BYTES + 192])
    with pytest.raises(KeyForeign):
        key_at(path, 0)


def test_a_file_that_others_may_read_is_refused(path: Path) -> None:
    path.chmod(0o640)
    with pytest.raises(KeyPlaceExposed) as caught:
        key_at(path, 2)
    assert caught.value.facts == {"role": "slots", "mode": "0640"}
