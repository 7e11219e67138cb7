"""What a reader finds in a file of past conversations.

These are values of a foreign source: ids are the source's own, authors are its names and roles, nothing is judged by
the filter yet. Everything that a person or a host application chose is kept out of `repr`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]


class Skip(StrEnum):
    """Why a reader left something out. Public tokens; new ones may be added."""

    UNREADABLE = "unreadable"
    """Not JSON, not UTF-8, or not the shape that the format asks for."""
    EMPTY = "empty"
    """A message without any text."""
    PART = "part"
    """A picture, sound, file or tool call beside the text of a message."""
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    DUPLICATE = "duplicate"
    """A second message with the same id in one conversation."""
    CYCLE = "cycle"
    """A link in a tree of messages that leads back to a message already read."""
    EVIDENCE = "evidence"
    """A statement or summary whose sources cannot all be named: it could not be found again when one of them goes."""
    UNKNOWN_FORMAT = "unknown_format"
    """A file in an archive that no reader knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    """One message as the source has it."""

    conversation: str = field(repr=False)
    """The source's id of the conversation."""
    message: str = field(repr=False)
    """The source's id of the message, unique within its conversation."""
    author: str = field(repr=False)
    """The source's name of the author, or the role where it names nobody."""
    role: Role
    text: str = field(repr=False)
    at: datetime | None = None
    """When it was said: aware, UTC. `None` when the source does not say."""
    parent: str | None = field(default=None, repr=False)
    """Id of the message before it. Two messages with one parent are branches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStatement:
    """A short fact that the source derived from messages, with every one of them named."""

    conversation: str = field(repr=False)
    author: str = field(repr=False)
    """Whom the fact is about, by the source's name."""
    text: str = field(repr=False)
    evidence: tuple[str, ...] = field(repr=False)
    """Ids of messages of the same conversation, never empty."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSummary:
    """A summary that the source derived from one session."""

    conversation: str = field(repr=False)
    session: int
    """Number of the session within the conversation, from 1."""
    text: str = field(repr=False)
    sources: tuple[str, ...] = field(repr=False)
    """Ids of all messages of the session, never empty."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that a reader left out, so that an import can say how much is missing."""

    reason: Skip
    record: int
    """Number of the line, conversation or file, from 1."""


Item = ReadMessage | ReadStatement | ReadSummary | Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One step through a source."""

    position: str
    """Opaque. Given as `after`, reading goes on with the record behind this one."""
    item: Item
    title: str | None = field(default=None, repr=False)
    """Title of the conversation that the item belongs to, where the source has one."""
