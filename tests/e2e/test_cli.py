"""The command line over a whole life: one process a command, and within this process for the many ways it can end."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oblio.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
VERIFIER = ROOT / "docs" / "spec" / "verify_receipt.py"
CANARY = "Prefers sailing under a purple sail"
CHANGED = "Prefers rowing beside a purple sail"
SECOND = "I am moving to Oslo in March"
IDENTITY = re.compile(r"[0-9a-f]{32}")


class Shell:
    """Runs commands against one store, within this process."""

    def __init__(self, db: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.db = db
        self.capsys = capsys
        self.errors = ""

    def __call__(self, *arguments: str, code: int = 0, db: Path | None = None) -> str:
        """Run a command and return what it answered."""
        ended = run([*arguments, "--db", str(db or self.db)])
        out, err = self.capsys.readouterr()
        assert ended == code, (arguments[0], out, err)
        self.errors += err
        return out

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Run a command with `--json` and return its one object."""
        answer = json.loads(self(*arguments, "--json", code=code))
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    """A store with two people who allowed memory."""
    monkeypatch.setenv("OBLIO_EMBEDDER", "ngram")
    made = Shell(tmp_path / "agent.db", capsys)
    made("init")
    for name in ("anna", "bo"):
        made("consent", "grant", name, "memory", "--notice", "2026-11")
    yield made
    assert CANARY not in made.errors
    assert SECOND not in made.errors


