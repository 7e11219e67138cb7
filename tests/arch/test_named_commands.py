"""What errors and pages tell people to type exists: the command, and each of its options that is named."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from oblio.cli.main import build

QUOTED = re.compile(r"`oblio ([a-z][^`]*)`")
TYPED = re.compile(r"^\$ oblio (.+)$", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*")
SKIPPED = frozenset({".venv", ".cache", ".git", "soak"})


def known() -> dict[str, frozenset[str]]:
    """Return the options of every command by its name, such as `consent grant`."""
    return dict(_walk((), get_command(build())))


def _walk(names: tuple[str, ...], command: Any, /) -> Iterator[tuple[str, frozenset[str]]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(names), frozenset(option for each in command.params for option in each.opts)
        return
    for name, each in inner.items():
        yield from _walk((*names, name), each)


def strange(words: str, commands: Mapping[str, frozenset[str]], /) -> bool:
    """Say whether a line after `oblio` is no command, or names an option that the command does not have."""
    first, second = [*words.split()[:2], ""][:2]
    options = commands.get(f"{first} {second}", commands.get(first))
    return options is None or not set(OPTION.findall(words)) <= options


def named(root: Path) -> Iterator[tuple[str, str]]:
    """Yield every file that tells people to type something, and what."""
    modules = sorted((root / "src").rglob("*.py"))
    pages = [path for path in sorted(root.rglob("*.md")) if not SKIPPED & set(path.relative_to(root).parts)]
    for path in (*modules, *pages):
        text = path.read_text(encoding="utf-8")
        for words in (*QUOTED.findall(text), *(TYPED.findall(text) if path.suffix == ".md" else ())):
            yield str(path.relative_to(root)), words


def test_every_command_that_is_named_exists(root: Path) -> None:
    commands, found = known(), list(named(root))
    assert [(file, words) for file, words in found if strange(words, commands)] == []
    assert len({words for file, words in found if file.startswith("src/oblio/errors/")}) > 5
    assert len({words for file, words in found if file.endswith(".md")}) > 10


@pytest.mark.parametrize("words", ["forgive anna", "vault", "vault turn", "restore --all", "erasure retry R --accept"])
def test_a_command_that_does_not_exist_is_found(words: str) -> None:
    assert strange(words, known())


@pytest.mark.parametrize("words", ["restore", "restore --db PATH", "vault rotate", "erasure retry R --accept-limits"])
def test_a_command_that_exists_is_not_found(words: str) -> None:
    assert not strange(words, known())
