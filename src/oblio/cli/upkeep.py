"""Commands that an operator runs by the clock: sweep, vault rotate."""

import typer

from oblio.cli import faults
from oblio.cli.desk import Desk, command
from oblio.cli.screen import busy, pairs


def add_to(app: typer.Typer, /) -> None:
    """Add the commands."""
    command(app, "sweep")(sweep)
    vault = typer.Typer(help="Keys.", no_args_is_help=True, rich_markup_mode=None)
    command(vault, "rotate")(rotate)
    app.add_typer(vault, name="vault")


def sweep(desk: Desk) -> None:
    """Erase what expired now, instead of at the next open. Expired items are invisible before that already."""
    with desk.open() as store, busy("erasing what expired"):
        items = store.sweep()
    desk.answer({"items": items}, [pairs({"expired items taken up": items})])


def rotate(desk: Desk) -> None:
    """Replace the epoch key: wrapped keys in old copies and old disk sectors are dead afterwards.

    A whole copy of the key folder has the old epoch key in it and still opens the database that it belongs to.

    Exit code 1 when another process is at work; nothing was replaced then.
    """
    with desk.open() as store, busy("wrapping every key anew"):
        done = store.rotate_keys()
    words = "replaced" if done else "not replaced: another process is at work"
    desk.answer({"rotated": done}, [pairs({"epoch key": words})])
    if not done:
        raise typer.Exit(faults.FAULT)
