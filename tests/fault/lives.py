"""What the children of the crash tests do. Each life opens a store that was prepared, and works on it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.fault.wander import wander
from tests.fault.world import CHANGED, FIRST, SECOND, furnish, opened, the
from tests.fault.zygote import Order, cutter

from oblio.ports.store import uncut
from oblio.service.oblio import Oblio
from oblio.vault.files import read_whole, replace_file
from oblio.vault.keyring import Keyring
from oblio.wiring import Parts

Deed = Callable[[Oblio, Parts, Path], object]

RECORD = "test.record"
WORDS = ("apples", "bread", "plums", "cheese", "nuts", "carrots")


def past(folder: Path) -> Path:
    """Return a file of past conversations; written anew with the same bytes on each call."""
    path = folder / "later.jsonl"
    lines = [
        f'{{"id": "n{number}", "role": "user", "content": "I prefer {word} on long walks."}}\n'
        for number, word in enumerate(WORDS)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class FileKeySet:
    """A key set beside the store."""

    path: Path

    def write(self, body: bytes, /) -> None:
        """Replace it, as a destination elsewhere does."""
        replace_file(self.path, body, "key set", cut=uncut)

    def read(self) -> bytes:
        """Read it back."""
        return read_whole(self.path, "key set")


def rotate(_oblio: Oblio, parts: Parts, folder: Path) -> object:
    """Rotate the epoch key, with a key set."""
    keyring = Keyring(parts.place, parts.store, key_set=FileKeySet(folder / "key.set"))
    return keyring.rotate(now=datetime.now(UTC))


def bring(oblio: Oblio, _parts: Parts, folder: Path) -> object:
    """Import past conversations."""
    return oblio.import_(past(folder), subject=oblio.subject("anna"))


DEEDS: dict[str, Deed] = {
    "forget": lambda oblio, _parts, _folder: oblio.subject("anna").forget(the(oblio, "anna", FIRST)),
    "erase": lambda oblio, _parts, _folder: oblio.subject("anna").erase(),
    "correct": lambda oblio, _parts, _folder: oblio.subject("anna").correct(the(oblio, "anna", SECOND), CHANGED),
    "rotate": rotate,
    "import": bring,
}


def _deed(order: Order) -> None:
    folder = Path(order.path)
    with opened(folder, cutter(order)) as (oblio, parts):
        DEEDS[order.life](oblio, parts, folder)


def _create(order: Order) -> None:
    folder = Path(order.path)
    with opened(folder, cutter(order)) as (oblio, _parts):
        furnish(oblio, folder)


def _open(order: Order) -> None:
    with opened(Path(order.path), cutter(order)):
        pass


def _import(order: Order) -> None:
    """Import, with a step after each record, which the importer does not have."""
    folder, cut = Path(order.path), cutter(order)
    with opened(folder, cut) as (oblio, _parts):
        oblio.import_(past(folder), subject=oblio.subject("anna"), tell=lambda _report: cut(RECORD))


LIVES: dict[str, Callable[[Order], None]] = {
    **dict.fromkeys(DEEDS, _deed),
    "import": _import,
    "create": _create,
    "open": _open,
    "wander": wander,
}
