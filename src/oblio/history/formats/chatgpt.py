"""The `conversations.json` of a ChatGPT export: a list of conversations, each a tree of messages.

All branches are read, parents before replies. Nodes without text (the empty root, hidden system nodes) drop out and
their replies hang on the nearest ancestor that has text. The tree is walked from the links of both sides; a link that
leads back is counted, so that a circle can neither loop nor hide a message.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from oblio.history.formats.document import parse, records
from oblio.history.formats.limits import Limits
from oblio.history.formats.message import (
    ID_CHARS,
    ROLES,
    Found,
    Text,
    clean,
    content_text,
    message_or_skip,
    moment,
    short_text,
)
from oblio.model.conversation import ReadMessage, Skip, Skipped


def read(stream: IO[bytes], /, *, name: str, limits: Limits, start: int = 1) -> Iterator[Found]:
    """Read the conversations from number `start` on, one in memory at a time.

    Args:
        stream: UTF-8 without BOM: a list of conversations, or one alone.
        name: stands for the conversation where the source gives it no id.
        limits: of conversations and messages.
        start: number of the first conversation to parse.

    Raises:
        SourceBroken: the document is cut short.
    """
    for number, data in enumerate(records(stream, limits=limits), start=1):
        if number < start:
            continue
        value = data if isinstance(data, Skip) else parse(data)
        if isinstance(value, dict) and isinstance(value.get("mapping"), dict):
            yield from _conversation(value, number=number, name=name, limits=limits)
        else:
            yield Found(number, Skipped(reason=value if isinstance(value, Skip) else Skip.UNREADABLE, record=number))


def _conversation(fields: dict[str, Any], *, number: int, name: str, limits: Limits) -> Iterator[Found]:
    conversation = short_text(fields.get("conversation_id") or fields.get("id")) or f"{name}:{number}"
    title = short_text(fields.get("title"))
    nodes = {key: node for key, node in fields["mapping"].items() if isinstance(node, dict)}
    for _ in range(len(fields["mapping"]) - len(nodes)):
        yield Found(number, Skipped(reason=Skip.UNREADABLE, record=number), title)
    replies = _replies(nodes)
    kept: dict[str, str | None] = {}
    seen: set[str] = set()
    for key, above in _walk(replies):
        if key in kept:
            yield Found(number, Skipped(reason=Skip.CYCLE, record=number), title)
            continue
        kept[key] = parent = None if above is None else kept[above]
        for found in _message(nodes[key], key=key, record=number, limits=limits):
            item = found.item
            if isinstance(item, ReadMessage):
                if item.message in seen:
                    item = Skipped(reason=Skip.DUPLICATE, record=number)
                else:
                    seen.add(item.message)
                    kept[key] = item.message
                    item = replace(item, conversation=conversation, parent=parent)
            yield Found(number, item, title)


def _replies(nodes: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """Return the replies of each node in the source's order, from its list of children and then from parent links."""
    replies: dict[str, list[str]] = {}
    for key, node in nodes.items():
        children = node.get("children")
        listed = children if isinstance(children, list) else []
        replies[key] = [child for child in listed if isinstance(child, str) and child in nodes]
    linked = {child for children in replies.values() for child in children}
    for key, node in nodes.items():
        parent = node.get("parent")
        if key not in linked and isinstance(parent, str) and parent in replies:
            replies[parent].append(key)
    return replies


def _walk(replies: dict[str, list[str]]) -> Iterator[tuple[str, str | None]]:
    """Go through the tree depth first; give each node with the one above it, and links that lead back as well."""
    linked = {child for children in replies.values() for child in children}
    reached: set[str] = set()
    roots = [key for key in replies if key not in linked]
    for root in [*roots, *replies]:  # after the roots: circles, which hang on none
        if root in reached:
            continue
        waiting: list[tuple[str, str | None]] = [(root, None)]
        while waiting:
            key, above = waiting.pop()
            yield key, above
            if key not in reached:
                reached.add(key)
                waiting.extend((child, key) for child in reversed(replies[key]))


def _message(node: dict[str, Any], *, key: str, record: int, limits: Limits) -> Iterator[Found]:
    message = node.get("message")
    if message is None:
        return
    author = message.get("author") if isinstance(message, dict) else None
    role = ROLES.get(str(author.get("role"))) if isinstance(author, dict) else None
    if role is None or not isinstance(author, dict):
        yield Found(record, Skipped(reason=Skip.UNREADABLE, record=record))
        return
    text, skipped = _text(message.get("content"))
    read_message = ReadMessage(
        conversation="",
        message=short_text(message.get("id")) or clean(key[:ID_CHARS]),
        author=short_text(author.get("name")) or role,
        role=role,
        text=text,
        at=moment(message.get("create_time")),
    )
    yield Found(record, message_or_skip(read_message, record=record, limits=limits))
    for _ in range(skipped):
        yield Found(record, Skipped(reason=Skip.PART, record=record))


def _text(content: object) -> Text:
    """Take the text of a content: `parts` of text and multimodal messages, `text` of code and tool output."""
    if not isinstance(content, dict):
        return Text("", 0)
    parts = content.get("parts")
    return content_text(parts if isinstance(parts, list) else content.get("text"))
