"""What is printed, and where: answers to standard output, progress and questions to standard error.

Nothing printed is taken for markup, so a stored text cannot change how the screen looks. Progress is drawn only on a
terminal, and never in an answer.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from enum import Enum

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text


def answers() -> Console:
    """Return where answers go."""
    return Console(highlight=False, markup=False, emoji=False)


def remarks() -> Console:
    """Return where questions, remarks and progress go."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_json(facts: Mapping[str, object], /) -> None:
    """Print an answer as one JSON object: times in ISO 8601 with their offset, text as it is."""
    print(json.dumps(facts, ensure_ascii=False, indent=2, default=_plain))


def moment(at: datetime | date | None, /, *, none: str = "not known yet") -> str:
    """Return a time as people read it: UTC, to the second; a day as a day."""
    if at is None:
        return none
    if isinstance(at, datetime):
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return at.isoformat()


def pairs(rows: Mapping[str, object], /, *, indent: int = 0) -> RenderableType:
    """Return lines of a name and a value, the names dimmed and the values below each other."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, value if isinstance(value, Text) else str(value))
    return Padding(table, (0, 0, 0, indent), expand=False)


def columns(heads: Sequence[str], rows: Sequence[Sequence[object]], /) -> RenderableType:
    """Return a table without lines around it."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold", no_wrap=head in {"id", "request"})
    for row in rows:
        table.add_row(*map(str, row))
    return table


@contextmanager
def busy(says: str, /) -> Iterator[None]:
    """Show on a terminal that work goes on."""
    screen = remarks()
    if not screen.is_terminal:
        yield
        return
    with screen.status(says, spinner="dots"):
        yield


@contextmanager
def counting(says: str, /) -> Iterator["Counting"]:
    """Show on a terminal how far work of unknown length has come."""
    screen = remarks()
    if not screen.is_terminal:
        yield Counting(None)
        return
    layout = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*layout, console=screen, transient=True) as progress:
        progress.add_task(says)
        yield Counting(progress)


class Counting:
    """One line of progress; silent when there is no terminal."""

    def __init__(self, progress: Progress | None, /) -> None:
        self._progress = progress

    def tell(self, line: str, /) -> None:
        """Replace the line."""
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], description=line)


def from_input() -> str:
    """Return the text on standard input, without the newline at its end."""
    return sys.stdin.read().removesuffix("\n")


def _plain(value: object) -> object:
    """Return what JSON has no form for as something it has."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    raise TypeError(type(value).__name__)
