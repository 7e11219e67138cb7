"""Every file of a store is its user's alone, whatever the umask says."""

import os
from pathlib import Path

import pytest

from oblio import Oblio


@pytest.mark.parametrize("mask", [0o022, 0o000])
def test_every_file_of_a_store_is_private(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with Oblio.open(tmp_path / "agent.db") as oblio:
            anna = oblio.subject("anna")
            anna.consent.grant("memory", notice="1")
            anna.remember("Prefers metric units.", kind="preference")
            while_open = modes(tmp_path)
            anna.erase()
        after = modes(tmp_path)
    finally:
        os.umask(before)
    beside = {f"agent.db{end}" for end in ("", "-wal", "-shm", "-lock", "-engine", "-create")}
    assert beside <= set(while_open)
    assert {mode for name, mode in (while_open | after).items() if name != "agent.keys"} == {0o600}
    assert while_open["agent.keys"] == after["agent.keys"] == 0o700


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of everything below a folder by name."""
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o777 for path in folder.rglob("*")}