def test_a_life_from_the_first_consent_to_the_proof(shell: Shell, tmp_path: Path) -> None:
    kept = shell.json("remember", "anna", CANARY)
    move = shell.json("remember", "anna", SECOND, "--kind", "goal")
    other = shell.json("remember", "bo", CANARY)
    assert kept == {"kept": True, "id": kept["id"], "reasons": []}
    assert [each["id"] for each in shell.json("recall", "anna", "purple sail", "--limit", "1")["recalled"]] == [
        kept["id"]
    ]
    assert {each["text"] for each in shell.json("list", "anna")["memories"]} == {CANARY, SECOND}
    assert shell.json("show", "anna", kept["id"])["memory"]["text"] == CANARY
    assert shell.json("trace", "anna", kept["id"])["trace"]["version"] == 1
    assert CANARY not in shell("trace", "anna", kept["id"])
    assert shell.json("correct", "anna", kept["id"], CHANGED)["id"] == kept["id"]
    assert CHANGED in shell("list", "anna")

    forgotten = shell.json("forget", "anna", move["id"], "--yes", "--receipt", str(tmp_path / "forgot.json"))
    assert (forgotten["result"], forgotten["plan"]["counts"]) == ("complete", {"memory": 1})
    erased = shell.json("erase", "anna", "--yes", "--receipt", str(tmp_path / "erased.json"))
    assert erased["result"] == "complete"
    assert {step["outcome"] for step in erased["steps"]} == {"erased", "purged"}
    for name in ("forgot.json", "erased.json"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        assert "anna" not in (tmp_path / name).read_text()

    assert shell.json("list", "anna") == {"memories": []}
    assert [each["id"] for each in shell.json("list", "bo")["memories"]] == [other["id"]]
    assert shell.json("scan", CANARY)["found"] == 0
    whole = shell.json("audit", "verify", "--receipt", str(tmp_path / "erased.json"))
    assert (whole["documents"], whole["unexplained"]) == (1, [])
    assert shell.json("erasure", "verify", erased["request"])["clean"] is True
    assert shell.json("erasure", "show", erased["request"], "--recovery", erased["recovery"])["state"] == "completed"
    assert shell("erasure", "show", erased["request"], "--recovery", "wrong", code=1) == ""
    assert "erasure.unknown_request" in shell.errors


def test_a_receipt_is_checked_without_the_store(shell: Shell, tmp_path: Path) -> None:
    shell("remember", "anna", CANARY)
    file = tmp_path / "receipt.json"
    shell("erase", "anna", "--yes", "--receipt", str(file))
    key = shell("audit", "key").strip()
    (tmp_path / "key").write_text(key + "\n")
    nowhere = tmp_path / "nowhere.db"
    assert "verifies" in shell("receipt", "verify", str(file), "--key", key, db=nowhere)
    assert "verifies" in shell("receipt", "verify", str(file), "--key-file", str(tmp_path / "key"), db=nowhere)
    assert shell.json("receipt", "verify", str(file))["verifies"] is True
    assert not nowhere.exists()
    done = subprocess.run([sys.executable, str(VERIFIER), str(file), key], capture_output=True, check=False)
    assert done.returncode == 0

    document = json.loads(file.read_text())
    document["payload"]["steps"][0]["count"] += 1
    (tmp_path / "changed.json").write_text(json.dumps(document))
    assert shell("receipt", "verify", str(tmp_path / "changed.json"), code=1) == ""
    assert "receipt.signature" in shell.errors
    shell("receipt", "verify", str(file), code=1, db=nowhere)
    shell("receipt", "verify", str(tmp_path / "gone.json"), code=1)
    assert "command.key_needed" in shell.errors
    assert "command.file_unreadable" in shell.errors

    request = document["payload"]["request"]
    assert json.loads(shell("receipt", "show", request, "--json")) == json.loads(file.read_text())
    page = shell("receipt", "html", str(file))
    assert page.startswith("<!doctype html>")
    assert request in page
    assert shell.json("receipt", "html", str(file))["html"] == page
    shell("receipt", "show", request, "--out", str(file), code=1)
    assert "command.file_unwritable" in shell.errors


def test_nothing_is_erased_without_a_confirmed_plan(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = shell.json("remember", "anna", CANARY)["id"]
    for answer in ("no", "y", ""):
        monkeypatch.setattr("builtins.input", lambda answer=answer: answer)
        shell("erase", "anna", code=1)
    monkeypatch.setattr("builtins.input", _end_of_file)
    shown = shell("forget", "anna", kept, code=1)
    assert "1 memory" in shown
    assert "command.not_confirmed" in shell.errors
    plan = shell.json("forget", "anna", kept, code=1)["plan"]
    assert (plan["counts"], plan["blanked"], plan["stays"]) == ({"memory": 1}, 0, {})
    assert plan["digest"] in shown
    assert len(shell.json("list", "anna")["memories"]) == 1

    digest = re.search(r"[0-9a-f]{64}", shown)
    assert digest is not None
    shell("remember", "anna", SECOND)
    shell("erase", "anna", "--plan", digest.group(), code=1)
    assert "erasure.plan_changed" in shell.errors
    assert len(shell.json("list", "anna")["memories"]) == 2
    shell("forget", "anna", kept, "--plan", digest.group())
    monkeypatch.setattr("builtins.input", lambda: "yes")
    assert "recovery code" in shell("erase", "anna")
    assert shell.json("list", "anna") == {"memories": []}


def _end_of_file() -> str:
    raise EOFError


def test_a_receipt_file_that_exists_is_refused_before_anything_is_erased(shell: Shell, tmp_path: Path) -> None:
    shell("remember", "anna", CANARY)
    (tmp_path / "mine").write_text("mine")
    shell("erase", "anna", "--yes", "--receipt", str(tmp_path / "mine"), code=1)
    shell("erase", "anna", "--yes", "--receipt", str(tmp_path / "no" / "folder"), code=1)
    assert (tmp_path / "mine").read_text() == "mine"
    assert len(shell.json("list", "anna")["memories"]) == 1


def test_erasing_somebody_who_is_not_there_finds_nothing_and_says_so(shell: Shell) -> None:
    nobody = shell.json("erase", "nobody", "--yes")
    assert (nobody["result"], nobody["recovery"]) == ("no_data", None)
    assert "complete:" not in shell("erase", "nobody", "--yes")
    assert shell.json("erasure", "verify", nobody["request"])["clean"] is True


def test_a_refusal_changes_nothing_and_has_a_code_of_its_own(shell: Shell) -> None:
    said = "My doctor says I have diabetes"
    answer = shell.json("remember", "anna", said, code=3)
    assert answer["kept"] is False
    assert "health" in answer["reasons"]
    told = shell("remember", "anna", said, code=3)
    assert "health" in told
    assert "diabetes" not in told
    kept = shell.json("remember", "anna", "I like red wine, my mail is anna@example.org")
    assert kept["reasons"] == ["email"]
    shell("correct", "anna", kept["id"], said, code=3)
    assert "[email]" in shell("show", "anna", kept["id"])
    assert shell.json("remember", "carl", CANARY, code=3)["reasons"] == ["consent_missing"]


def test_consent_is_granted_listed_and_withdrawn(shell: Shell) -> None:
    shell("remember", "anna", CANARY)
    assert shell.json("consent", "withdraw", "anna", "memory") == {"withdrawn": True, "purpose": "memory"}
    assert shell.json("consent", "withdraw", "anna", "memory")["withdrawn"] is False
    assert shell.json("recall", "anna", "sail") == {"recalled": []}
    assert "does not stand" in shell("recall", "anna", "sail")
    (one,) = shell.json("consent", "list", "anna")["consents"]
    assert (one["purpose"], one["basis"], one["notice"]) == ("memory", "consent", "2026-11")
    assert one["withdrawn_at"] is not None
    assert "Nothing was ever allowed." in shell("consent", "list", "carl")
    shell("consent", "grant", "anna", "gossip", "--notice", "1", code=1)
    assert "consent.unknown_purpose" in shell.errors


def test_people_of_two_tenants_share_nothing(shell: Shell) -> None:
    shell("remember", "anna", CANARY)
    shell("consent", "grant", "anna", "memory", "--notice", "1", "--tenant", "acme")
    assert shell.json("list", "anna", "--tenant", "acme") == {"memories": []}
    shell("erase", "anna", "--yes", "--tenant", "acme")
    assert len(shell.json("list", "anna")["memories"]) == 1


def messages(*texts: str) -> str:
    said = [{"id": str(number), "role": "user", "name": name, "content": text, "timestamp": "2026-03-01T12:00:00Z"}
            for number, (name, text) in enumerate(zip(("ann", "ben") * len(texts), texts, strict=False))]  # fmt: skip
    return json.dumps({"id": "c", "messages": said}) + "\n"


def test_an_import_grants_nothing_by_itself(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(messages("I prefer trains to planes.", "I like green tea in the morning."))
    shell("import", str(file), "--subject", "ann", code=1)
    assert "command.consent_needed" in shell.errors
    assert "--grant memory,history" in shell.errors
    assert shell.json("consent", "list", "ann") == {"consents": []}
    shell("import", str(file), "--subject", "ann", "--grant", "memory", code=1)
    shell("import", str(file), code=1)
    shell("import", str(file), "--subject", "ann", "--each-author", code=1)
    shell("consent", "grant", "ann", "memory", "--notice", "1")
    half = shell.json("import", str(file), "--subject", "ann")
    assert half["refused"]["consent_missing"] == 2
    assert "--again" in shell("import", str(file), "--subject", "ann", "--again")
    granted = ["--grant", "memory, history", "--notice", "2"]
    whole = shell.json("import", str(file), "--subject", "ann", "--again", *granted)
    assert whole["stored"]["messages"] == 2
    assert [each["notice"] for each in shell.json("consent", "list", "ann")["consents"]] == ["1", "2"]
    assert shell.json("import", str(file), "--subject", "ann")["read"] == 0
    assert len(shell.json("list", "ann", "--messages")["messages"]) == 2


def test_each_author_of_an_import_is_a_person_of_their_own(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(messages("I prefer trains to planes.", "I like green tea in the morning."))
    report = shell.json("import", str(file), "--each-author", "--grant", "history", "--notice", "1")
    assert report["stored"]["messages"] == 2
    assert shell.json("consent", "list", "user") == {"consents": []}
    assert ["trains" in shell("list", name, "--messages") for name in ("ann", "ben")] == [True, False]


def test_a_message_without_a_name_belongs_to_nobody(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(messages("I prefer trains to planes.").replace('"name"', '"nick"'))
    report = shell.json("import", str(file), "--each-author", "--grant", "history", "--notice", "1")
    assert report["stored"]["messages"] == 0
    assert shell.json("consent", "list", "user") == {"consents": []}


def test_an_old_copy_opens_after_its_erasures_were_replayed(shell: Shell, tmp_path: Path) -> None:
    shell("remember", "anna", CANARY)
    bo = shell.json("remember", "bo", SECOND)["id"]
    shutil.copy(shell.db, tmp_path / "copy.db")
    assert shell.json("restore") == {"replayed": False}
    shell("erase", "anna", "--yes")
    shutil.copy(tmp_path / "copy.db", shell.db)
    for command in (("list", "bo"), ("doctor",), ("erase", "bo", "--yes")):
        shell(*command, code=1)
    assert "vault.store_is_older" in shell.errors
    assert "oblio restore" in shell.errors
    done = shell.json("restore")
    assert done == {"replayed": True, "erased_subjects": 1, "unreadable_subjects": 0, "erased_items": 0}
    assert shell.json("list", "anna") == {"memories": []}
    assert [each["id"] for each in shell.json("list", "bo")["memories"]] == [bo]
    assert shell.json("recall", "bo", "Oslo")["recalled"][0]["id"] == bo
    assert shell.json("remember", "bo", CANARY)["kept"] is True
    assert shell.json("audit", "verify")["unexplained"] == []
    assert shell.json("restore") == {"replayed": False}


def test_restoring_nothing_is_an_error(shell: Shell, tmp_path: Path) -> None:
    shell("restore", code=1, db=tmp_path / "nowhere.db")
    shell("list", "anna", code=1, db=tmp_path / "nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()


def test_the_doctor_finds_exposed_files(shell: Shell) -> None:
    report = shell.json("doctor")
    assert {each["level"] for each in report["findings"]} == {"fine", "warning", "note"}
    shell.db.chmod(0o644)
    assert "problem" in shell("doctor", code=1)
    shell.db.chmod(0o600)
    assert shell.json("erasure", "list") == {"requests": []}


def test_a_scan_finds_what_was_planted_and_refuses_what_says_nothing(shell: Shell) -> None:
    shell("remember", "anna", CANARY)
    assert shell.json("scan", CANARY)["found"] == 0
    (shell.db.with_suffix(".keys") / "planted").write_text(CANARY)
    assert shell.json("scan", CANARY, code=1)["forms"]["utf-8"] == 1
    shell("scan", "short", code=1)
    assert "command.text_too_short" in shell.errors


def test_a_trial_store_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], shell: Shell) -> None:
    trial = Shell(tmp_path / "trial.db", capsys)
    assert "refuses nothing" in trial("init", "--trial")
    assert trial.json("init")["trial"] is True
    assert "trial store" in trial("doctor")
    shell("init", "--trial", code=1)
    assert "store.filter_mode_fixed" in shell.errors


def test_derived_texts_and_prompt_blocks_are_shown(shell: Shell) -> None:
    shell("remember", "anna", CANARY)
    assert "Nothing is kept." in shell("list", "anna", "--derived")
    assert CANARY in shell.json("recall", "anna", "purple sail", "--prompt", "200")["prompt"]


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command as a process of its own in an empty folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OBLIO_")}
    environment = kept | {"PYTHONPATH": str(ROOT / "src"), "OBLIO_EMBEDDER": "ngram"}

    def start(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "oblio", *arguments],
            cwd=tmp_path,
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return start


@pytest.mark.slow
def test_processes_do_the_same_and_say_nothing_of_it_on_standard_error(
    command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    steps: list[tuple[list[str], str]] = [
        (["init"], ""),
        (["consent", "grant", "anna", "memory", "--notice", "2026-11"], ""),
        (["remember", "anna", "-"], CANARY),
        (["recall", "anna", "-"], "purple sail"),
        (["list", "anna", "--json"], ""),
        (["erase", "anna", "--receipt", "receipt.json"], "yes\n"),
        (["receipt", "verify", "receipt.json"], ""),
        (["audit", "verify"], ""),
        (["scan", "-"], CANARY),
        (["list", "anna"], ""),
    ]
    said = ""
    for arguments, given in steps:
        done = command(*arguments, given=given)
        assert done.returncode == 0, done.stderr
        assert CANARY not in done.stderr
        assert "Traceback" not in done.stderr
        said += done.stdout
    assert CANARY in said
    assert "complete" in said
    assert (tmp_path / "agent.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_broken_pipe_is_quiet(command: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    assert command("init").returncode == 0
    script = f"{sys.executable} -m oblio receipt html missing; {sys.executable} -m oblio doctor | true"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OBLIO_EMBEDDER": "ngram"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
