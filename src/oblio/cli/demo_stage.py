"""The stage of the demo: acts with their time, and claims that are checked before they are shown."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from oblio.errors.command import ClaimFailed


@dataclass(slots=True, kw_only=True)
class Stage:
    """Shows what happens; `console` is silent when a program reads the answer."""

    console: Console
    acts: list[dict[str, object]] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)

    @contextmanager
    def act(self, title: str, /) -> Iterator[None]:
        """Show one act and how long it took."""
        number, began = len(self.acts) + 1, time.monotonic()
        self.console.print()
        self.console.print(Rule(Text(f" {number}  {title} ", style="bold"), align="left", style="dim", characters="─"))
        yield
        seconds = round(time.monotonic() - began, 1)
        self.acts.append({"act": number, "title": title, "seconds": seconds})
        self.console.print(Text(f"{seconds} s", style="dim"), justify="right")

    def say(self, line: str, /) -> None:
        """Show a sentence."""
        self.console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))

    def quote(self, line: str, /, *, who: str) -> None:
        """Show something said or stored."""
        self._hang(Text(who, style="dim"), Text(line, style="italic"), indent=4)

    def show(self, what: RenderableType, /) -> None:
        """Show a table."""
        self.console.print(Padding(what, (0, 0, 0, 4), expand=False))

    def claim(self, holds: bool, says: str, /) -> None:  # noqa: FBT001 -- the claim itself
        """Show a claim that holds.

        Raises:
            ClaimFailed: it does not.
        """
        mark, style = ("✓", "green") if holds else ("✗", "bold red")
        self._hang(Text(mark, style=style), Text(says), indent=2)
        if not holds:
            raise ClaimFailed(number=len(self.claims) + 1)
        self.claims.append(says)

    def _hang(self, head: Text, line: Text, *, indent: int) -> None:
        """Print a line that stays right of its head when it is longer than the screen is wide."""
        table = Table.grid(padding=(0, indent // 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        table.add_row(head, line)
        self.console.print(Padding(table, (0, 0, 0, indent), expand=False))
