"""A power cut during the creation of a key place."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from oblio.errors.vault import KeyPlaceIncomplete, KeyPlaceMissing
from oblio.model.ids import new_id
from oblio.vault import place
from oblio.vault.place import KeyPlace

STORE = new_id()


class _PowerCut(Exception):  # noqa: N818 -- not an error of ours
    pass


@pytest.mark.slow
def test_a_creation_cut_off_anywhere_is_named_and_redone(tmp_path: Path) -> None:
    points: list[str] = []
    KeyPlace.create(tmp_path / "whole.keys", STORE, cut=points.append)
    assert set(points) == {"file.written", "file.synced", "file.renamed", "file.unlinked"} | set(place.CUTS) - {
        "epoch.created"
    }
    for number in range(len(points)):
        directory = tmp_path / f"{number}.keys"
        left = iter(range(number, -1, -1))

        def cut(_point: str, left: Iterator[int] = left) -> None:
            if next(left) == 0:
                raise _PowerCut

        with pytest.raises(_PowerCut):
            KeyPlace.create(directory, STORE, cut=cut)
        finished = points[number] == "file.unlinked"
        if not finished:
            with pytest.raises((KeyPlaceIncomplete, KeyPlaceMissing)):
                KeyPlace.open(directory)
            KeyPlace.create(directory, STORE)
        assert KeyPlace.open(directory).store_id == STORE
        assert not [path for path in directory.iterdir() if path.name.startswith("creating")]
