"""Commands about a store as a whole: init, doctor, scan, restore."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import RenderableType
from rich.text import Text

import oblio
from oblio.cli import faults
from oblio.cli.desk import Content, Desk, command, content
from oblio.cli.screen import busy, columns, pairs
from oblio.errors.command import TextTooShort
from oblio.errors.settings import NoStore
from oblio.model.health import Health

if TYPE_CHECKING:
    from oblio.erasure.restore import Replayed

OTHERS: Final = 0o077
OLD: Final = timedelta(hours=48)
"""Age of an epoch key that is worth a remark: it is replaced at open or close once it is 24 hours old."""

Trial = Annotated[
    bool,
    typer.Option(
        "--trial", help="Make a trial store: its filter counts and refuses nothing. Fixed for ever, shown in receipts."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the doctor."""

    name: str
    level: str
    """`fine`, `note`, `warning` or `problem`."""
    says: str


def add_to(app: typer.Typer, /) -> None:
    """Register the commands."""
    command(app, "init")(init)
    command(app, "doctor")(doctor)
    command(app, "scan")(scan)
    command(app, "restore")(restore)


def init(desk: Desk, trial: Trial = False) -> None:  # noqa: FBT002 -- an option of the command line
    """Make a store and its keys, and say where they are.

    Changes nothing when there is one.
    """
    new = not desk.db.exists()
    with oblio.Oblio.open(desk.db, filter_mode="observe" if trial else None) as store:
        health, key = store.health(), store.public_key
    facts: dict[str, object] = {"store": str(desk.db), "keys": health.key_place, "public key": key}
    lines: list[RenderableType] = [Text("A new store." if new else "There is a store already; it was left as it is.")]
    lines.append(pairs(facts))
    if health.keys_beside_data:
        lines.append(Text(f"Warning: {_BESIDE}"))
    if health.trial:
        lines.append(Text("Warning: this is a trial store; its filter refuses nothing."))
    shown = {"created": new, "store": str(desk.db), "keys": health.key_place, "public_key": key}
    desk.answer(shown | {"keys_beside_data": health.keys_beside_data, "trial": health.trial}, lines)


def doctor(desk: Desk) -> None:
    """Look a store over.

    Who may read its files, where its keys are, what it runs on, what waits for a person. Exit code 1 when there is a
    problem; warnings do not count.
    """
    with desk.open() as store:
        health = store.health()
    found = list(examined(health))
    rows = [(each.level, each.name, each.says) for each in found]
    facts = {"findings": [asdict(each) for each in found], "health": asdict(health)}
    desk.answer(facts, [columns(("", "what", "finding"), rows)])
    if any(each.level == "problem" for each in found):
        raise typer.Exit(faults.FAULT)


def scan(desk: Desk, text: Content) -> None:
    """Look for a text in the bytes of every file.

    In all live files of the store, in the forms in which stores leave text behind. A sound store has none, of living
    people neither: content is sealed. Exit code 1 when something is found.
    """
    given = content(text)
    with desk.open() as store, busy("reading every file"):
        found = store.scan(given)
    if not found:
        raise TextTooShort
    total = sum(found.values())
    says = "It was found." if total else "It was not found in any live file."
    rows = [(name, count) for name, count in found.items()]
    desk.answer({"found": total, "forms": found}, [Text(says), columns(("form", "found"), rows)])
    if total:
        raise typer.Exit(faults.FAULT)


def restore(desk: Desk) -> None:
    """Replay erasures on an old copy put back.

    A copy that does not know the newest erasures stays closed until this was run. Put the copy in its place first,
    without `-wal` and `-shm` files of another one. What was erased since the copy was made is removed again; people
    whose key was replaced since, because they forgot something, cannot be read from the copy and are removed too.
    """
    if not desk.db.exists():
        raise NoStore
    with busy("replaying erasures"):
        done = oblio.Oblio.restore(desk.db)
    if done is None:
        line = "The database is not older than its key place; there was nothing to replay and nothing was touched."
        desk.answer({"replayed": False}, [Text(line)])
        return
    desk.answer({"replayed": True, **asdict(done)}, _replayed(done))


def examined(health: Health, /) -> Iterator[Finding]:
    """Yield what is worth knowing about a store, the worst first in each matter."""
    yield _mode("database file", health.database_mode)
    yield _mode("key place", health.keys_mode)
    yield _finding("keys", _BESIDE if health.keys_beside_data else "apart from the data", warn=health.keys_beside_data)
    yield Finding(
        name="SQLite",
        level="fine" if health.secure_delete_default else "note",
        says=f"{health.sqlite_version}; overwrites deleted bytes "
        + ("by default" if health.secure_delete_default else "because Oblio tells it to, not by default"),
    )
    parts = "parts of words only; the extra `embed` brings one that knows meaning across languages"
    yield Finding(
        name="embedder",
        level="fine" if health.meaning else "note",
        says=f"{health.embedder}: " + ("knows meaning across languages" if health.meaning else parts),
    )
    waiting = f"{health.unfinished} unfinished, {health.blocked} of them wait for a person: `oblio erasure list`"
    yield _finding("erasures", waiting if health.unfinished else "none unfinished", warn=health.unfinished > 0)
    age = datetime.now(UTC) - health.epoch_since
    hours = f"number {health.epoch}, {int(age.total_seconds() // 3600)} hours old"
    yield _finding("epoch key", hours, warn=age > OLD)
    yield _finding("filter", _TRIAL if health.trial else "enforced", warn=health.trial)
    yield Finding(
        name="audit log", level="fine", says=f"{health.entries} entries; check them with `oblio audit verify`"
    )


_BESIDE: Final = (
    "the keys lie beside the data, so one raw copy of the folder holds both. Back up the database alone, "
    "or set OBLIO_KEYS to a place elsewhere before making the store."
)
_TRIAL: Final = "trial store: verdicts are counted and nothing is refused"


def _mode(name: str, mode: int) -> Finding:
    shut = not mode & OTHERS
    says = f"{mode:04o}" + ("" if shut else ": others can read or change it; set it for yourself only with `chmod`")
    return Finding(name=name, level="fine" if shut else "problem", says=says)


def _finding(name: str, says: str, *, warn: bool) -> Finding:
    return Finding(name=name, level="warning" if warn else "fine", says=says)


def _replayed(done: "Replayed") -> Iterator[RenderableType]:
    yield Text("The erasures were replayed. The store opens now, and its log goes on under a new name.")
    yield pairs(
        {
            "people erased again": done.erased_subjects,
            "people the copy cannot show": f"{done.unreadable_subjects}: their key was replaced since",
            "items removed": done.erased_items,
        }
    )
