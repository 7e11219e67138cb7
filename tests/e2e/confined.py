"""Runs a scenario in a file system of its own that can be full or read-only, also for root.

A private mount name space holds a small file system in memory; nothing outside sees it, and it ends with the process.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
_UNSHARE: Final = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--mount", "--map-root-user")


def run(scenario: str, folder: Path, *, size: str = "3m") -> dict[str, Any]:
    """Run a function of `tests.e2e.scenarios` on a file system of `size` and return what it tells."""
    mounted = f'mount -t tmpfs -o size={size},mode=0700 none "$1" && exec "$2" -m tests.e2e.scenarios "$3" "$1"'
    done = subprocess.run(
        [*_UNSHARE, "sh", "-c", mounted, "sh", str(folder), sys.executable, scenario],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _possible() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = subprocess.run([*_UNSHARE, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return probe.returncode == 0


needs_mounts = pytest.mark.skipif(not _possible(), reason="this system lets nobody mount a file system of their own")
