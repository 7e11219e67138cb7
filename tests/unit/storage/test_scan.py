"""The byte check finds a needle wherever it lies, and says so when it cannot look."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from oblio.errors.storage import FilesRestless, NeedleTooShort
from oblio.storage import scan
from oblio.storage.scan import FileResidue

NEEDLE: Final = bytes(range(60))
OTHER: Final = b"another needle"


def test_a_needle_at_every_place_of_a_block_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "BLOCK_BYTES", 64)
    path = tmp_path / "file"
    needles = [os.urandom(60) for _ in range(64)]
    path.write_bytes(b"".join(needle + b"\xff" * 67 for needle in needles))  # 127 bytes apart: every place of 64
    assert FileResidue(lambda: [path]).found([OTHER, *needles]) == set(range(1, 65))
    path.write_bytes(b"".join(needle[:-1] + b"\xff" * 68 for needle in needles))
    found = FileResidue(lambda: [path]).found([OTHER, *needles])
    assert found == {n for n, needle in enumerate(needles, 1) if needle[-1] == 0xFF}


def test_needles_inside_and_beside_each_other_are_all_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" + NEEDLE + OTHER)
    needles = [NEEDLE, NEEDLE[:12], NEEDLE[20:40], NEEDLE, OTHER, NEEDLE[::-1]]
    assert FileResidue(lambda: [tmp_path / "file"]).found(needles) == {0, 1, 2, 3, 4}


def test_folders_are_read_with_everything_below_them_and_missing_files_are_nothing(tmp_path: Path) -> None:
    deep = tmp_path / "keys" / "deep"
    deep.mkdir(parents=True)
    (deep / "slots.1").write_bytes(NEEDLE)
    residue = FileResidue(lambda: [tmp_path / "keys", tmp_path / "agent.db-wal"])
    assert residue.found([NEEDLE]) == {0}
    (deep / "slots.1").write_bytes(NEEDLE[:30])
    assert residue.found([NEEDLE]) == frozenset()
    assert residue.found([]) == frozenset()


def test_a_short_needle_is_refused_because_chance_would_find_it(tmp_path: Path) -> None:
    with pytest.raises(NeedleTooShort):
        FileResidue(lambda: [tmp_path]).found([NEEDLE, b"eleven byte"])


def changing(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Let something happen after each reading of a file."""
    read = scan._Search._read_once

    def read_and_change(self: scan._Search, path: Path) -> None:
        read(self, path)
        change()

    monkeypatch.setattr(scan._Search, "_read_once", read_and_change)


def append(path: Path, chunk: bytes) -> None:
    """Make a file longer."""
    with path.open("ab") as file:
        file.write(chunk)


def test_what_was_appended_while_a_file_was_read_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "agent.db-wal"
    path.write_bytes(b"old")
    chunks = [b"page", NEEDLE]
    changing(monkeypatch, lambda: append(path, chunks.pop(0)) if chunks else None)
    assert FileResidue(lambda: [path]).found([NEEDLE]) == {0}


def test_a_file_that_never_stops_growing_is_not_called_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "agent.db-wal"
    path.write_bytes(b"old")
    changing(monkeypatch, lambda: append(path, b"more"))
    with pytest.raises(FilesRestless):
        FileResidue(lambda: [path]).found([NEEDLE])


def test_a_file_that_is_overwritten_all_the_time_is_read_several_times_and_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent.db"
    path.write_bytes(b"old" + NEEDLE)
    times = iter(range(1, 100))
    changing(monkeypatch, lambda: os.utime(path, ns=(0, next(times))))
    assert FileResidue(lambda: [path]).found([NEEDLE, OTHER]) == {0}
    assert next(times) == 6


def test_a_file_that_vanishes_while_it_is_read_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "agent.db-journal"
    path.write_bytes(b"old")
    changing(monkeypatch, lambda: path.unlink(missing_ok=True))
    assert FileResidue(lambda: [path]).found([NEEDLE]) == frozenset()
