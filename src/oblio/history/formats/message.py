"""The parts that messages of all formats share: text out of content, roles, times, ids."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from oblio.history.formats.limits import Limits
from oblio.model.conversation import Item, ReadMessage, Role, Skip, Skipped

ID_CHARS: Final = 512
"""Longest id of a source; a longer one is not an id."""

ROLES: Final[Mapping[str, Role]] = MappingProxyType(
    {
        "user": "user",
        "human": "user",
        "assistant": "assistant",
        "ai": "assistant",
        "model": "assistant",
        "system": "system",
        "developer": "system",
        "tool": "tool",
        "function": "tool",
    }
)

_TIMES: Final = ("timestamp", "created_at", "create_time", "at", "date")
_MILLISECONDS_FROM: Final = 1e11
"""Larger numbers are milliseconds: as seconds they would lie after the year 5000."""


class Found(NamedTuple):
    """One item of a record, on its way out of a reader."""

    record: int
    item: Item
    title: str | None = None


class Text(NamedTuple):
    """The words of a message and how many other parts it had."""

    text: str
    skipped: int


def clean(text: str, /) -> str:
    """Replace halves of surrogate pairs, which no database or file can hold, by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def short_text(value: object, /) -> str | None:
    """Return an id, name or title as text, or `None` where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = clean(str(value)).strip()
    return text if text and len(text) <= ID_CHARS else None


def content_text(content: object, /) -> Text:
    """Take the text out of a content: a string, or a list of strings and parts.

    A part counts as text when it has a string under `text`; pictures, sounds, files and tool calls are counted.
    """
    if isinstance(content, str):
        return Text(clean(content), 0)
    if not isinstance(content, list):
        return Text("", 0)
    words: list[str] = []
    skipped = 0
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            words.append(text)
        else:
            skipped += 1
    return Text(clean("\n".join(word for word in words if word)), skipped)


def moment(value: object, /) -> datetime | None:
    """Read a time: seconds or milliseconds since 1970, or ISO 8601; without a zone it is UTC."""
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value.strip())
            return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        return datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def time_of(fields: Mapping[str, Any], /) -> datetime | None:
    """Return the first time that a message has under one of the usual names."""
    return next((moment(fields[name]) for name in _TIMES if fields.get(name) is not None), None)


def message_or_skip(message: ReadMessage, /, *, record: int, limits: Limits) -> ReadMessage | Skipped:
    """Let a message through unless it has no words or too many."""
    if not message.text.strip():
        return Skipped(reason=Skip.EMPTY, record=record)
    if len(message.text) > limits.message_bytes or len(message.text.encode()) > limits.message_bytes:
        return Skipped(reason=Skip.TOO_LARGE, record=record)
    return message
