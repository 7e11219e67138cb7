"""The import contracts of pyproject.toml cover the folders that exist, and they catch what they name."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

CAPABILITY_LAYERS = (5, 6)
BACKENDS = ("storage", "vault", "audit", "engine", "connectors", "settings", "testing")


def _contracts(root: Path) -> dict[str, Any]:
    config = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {contract["id"]: contract for contract in config["tool"]["importlinter"]["contracts"]}


def _existing(root: Path, names: Iterable[str]) -> set[str]:
    package = root / "src" / "oblio"
    return {
        f"oblio.{name}" for name in names if any((package / name).rglob("*.py")) or (package / f"{name}.py").exists()
    }


def test_every_existing_capability_is_kept_from_every_existing_backend(root: Path) -> None:
    contract = _contracts(root)["capabilities"]
    layers = _contracts(root)["layers"]["layers"]
    capabilities = [name for layer in CAPABILITY_LAYERS for name in re.findall(r"\w+", layers[layer])]
    assert set(contract["source_modules"]) == _existing(root, capabilities)
    assert {name for name in contract["forbidden_modules"] if "." in name} == _existing(root, BACKENDS)


def test_every_existing_backend_is_protected(root: Path) -> None:
    protected = set(_contracts(root)["concrete"]["protected_modules"])
    assert protected == _existing(root, ("storage", "vault", "audit", "engine", "connectors"))


def _verdict(root: Path, folder: Path, *, planted: str, source: str) -> subprocess.CompletedProcess[str]:
    shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", folder)
    target = folder / "src" / "oblio" / planted
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source, encoding="utf-8")
    # `importlinter` is started from the planted copy, so that it judges this one and not the installed package.
    script = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-c", script, "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "source", "broken"),
    [
        ("stray/__init__.py", "", "oblio.stray"),
        ("model/planted.py", "import numpy\n", "oblio.model.planted"),
        ("memory/planted.py", "import oblio.storage\n", "oblio.memory.planted"),
        ("memory/planted.py", "import sqlalchemy\n", "oblio.memory.planted"),
        ("ports/planted.py", "import oblio.service\n", "oblio.ports.planted"),
        ("recall/planted.py", "import oblio.memory\n", "oblio.recall.planted"),
        ("service_planted/__init__.py", "import oblio.testing\n", "oblio.service_planted"),
        ("cli/planted.py", "import oblio.vault\n", "oblio.cli.planted"),
    ],
)
def test_a_planted_import_breaks_a_contract(root: Path, tmp_path: Path, planted: str, source: str, broken: str) -> None:
    run = _verdict(root, tmp_path, planted=planted, source=source)
    assert run.returncode == 1
    assert broken in run.stdout


@pytest.mark.slow
def test_the_contracts_hold_on_an_unplanted_copy(root: Path, tmp_path: Path) -> None:
    run = _verdict(root, tmp_path, planted="model/planted.py", source='"""Nothing."""\n')
    assert run.returncode == 0, run.stdout
