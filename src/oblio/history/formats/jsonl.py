"""JSONL: one message a line, or one conversation a line with its messages in a list.

A line with a list under `messages` is a conversation (the shape of chat-completion logs too); any other needs `role`
and `content`. A line that cannot be read is counted and the rest goes on: logs are often cut at the end.
"""

from collections.abc import Iterator
from typing import IO, Any

from oblio.history.formats.document import parse, too_deep
from oblio.history.formats.limits import Limits
from oblio.history.formats.message import ROLES, Found, content_text, message_or_skip, short_text, time_of
from oblio.model.conversation import ReadMessage, Skip, Skipped


def read(stream: IO[bytes], /, *, name: str, limits: Limits, start: int = 1) -> Iterator[Found]:
    """Read the lines from number `start` on.

    Args:
        stream: UTF-8, with or without BOM, lines ended by LF or CRLF.
        name: stands for the conversation where a line names none.
        limits: of lines and messages.
        start: number of the first line to look at; earlier ones are passed over unparsed.
    """
    number = 0
    while line := stream.readline(limits.record_bytes + 1):
        number += 1
        if len(line) > limits.record_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.readline(limits.record_bytes)
            line = b""
        if number >= start:
            yield from _line(line, number=number, name=name, limits=limits)


def _line(line: bytes, *, number: int, name: str, limits: Limits) -> Iterator[Found]:
    if not line:
        yield Found(number, Skipped(reason=Skip.TOO_LARGE, record=number))
        return
    if not line.strip():
        return
    value = Skip.TOO_DEEP if too_deep(line, limits.depth) else parse(line)
    if isinstance(value, Skip):
        yield Found(number, Skipped(reason=value, record=number))
    elif isinstance(value.get("messages"), list):
        yield from _conversation(value, number=number, name=name, limits=limits)
    else:
        yield from _message(
            value,
            here=ReadMessage(
                conversation=short_text(value.get("conversation")) or name,
                message=short_text(value.get("id")) or str(number),
                author="",
                role="user",
                text="",
                parent=short_text(value.get("parent")),
            ),
            record=number,
            limits=limits,
        )


def _conversation(fields: dict[str, Any], *, number: int, name: str, limits: Limits) -> Iterator[Found]:
    given = fields.get("id") or fields.get("conversation_id") or fields.get("conversation")
    conversation = short_text(given) or f"{name}:{number}"
    title = short_text(fields.get("title"))
    before: str | None = None
    seen: set[str] = set()
    for index, message in enumerate(fields["messages"], start=1):
        if not isinstance(message, dict):
            yield Found(number, Skipped(reason=Skip.UNREADABLE, record=number), title)
            continue
        own = short_text(message.get("id")) or str(index)
        if own in seen:
            yield Found(number, Skipped(reason=Skip.DUPLICATE, record=number), title)
            continue
        seen.add(own)
        here = ReadMessage(
            conversation=conversation,
            message=own,
            author="",
            role="user",
            text="",
            parent=short_text(message.get("parent")) or before,
        )
        for found in _message(message, here=here, record=number, limits=limits):
            if isinstance(found.item, ReadMessage):
                before = own
            yield found._replace(title=title)


def _message(fields: dict[str, Any], *, here: ReadMessage, record: int, limits: Limits) -> Iterator[Found]:
    """Fill in `here`, which knows where the message stands, with what it says."""
    role = ROLES.get(str(fields.get("role")).lower())
    if role is None or "content" not in fields:
        yield Found(record, Skipped(reason=Skip.UNREADABLE, record=record))
        return
    text, skipped = content_text(fields["content"])
    message = ReadMessage(
        conversation=here.conversation,
        message=here.message,
        author=short_text(fields.get("name")) or role,
        role=role,
        text=text,
        at=time_of(fields),
        parent=here.parent,
    )
    yield Found(record, message_or_skip(message, record=record, limits=limits))
    for _ in range(skipped):
        yield Found(record, Skipped(reason=Skip.PART, record=record))
