"""Tests of `oblio.cli.faults` and `oblio.cli.main`: how commands end."""

import sys

import pytest
from typer.main import get_command

from oblio import Oblio
from oblio.cli import main
from oblio.cli.main import build, run
from oblio.errors.settings import NoStore

CANARY = "my-doctor-says"


@pytest.mark.parametrize(
    "arguments",
    [
        [CANARY],
        ["remember", f"--{CANARY}", "x"],
        ["remember", "anna", "text", CANARY],
        ["recall", "anna", "x", "--limit", CANARY],
        ["remember", "anna", "x", "--said-at", CANARY],
        ["list", "anna", f"-{CANARY}"],
        ["receipt", "verify", "file", "--key"],
        ["erasure", CANARY],
        ["remember", CANARY],
    ],
)
def test_arguments_that_do_not_fit_are_not_repeated(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("command.usage: ")
    assert "--help" in err
    assert CANARY not in err


def test_the_missing_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["remember", "anna"]) == 2
    assert "(TEXT). See `oblio remember --help`." in capsys.readouterr().err


def test_a_fault_ends_with_its_code_and_the_next_step(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise NoStore

    monkeypatch.setattr(Oblio, "open", fail)
    assert run(["doctor"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"{NoStore()}\n")


def test_a_defect_shows_kind_and_place_and_never_the_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError(CANARY)

    monkeypatch.setattr(Oblio, "open", fail)
    assert run(["doctor"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert "oblio.defect: KeyError at cli/desk.py:" in err
    assert CANARY not in err
    assert "Traceback" not in err


def test_an_interruption_says_what_stands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Oblio, "open", fail)
    assert run(["doctor"]) == 130
    assert "What was acknowledged stands" in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Commands:" in capsys.readouterr().out


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip()[0].isdigit()


def test_main_ends_the_process_with_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["oblio", "--version"])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 0


def test_every_command_takes_the_shared_options_and_has_help() -> None:
    root = get_command(build())
    found: list[str] = []

    def walk(name: str, command: object) -> None:
        inner: dict[str, object] = getattr(command, "commands", {})
        for each, below in inner.items():
            walk(f"{name} {each}", below)
        if not inner:
            options = {option for each in getattr(command, "params", ()) for option in each.opts}
            assert {"--db", "--tenant", "--json"} <= options, name
            assert getattr(command, "help", ""), name
            found.append(name)

    walk("oblio", root)
    assert len(found) == 28
