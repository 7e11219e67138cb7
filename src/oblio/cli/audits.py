"""Commands about the audit log: verify, key."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from oblio.cli import faults
from oblio.cli.desk import Desk, command
from oblio.cli.receipts import read_receipt
from oblio.cli.screen import busy, pairs

Receipts = Annotated[
    list[Path] | None,
    typer.Option(
        "--receipt", metavar="FILE", help="Compare the log with this receipt too; may be given several times."
    ),
]


def group() -> typer.Typer:
    """Return the commands as a group."""
    app = typer.Typer(help="The log that cannot be rewritten unseen.", no_args_is_help=True, rich_markup_mode=None)
    command(app, "verify")(verify)
    command(app, "key")(key)
    return app


def verify(desk: Desk, receipts: Receipts = None) -> None:
    """Check the whole log: every entry and hash, its signature, and the checkpoint that the key place holds."""
    issued = [read_receipt(file) for file in receipts or ()]
    with desk.open() as store, busy("reading the log"):
        report = store.verify_audit(receipts=issued)
    facts: dict[str, object] = {
        "entries": f"{report.entries}, each matches its hash and the signed root",
        "checkpoint outside": "none" if report.outside is None else f"confirms {report.outside} of them",
        "receipts compared": report.documents,
        "not yet in the tree": "some" if report.waiting else "nothing",
    }
    if report.dropped:
        facts["bytes dropped"] = f"{len(report.dropped)}, {len(report.unexplained)} of them unexplained"
    whole = not report.unexplained
    words = "The log is whole." if whole else "Bytes of the log are gone and no entry says why."
    desk.answer(asdict(report), [Text(words), pairs(facts)])
    if not whole:
        raise typer.Exit(faults.FAULT)


def key(desk: Desk) -> None:
    """Print the public key that receipts and checkpoints of this store verify with. Publish it where others find it."""
    with desk.open() as store:
        found = store.public_key
    if desk.as_json:
        desk.answer({"public_key": found}, ())
    else:
        typer.echo(found)
