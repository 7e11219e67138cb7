"""A real store in a folder of the test, with a clock that only the test moves."""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from oblio.model.ids import ItemId
from oblio.model.memory import Kept
from oblio.model.subject import Ticket
from oblio.service.oblio import Oblio
from oblio.service.subject import SubjectHandle
from oblio.settings import Settings
from oblio.wiring import Opening, Parts, opened

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Clock:
    """The time, as the test has it."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        """Return it."""
        return self.now

    def move(self, **by: float) -> None:
        """Let time pass."""
        self.now += timedelta(**by)


@dataclass
class Agent:
    """One open store as a host application sees it, and what only a test may look at."""

    folder: Path
    clock: Clock = field(default_factory=Clock)
    settings: Settings = field(default_factory=lambda: Settings(embedder="ngram"))

    def __post_init__(self) -> None:
        """Open the store."""
        self.path = self.folder / "agent.db"
        self.reopen()

    def reopen(self) -> None:
        """Open the store as another process would find it."""
        self.parts: Parts = opened(Opening(path=self.path, settings=self.settings, clock=self.clock))
        self.oblio = Oblio(self.parts)

    def person(self, name: str = "anna", /, *purposes: str) -> SubjectHandle:
        """Return a person who allowed these purposes, `memory` when none is named."""
        handle = self.oblio.subject(name)
        for purpose in purposes or ("memory",):
            handle.consent.grant(purpose, notice="2026-11")
        return handle

    def rows(self) -> dict[str, int]:
        """Count the rows of every table, through a connection of our own."""
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in names}  # noqa: S608

    def raw(self) -> bytes:
        """Return the bytes of every file of the store and its keys."""
        return b"\0".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file())


def kept(done: object, /) -> ItemId:
    """Return the id of what was stored."""
    assert isinstance(done, Kept), done
    return done.id


def ticket_of(handle: SubjectHandle, /) -> Ticket:
    """Return the ticket of somebody who is there."""
    ticket = handle.ticket()
    assert ticket is not None
    return ticket


@contextmanager
def statements() -> Iterator[Sequence[str]]:
    """Collect the SQL that runs inside the block, transaction statements left out."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA", "VACUUM")):
            seen.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without anybody, closed. Copying it is quicker than making one."""
    folder = tmp_path_factory.mktemp("empty")
    Agent(folder).oblio.close()
    return folder


@pytest.fixture
def agent(tmp_path: Path, empty_store: Path) -> Iterator[Agent]:
    """A new store."""
    made = Agent(Path(shutil.copytree(empty_store, tmp_path / "store")))
    yield made
    made.oblio.close()
