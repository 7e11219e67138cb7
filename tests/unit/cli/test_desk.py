"""Tests of `oblio.cli.desk`."""

import io
import json
import sys
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from rich.text import Text
from typer.main import get_command

from oblio.cli import screen
from oblio.cli.desk import Desk, Subject, command, content
from oblio.errors.command import EmptyText


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two options."""

    first: Annotated[int, typer.Option("--first", help="One.")]
    second: Annotated[str, typer.Option("--second", help="Two.")] = "two"


def made(seen: list[object]) -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None)

    def one(desk: Desk, subject: Subject, pair: Pair) -> None:
        """Do one thing."""
        seen.extend([desk, subject, pair])

    def other(desk: Desk) -> None:
        """Do another."""
        desk.answer({"a": "[red]b"}, [Text("[red]b")])

    command(app, "one")(one)
    command(app, "other")(other)
    return app


def test_a_dataclass_stands_for_its_fields_and_the_shared_options_make_the_desk() -> None:
    seen: list[object] = []
    arguments = ["one", "anna", "--first", "3", "--db", "x.db", "--tenant", "acme", "--json"]
    get_command(made(seen)).main(args=arguments, standalone_mode=False)
    desk, subject, pair = seen
    assert isinstance(desk, Desk)
    assert (str(desk.db), desk.tenant, desk.as_json) == ("x.db", "acme", True)
    assert subject == "anna"
    assert pair == Pair(first=3)


def test_an_answer_is_json_or_lines_and_never_markup(capsys: pytest.CaptureFixture[str]) -> None:
    app = get_command(made([]))
    app.main(args=["other"], standalone_mode=False)
    assert capsys.readouterr().out.strip() == "[red]b"
    app.main(args=["other", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == {"a": "[red]b"}


def test_a_dash_reads_standard_input_and_nothing_visible_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("two\nlines\n"))
    assert content("-") == "two\nlines"
    assert content("plain") == "plain"
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    for empty in ("-", "  "):
        with pytest.raises(EmptyText):
            content(empty)


def test_json_refuses_what_has_no_form() -> None:
    with pytest.raises(TypeError, match=r"^object$"):
        screen.print_json({"a": object()})


def test_nothing_is_drawn_when_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with screen.busy("working"), screen.counting("counting") as progress:
        progress.tell("line")
    assert capsys.readouterr() == ("", "")
