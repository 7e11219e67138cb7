"""`oblio demo`: the product in under two minutes, offline, with invented people. Each claim shown was checked."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import oblio
from oblio.cli import demo_people as people
from oblio.cli import demo_proof as proof
from oblio.cli import screen
from oblio.cli.demo_stage import Stage
from oblio.cli.desk import Desk, command
from oblio.errors.command import DemoFolderTaken

Folder = Annotated[
    Path | None, typer.Option("--dir", metavar="FOLDER", help="Keep what is made there; else it is removed at the end.")
]


def add_to(app: typer.Typer, /) -> None:
    """Register the command."""
    command(app, "demo")(demo)


def demo(desk: Desk, folder: Folder = None) -> None:
    """Show the product with three invented people.

    Consent, filter, recall, forgetting, erasure, proof. Works in a temporary folder and offline; `--db` and `--tenant`
    are not looked at. Ends with an error when one of the things it shows is not so.
    """
    began = time.monotonic()
    console = Console(quiet=True) if desk.as_json else screen.answers()
    stage = Stage(console=console)
    with _folder(folder) as place:
        _play(stage, place)
    seconds = round(time.monotonic() - began, 1)
    line = f"{len(stage.claims)} claims were shown and checked, in {seconds} s."
    kept = "" if folder is None else " What was made is in the folder."
    desk.answer(
        {"acts": stage.acts, "claims": stage.claims, "seconds": seconds}, [Text(f"\n{line}{kept}", style="bold")]
    )


def _play(stage: Stage, place: Path) -> None:
    settings = replace(oblio.Settings.from_environment(), keys=None)
    path = place / "agent.db"
    with oblio.Oblio.open(path, settings=settings) as store:
        people.ask_first(stage, store)
        people.bring_in(stage, store)
        people.recall(stage, store)
        people.forget_one(stage, store)
        before, texts = proof.memories_of(store), proof.all_texts(store)
    copy = path.read_bytes()
    with oblio.Oblio.open(path, settings=settings) as store:
        receipt = proof.erase_one(stage, store)
        proof.others_stay(stage, store, before)
        proof.look_at_bytes(stage, store, texts)
        proof.prove(stage, receipt, store.public_key, place)
        proof.whole_log(stage, store, receipt)
    proof.old_copy(stage, place, copy, before, settings)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Lend an empty folder.

    Raises:
        DemoFolderTaken: the given one holds something.
    """
    if given is None:
        place = Path(tempfile.mkdtemp(prefix="oblio-demo-"))
        try:
            yield place
        finally:
            shutil.rmtree(place)
        return
    given.mkdir(parents=True, exist_ok=True)
    if any(given.iterdir()):
        raise DemoFolderTaken
    yield given
