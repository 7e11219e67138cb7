"""Commands about receipts: show, verify (offline), html."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import oblio
from oblio.cli.desk import Desk, Request, command
from oblio.cli.erasing import receipt_facts, reported, write_private
from oblio.cli.erasures import Recovery
from oblio.errors.command import FileUnreadable, KeyNeeded

if TYPE_CHECKING:
    from oblio import Receipt

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The receipt, a JSON file; `-` for standard input.", allow_dash=True)
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the signed receipt there (0600).")]
Key = Annotated[
    str | None, typer.Option("--key", metavar="KEY", help="The public key, as `oblio audit key` prints it.")
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", metavar="FILE", help="A file that holds the public key.")]

MOST_BYTES = 16 * 1024 * 1024


def group() -> typer.Typer:
    """Return the commands as a group."""
    app = typer.Typer(help="Signed receipts of erasures.", no_args_is_help=True, rich_markup_mode=None)
    command(app, "show")(show)
    command(app, "verify")(verify)
    command(app, "html")(html)
    return app


def show(desk: Desk, request: Request, recovery: Recovery = None, out: Out = None) -> None:
    """Show the receipt of a completed request, the same bytes at every time. `--json` prints the signed document."""
    with desk.open() as store:
        receipt = store.receipt(request, recovery=recovery)
    if out is not None:
        write_private(out, receipt)
    if desk.as_json:
        typer.echo(receipt.to_json())
        return
    desk.answer({}, reported(receipt))


def verify(desk: Desk, file: File, key: Key = None, key_file: KeyFile = None) -> None:
    """Check a receipt: its signature, its entry in the log, and the signed state of the log.

    Needs the file and the issuer's public key; no store and no network. With neither `--key` nor `--key-file` the key
    of the store at `--db` is taken.
    """
    receipt = read_receipt(file)
    receipt.verify(_key(desk, key, key_file))
    says = "The receipt verifies: signature, log entry and inclusion proof hold. It says:"
    desk.answer({"verifies": True, **receipt_facts(receipt)}, [Text(says), *reported(receipt)])


def html(desk: Desk, file: File) -> None:
    """Print a receipt as one HTML page, for reading: no script, nothing loaded. The page is no proof, the file is.

    With `--json` the page is the value of `html`.
    """
    page = oblio.Oblio.page(read_receipt(file))
    desk.answer({"html": page}, ()) if desk.as_json else typer.echo(page, nl=False)


def read_receipt(file: Path, /) -> "Receipt":
    """Return the receipt in a file. Nothing in it is believed yet.

    Raises:
        FileUnreadable: the file cannot be read.
        DocumentMalformed, DocumentTypeWrong: it holds no receipt.
    """
    return oblio.Receipt.from_json(_text(file, "receipt"))


def _key(desk: Desk, key: str | None, key_file: Path | None, /) -> str:
    if key is not None:
        return key.strip()
    if key_file is not None:
        return _text(key_file, "key file").strip()
    if not desk.db.exists():
        raise KeyNeeded
    with desk.open() as store:
        return store.public_key


def _text(file: Path, role: str, /) -> str:
    try:
        if str(file) == "-":
            return typer.get_text_stream("stdin").read(MOST_BYTES + 1)
        with file.open(encoding="utf-8") as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, UnicodeDecodeError):
        raise FileUnreadable(role=role) from None
