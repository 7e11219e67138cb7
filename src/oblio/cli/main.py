"""The command `oblio`."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, NoReturn

import typer
from typer.main import get_command

from oblio.cli import audits, consents, demo, erasing, erasures, faults, imports, memories, receipts, stores, upkeep

ABOUT = """Memory for AI agents that asks before it keeps, filters what it writes, and can forget and prove it.

Every command takes `--db PATH` (default: agent.db here) and `--json`. A text may be given as `-`, for standard input:
arguments are seen in the process list.
"""
ENDS = (
    "Exit codes: 0 done; 1 a fault, with its code and the next step; 2 the arguments do not fit; 3 a text was refused; "
    "4 an erasure ended with a result that needs reading; 70 a defect of Oblio."
)


def _version(wanted: bool) -> None:  # noqa: FBT001 -- called by the option
    if wanted:
        typer.echo(import_module("importlib.metadata").version("oblio"))  # slow to load, seldom asked
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)]


def build() -> typer.Typer:
    """Return the application with every command."""
    app = typer.Typer(
        name="oblio", help=ABOUT, epilog=ENDS, no_args_is_help=True, add_completion=False, rich_markup_mode=None
    )
    app.callback()(_oblio)
    for part in (stores, imports, memories, erasing, upkeep):
        part.add_to(app)
    app.add_typer(consents.group(), name="consent")
    app.add_typer(erasures.group(), name="erasure")
    app.add_typer(receipts.group(), name="receipt")
    app.add_typer(audits.group(), name="audit")
    demo.add_to(app)
    return app


def run(arguments: Sequence[str], /) -> int:
    """Run one command and return its exit code. Every way it can end is one line on standard error at most."""
    try:
        code = get_command(build()).main(args=list(arguments), prog_name="oblio", standalone_mode=False)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 -- its text may quote somebody; only its kind and place are printed
        return faults.of_error(error)
    if code == faults.INTERRUPTED:
        return faults.of_interrupt()
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def _oblio(*, wanted: Version = False) -> None:
    """Hold the options of `oblio` itself."""
