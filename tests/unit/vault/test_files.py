"""Files of the key place: private, whole, and faults without a path."""

import errno
import os
from pathlib import Path

import pytest

from oblio.errors.base import Fault
from oblio.errors.vault import KeyPlaceExposed, KeyPlaceFailed, KeyPlaceFull, KeyPlaceMissing, KeyPlaceReadOnly
from oblio.ports.store import uncut
from oblio.vault import files
from oblio.vault.files import guarded, opened, read_at, read_whole, replace_file, shred, write_at


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (errno.ENOENT, KeyPlaceMissing),
        (errno.EACCES, KeyPlaceReadOnly),
        (errno.EROFS, KeyPlaceReadOnly),
        (errno.ENOSPC, KeyPlaceFull),
        (errno.EDQUOT, KeyPlaceFull),
        (errno.EIO, KeyPlaceFailed),
    ],
)
def test_what_the_system_refuses_becomes_a_fault_without_a_path(number: int, fault: type[Fault]) -> None:
    with pytest.raises(fault) as caught, guarded("slots"):
        raise OSError(number, os.strerror(number), "/home/anna/agent.keys/slots.1")
    assert "anna" not in str(caught.value)
    assert caught.value.facts["role"] == "slots"


def test_an_error_without_a_number_is_a_fault_too() -> None:
    with pytest.raises(KeyPlaceFailed) as caught, guarded("head"):
        raise OSError
    assert caught.value.facts == {"role": "head", "number": 0}


def test_a_new_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        replace_file(tmp_path / "a", b"x", "head", cut=uncut)
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "a").chmod(0o604)
    with pytest.raises(KeyPlaceExposed):
        read_whole(tmp_path / "a", "head")


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(KeyPlaceFailed):
        read_whole(tmp_path / "b", "head")


def test_a_short_write_is_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, body, at: real(fd, body[:3], at))
    replace_file(tmp_path / "a", b"0123456789", "head", cut=uncut)
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_short_read_is_carried_on_and_the_end_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_file(tmp_path / "a", b"0123456789", "head", cut=uncut)
    real = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: real(fd, min(size, 4), at))
    with opened(tmp_path / "a", os.O_RDONLY, "head") as descriptor:
        assert read_at(descriptor, 99, 1) == b"123456789"


def test_a_replaced_file_is_the_old_or_the_new_one_at_every_step(tmp_path: Path) -> None:
    path = tmp_path / "a"
    replace_file(path, b"old", "head", cut=uncut)
    seen: list[bytes] = []
    replace_file(path, b"new!", "head", cut=lambda _: seen.append(path.read_bytes()))
    assert seen == [b"old", b"old", b"new!"]


def test_a_shredded_file_is_zeros_before_its_name_goes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    replace_file(path, b"secret", "epoch key", cut=uncut)
    seen: list[tuple[str, bytes | None]] = []
    shred(path, "epoch key", cut=lambda point: seen.append((point, path.read_bytes() if path.exists() else None)))
    assert seen == [("file.zeroed", bytes(6)), ("file.unlinked", None)]
    shred(path, "epoch key", cut=uncut)


def test_a_full_disk_is_named_and_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    replace_file(path, b"old", "head", cut=uncut)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(KeyPlaceFull):
        replace_file(path, b"new", "head", cut=uncut)
    assert path.read_bytes() == b"old"


def test_every_cut_is_listed(tmp_path: Path) -> None:
    seen: list[str] = []
    replace_file(tmp_path / "a", b"x", "head", cut=seen.append)
    shred(tmp_path / "a", "head", cut=seen.append)
    assert sorted(seen) == sorted(files.CUTS)


def test_writing_nothing_writes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "a", os.O_RDWR | os.O_CREAT, "head") as descriptor:
        write_at(descriptor, b"", 0)
        assert read_at(descriptor, 9, 0) == b""
