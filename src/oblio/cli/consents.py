"""Commands about consent: grant, withdraw, list."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from oblio.cli.desk import Desk, Subject, command
from oblio.cli.screen import columns

Purpose = Annotated[
    str, typer.Argument(metavar="PURPOSE", help="memory, history, sensitive (beside memory) or analytics.")
]
Notice = Annotated[
    str, typer.Option("--notice", metavar="VERSION", help="Version of the notice that the person saw, like 2026-11.")
]
OnBasis = Annotated[str, typer.Option("--basis", metavar="BASIS", help="consent; or contract, for history only.")]


def group() -> typer.Typer:
    """Return the commands as a group."""
    app = typer.Typer(help="What a person has allowed.", no_args_is_help=True, rich_markup_mode=None)
    command(app, "grant")(grant)
    command(app, "withdraw")(withdraw)
    command(app, "list")(list_)
    return app


def grant(desk: Desk, subject: Subject, purpose: Purpose, notice: Notice, basis: OnBasis = "consent") -> None:
    """Record that a person allowed a purpose, on the notice they saw.

    The first grant makes the person's row; before it nothing about them is stored.
    """
    with desk.open() as store:
        desk.person(store, subject).consent.grant(purpose, notice=notice, basis=basis)
    desk.answer({"granted": purpose, "notice": notice, "basis": basis}, [Text(f"Recorded: {purpose} is allowed.")])


def withdraw(desk: Desk, subject: Subject, purpose: Purpose) -> None:
    """End a purpose at once. Nothing is written or used under it any more; nothing is erased by this."""
    with desk.open() as store:
        stood = desk.person(store, subject).consent.withdraw(purpose)
    says = "is not allowed any more. What was kept is still there; `oblio erase` removes it."
    line = f"Recorded: {purpose} {says}" if stood else f"{purpose} was not allowed; nothing changed."
    desk.answer({"withdrawn": stood, "purpose": purpose}, [Text(line)])


def list_(desk: Desk, subject: Subject) -> None:
    """List every grant and withdrawal, oldest first."""
    with desk.open() as store:
        grants = desk.person(store, subject).consent.list()
    shown = ("purpose", "basis", "notice", "granted_at", "withdrawn_at")
    facts = [{name: asdict(each)[name] for name in shown} for each in grants]
    rows = [
        (each.purpose, each.basis, each.notice, f"{each.granted_at:%Y-%m-%d %H:%M}", _until(each.withdrawn_at))
        for each in grants
    ]
    table = columns(("purpose", "basis", "notice", "since (UTC)", "until"), rows)
    desk.answer({"consents": facts}, [table] if rows else [Text("Nothing was ever allowed.")])


def _until(at: object) -> str:
    return "stands" if at is None else f"{at:%Y-%m-%d %H:%M}"
