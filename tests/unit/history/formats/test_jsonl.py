"""JSONL of messages and conversations."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from oblio.history.formats.jsonl import read
from oblio.history.formats.limits import Limits
from oblio.history.formats.message import Found
from oblio.model.conversation import ReadMessage, Skip, Skipped


def lines(*values: Any, limits: Limits | None = None) -> list[Found]:
    data = b"\n".join(value if isinstance(value, bytes) else json.dumps(value).encode() for value in values)
    return list(read(io.BytesIO(data), name="notes", limits=limits or Limits()))


def reasons(found: list[Found]) -> list[Skip]:
    return [item.reason for _, item, _ in found if isinstance(item, Skipped)]


def messages(found: list[Found]) -> list[ReadMessage]:
    return [item for _, item, _ in found if isinstance(item, ReadMessage)]


def test_a_message_line_becomes_a_message() -> None:
    line = {"conversation": "c", "role": "user", "content": "Hej!", "name": "Anna", "timestamp": "2026-03-01T08:00:00Z"}
    assert lines(line)[0].item == ReadMessage(
        conversation="c",
        message="1",
        author="Anna",
        role="user",
        text="Hej!",
        at=datetime(2026, 3, 1, 8, tzinfo=UTC),
    )


def test_a_conversation_line_keeps_title_and_order() -> None:
    line = {
        "id": "c",
        "title": "Trip",
        "messages": [{"role": "user", "content": "a", "id": "m1"}, {"role": "assistant", "content": "b"}],
    }
    found = lines(line)
    assert [(item.message, item.parent, item.author) for item in messages(found)] == [
        ("m1", None, "user"),
        ("2", "m1", "assistant"),
    ]
    assert {title for _, _, title in found} == {"Trip"}


def test_a_completion_log_gets_one_conversation_a_line() -> None:
    line = {"messages": [{"role": "developer", "content": "be kind"}, {"role": "user", "content": "hi"}]}
    found = messages(lines(line, line))
    assert [(item.conversation, item.role) for item in found] == [
        ("notes:1", "system"),
        ("notes:1", "user"),
        ("notes:2", "system"),
        ("notes:2", "user"),
    ]


def test_text_parts_are_joined_and_other_parts_counted() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "x"}}, "two"]
    found = lines({"role": "user", "content": parts})
    assert messages(found)[0].text == "one\ntwo"
    assert reasons(found) == [Skip.PART]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"role": "user", "content": "cut of', Skip.UNREADABLE),
        (b'{"role": "user", "content": "\xff"}', Skip.UNREADABLE),
        (b"[1, 2]", Skip.UNREADABLE),
        (b"17", Skip.UNREADABLE),
        (b'{"role": "narrator", "content": "x"}', Skip.UNREADABLE),
        (b'{"role": "user"}', Skip.UNREADABLE),
        (b'{"messages": ["x"]}', Skip.UNREADABLE),
        (b'{"role": "assistant", "content": null, "tool_calls": [{}]}', Skip.EMPTY),
        (b'{"role": "user", "content": "  "}', Skip.EMPTY),
        (b'{"role": "user", "content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", Skip.TOO_DEEP),
        (b'{"a":' * 100_000, Skip.TOO_DEEP),
        (b'{"role": "user", "content": "' + b"\\" * 99_999 + b"[" * 99, Skip.UNREADABLE),
        (b'{"role": "user", "content": "' + b"x" * 1024**2 + b'!"}', Skip.TOO_LARGE),
        (b'{"role": "user", "content": "' + "é".encode() * 1024**2 + b'"}', Skip.TOO_LARGE),
    ],
)
def test_a_bad_line_is_counted_and_the_next_one_read(line: bytes, reason: Skip) -> None:
    found = lines(line, {"role": "user", "content": "next"})
    assert reasons(found) == [reason]
    assert [(item.text, item.message) for item in messages(found)] == [("next", "2")]


def test_brackets_within_a_text_are_not_depth() -> None:
    assert messages(lines({"role": "user", "content": "[{" * 5_000}))[0].text == "[{" * 5_000


def test_a_line_over_the_limit_is_passed_over_whole() -> None:
    limits = Limits(record_bytes=100)
    found = lines(b"x" * 1_000, {"role": "user", "content": "next"}, limits=limits)
    assert reasons(found) == [Skip.TOO_LARGE]
    assert messages(found)[0].message == "2"


def test_empty_lines_and_windows_line_ends_change_nothing() -> None:
    data = b'\r\n{"role": "user", "content": "a"}\r\n\r\n{"role": "user", "content": "b"}\r\n'
    found = list(read(io.BytesIO(data), name="n", limits=Limits()))
    assert [(item.text, item.message) for item in messages(found)] == [("a", "2"), ("b", "4")]


def test_half_a_surrogate_pair_becomes_a_replacement_mark() -> None:
    found = lines(b'{"role": "user", "content": "a\\ud83d b \\ud83d\\ude00", "name": "\\udc00x"}')
    assert messages(found)[0].text == "a\ufffd b \U0001f600"
    assert messages(found)[0].author == "\ufffdx"


def test_a_second_message_with_the_same_id_is_a_duplicate() -> None:
    twice = [{"role": "user", "content": "a", "id": "m"}, {"role": "user", "content": "b", "id": "m"}]
    found = lines({"id": "c", "messages": twice})
    assert [item.text for item in messages(found)] == ["a"]
    assert reasons(found) == [Skip.DUPLICATE]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_767_225_600, datetime(2026, 1, 1, tzinfo=UTC)),
        (1_767_225_600_000, datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01T01:00:00+01:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01 00:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("yesterday", None),
        (10**400, None),
        (True, None),
        (None, None),
        ({}, None),
    ],
)
def test_a_time_is_utc_or_nothing(value: object, expected: datetime | None) -> None:
    assert messages(lines({"role": "user", "content": "a", "timestamp": value}))[0].at == expected


def test_content_and_names_stay_out_of_repr() -> None:
    found = lines(
        {"conversation": "bo@x.example", "role": "user", "content": "secret-text", "name": "Bo Ek", "id": "Bo"}
    )
    assert "secret" not in repr(found)
    assert "Bo" not in repr(found)
    assert "bo@" not in repr(found)
