"""Folders and files are nouns that a user of the product knows, and shipped text says one word for one thing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

SHAPELESS = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff", "lib", "tools"})

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def shapeless(names: Iterable[str]) -> Iterator[str]:
    """Yield the module names of which a part says nothing about the product."""
    for name in names:
        if SHAPELESS & {part.strip("_") for part in name.split(".")}:
            yield name


def unfinished(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of texts that promise work instead of doing it."""
    for name, text in texts.items():
        if UNFINISHED.search(text):
            yield name


def test_no_module_has_a_shapeless_name(sources: Mapping[str, str]) -> None:
    assert list(shapeless(sources)) == []


def test_no_module_leaves_work_for_later(sources: Mapping[str, str]) -> None:
    assert list(unfinished(sources)) == []


@pytest.mark.parametrize("name", ["oblio.utils", "oblio.vault.helpers", "oblio.common.keys", "oblio._misc"])
def test_a_shapeless_name_is_found_anywhere_in_the_path(name: str) -> None:
    assert list(shapeless([name, "oblio.vault.keys"])) == [name]


def test_an_unfinished_note_is_found() -> None:
    assert list(unfinished({"a": "# TO" + "DO later", "b": "# todos are a kind of memory"})) == ["a"]


def test_lock_files_name_packages_and_hashes_only(root: Path) -> None:
    for name in ("run", "dev", "uv"):
        lines = (root / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert lines
        assert [line for line in lines if not re.fullmatch(LOCK_LINE, line)] == []


@pytest.mark.parametrize("line", ["--index-url https://host/simple", "oblio @ file:///home/me/oblio", "-e .", "a>=1"])
def test_a_lock_line_with_a_host_a_path_or_an_open_version_is_found(line: str) -> None:
    assert re.fullmatch(LOCK_LINE, line) is None


LOCK_LINE = r"[a-z0-9-]+==[\w.]+( ; [\w .'=<>!()]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?"
