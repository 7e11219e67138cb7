"""What the pages promise runs as printed: their Python in one namespace a page, then their commands, in order.

Every socket is refused meanwhile: nothing of it needs a network.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/guide/ten-minutes.md")
BLOCK = re.compile(r"^```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

NO_NETWORK = """
import sys

def refuse(event, _):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise PermissionError("the network was touched: " + event)

sys.addaudithook(refuse)
"""
"""Loaded by every interpreter of a page before anything else. An audit hook cannot be taken off again."""


def blocks(page: str, language: str) -> list[str]:
    """Return the bodies of the fenced blocks of one language, in page order."""
    return [match["body"] for match in BLOCK.finditer(page) if match["language"] == language]


def commands(page: str) -> list[str]:
    """Return the lines of console blocks that start our command."""
    lines = (line for block in blocks(page, "console") for line in block.splitlines())
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ oblio")]


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder with nothing of ours in its environment but the way to the package."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OBLIO_")}
    path = os.pathsep.join([str(folder / "bin"), kept.get("PATH", "")])
    environment = kept | {"PYTHONPATH": f"{folder / 'bin'}:{ROOT / 'src'}", "PATH": path, "HOME": str(folder)}
    return subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder in which `oblio` is this checkout's command."""
    command = tmp_path / "bin" / "oblio"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom oblio.cli.main import main\n\nmain()\n", encoding="utf-8")
    command.chmod(0o755)
    (command.parent / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_page_runs(name: str, folder: Path) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    script = "\n".join(blocks(page, "python"))
    done = run([sys.executable, "-W", "error", "-c", script], folder)
    assert done.returncode == 0, done.stderr
    for line in commands(page):
        done = run(["bash", "-euo", "pipefail", "-c", line], folder)
        assert done.returncode == 0, f"$ {line}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_code_and_commands(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert blocks(page, "python")
    assert commands(page)


def test_blocks_and_commands_are_told_apart() -> None:
    page = "# T\n```python\na = 1\n```\ntext\n```console\n$ oblio demo\nout\n$ ls\n```\n```python\nb = 2\n```\n"
    assert blocks(page, "python") == ["a = 1\n", "b = 2\n"]
    assert commands(page) == ["oblio demo"]


def test_a_page_whose_code_fails_is_found(folder: Path) -> None:
    assert run([sys.executable, "-c", "raise SystemExit(3)"], folder).returncode == 3


def test_a_page_that_touches_the_network_is_found(folder: Path) -> None:
    done = run([sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"], folder)
    assert done.returncode == 1
    assert "the network was touched" in done.stderr
