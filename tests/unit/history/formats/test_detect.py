"""Opening a source: which format it has, where reading goes on, what is refused."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from oblio.errors.base import Fault
from oblio.errors.ingest import (
    ArchiveBroken,
    ArchiveRefused,
    FormatUnknown,
    PositionInvalid,
    SourceBroken,
    SourceMissing,
    SourceNotSeekable,
    SourceTooLarge,
)
from oblio.history.formats.detect import Format, open_source
from oblio.history.formats.limits import Limits
from oblio.model.conversation import ReadMessage, Record, Skip, Skipped

LINE = b'{"role": "user", "content": "hello"}\n'
CHAT = json.dumps(
    [
        {
            "conversation_id": "c",
            "title": "t",
            "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["hello"]}}}},
        }
    ]
).encode()
LOCOMO = json.dumps({"qa": [{"question": "?"}], "conversation": {"session_1": []}, "sample_id": "s"}).encode()


def packed(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    buffer.seek(0)
    return buffer


def texts(records: list[Record]) -> list[str]:
    return [record.item.text for record in records if isinstance(record.item, ReadMessage)]


class Pipe(io.RawIOBase):
    """A stream that cannot seek and hands out three bytes at a time."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._inner = io.BytesIO(data)

    def read(self, size: int = -1, /) -> bytes:
        return self._inner.read(min(size, 3) if size > 0 else 3)


@pytest.mark.parametrize("data", [LINE, CHAT, b"\xef\xbb\xbf" + LINE, b"\xef\xbb\xbf" + CHAT, b" \r\n" + CHAT])
@pytest.mark.parametrize("pipe", [False, True])
def test_the_format_is_found_out_with_and_without_a_bom(data: bytes, *, pipe: bool) -> None:
    source: Any = Pipe(data) if pipe else io.BytesIO(data)
    assert texts(list(open_source(source))) == ["hello"]


def test_locomo_is_told_from_messages_that_name_a_conversation() -> None:
    line = b'{"conversation": "c", "role": "user", "content": "hello"}'
    assert texts(list(open_source(io.BytesIO(line)))) == ["hello"]
    assert list(open_source(io.BytesIO(LOCOMO))) == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"hello",
        b"\x1f\x8b\x08",
        b'[{"role": "user"}]',
        b'{"a": {"role": 1}}',
        LINE.decode().encode("utf-16"),
    ],
)
def test_an_unknown_format_is_an_error(data: bytes) -> None:
    with pytest.raises(FormatUnknown):
        list(open_source(io.BytesIO(data)))


def test_a_named_format_is_not_questioned() -> None:
    found = list(open_source(io.BytesIO(b"noise\n" + LINE), format=Format.JSONL))
    assert texts(found) == ["hello"]
    assert list(open_source(io.BytesIO(b""), format=Format.CHATGPT)) == []


def test_a_path_gives_its_stem_to_conversations_without_an_id(tmp_path: Path) -> None:
    path = tmp_path / "old-notes.jsonl"
    path.write_bytes(LINE)
    record = next(iter(open_source(path)))
    assert isinstance(record.item, ReadMessage)
    assert record.item.conversation == "old-notes"


@pytest.mark.parametrize("name", ["none.jsonl", ".", "zero\0byte"])
def test_a_path_that_cannot_be_opened_is_an_error_without_the_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceMissing) as caught:
        list(open_source(tmp_path / name))
    assert str(tmp_path) not in str(caught.value)


def test_a_stream_stays_open() -> None:
    stream = io.BytesIO(LINE)
    list(open_source(stream))
    assert not stream.closed


def test_a_broken_document_names_the_record_and_no_content() -> None:
    found = open_source(io.BytesIO(CHAT[:-1] + b', {"mapping": {"b": "private'))
    assert texts([next(found)]) == ["hello"]
    with pytest.raises(SourceBroken) as caught:
        list(found)
    assert caught.value.facts == {"member": 1, "record": 2}
    assert "private" not in str(caught.value)


def test_a_broken_document_in_an_archive_names_its_file() -> None:
    with pytest.raises(SourceBroken) as caught:
        list(open_source(packed({"a.jsonl": LINE, "b.json": CHAT[:-1]})))
    assert caught.value.facts == {"member": 2, "record": 2}


@pytest.mark.parametrize("position", ["", "1", "1:1:1", "2:1:1:1", "1:1:1:x", "1:1:1:1 ", "1:-1:1:1", "1:1:1:١"])
def test_a_made_up_position_is_an_error(position: str) -> None:
    with pytest.raises(PositionInvalid):
        list(open_source(io.BytesIO(LINE), after=position))


def test_the_total_is_bounded_in_plain_files_and_archives() -> None:
    limits = Limits(total_bytes=1_000)
    for source in (io.BytesIO(LINE * 100), packed({f"{n}.jsonl": LINE for n in range(100)})):
        with pytest.raises(SourceTooLarge):
            list(open_source(source, limits=limits))


def test_an_official_export_is_read_from_its_conversations_alone() -> None:
    files = {
        "user.json": b'{"email": "a@b.example"}',
        "chat.html": b"<html>",
        "conversations.json": CHAT,
        "upload/mine.zip": packed({"conversations.json": CHAT}).getvalue(),
    }
    assert texts(list(open_source(packed(files)))) == ["hello"]


def test_files_of_an_archive_are_read_by_name_and_unknown_ones_counted() -> None:
    files = {"b.jsonl": LINE, "a/x.json": CHAT, "c.json": b"{}", "readme.txt": b"x"}
    found = list(open_source(packed(files)))
    assert [type(record.item) for record in found] == [ReadMessage, ReadMessage, Skipped]
    assert found[2].item == Skipped(reason=Skip.UNKNOWN_FORMAT, record=3)
    assert list(open_source(packed(files), after=found[1].position)) == found[2:]
    assert list(open_source(packed(files), after=found[2].position)) == []


def test_an_archive_in_which_nothing_is_known_is_an_error() -> None:
    with pytest.raises(FormatUnknown):
        list(open_source(packed({"a.json": b"{}"})))


def linked() -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("a.jsonl")
        entry.create_system = 3
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    buffer.seek(0)
    return buffer


def locked() -> io.BytesIO:
    data = bytearray(packed({"a.jsonl": LINE}).getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return io.BytesIO(bytes(data))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (packed({"../a.jsonl": LINE}), "leaves"),
        (packed({"a/../../b.jsonl": LINE}), "leaves"),
        (packed({"/etc/a.jsonl": LINE}), "leaves"),
        (packed({"C:\\a.jsonl": LINE}), "leaves"),
        (packed({"..\\a.png": LINE, "b.jsonl": LINE}), "leaves"),
        (linked(), "link"),
        (locked(), "encrypted"),
        (packed({"a.jsonl": LINE}, method=zipfile.ZIP_LZMA), "uncommon"),
        (packed({"a.jsonl": b"\n" * 3_000_000}), "far more"),
        (packed({"a.zip": b"PK"}), "archive in an archive"),
        (packed({"a.json": packed({"b.jsonl": LINE}).getvalue()}), "archive in an archive"),
        (packed({"a.txt": b"x"}), "no file"),
    ],
)
def test_a_hostile_archive_is_refused(source: io.BytesIO, why: str) -> None:
    with pytest.raises(ArchiveRefused, match=why):
        list(open_source(source))


def test_an_archive_with_too_many_files_is_refused() -> None:
    source = packed({f"{n}.png": b"" for n in range(11)} | {"a.jsonl": LINE})
    with pytest.raises(ArchiveRefused, match="many"):
        list(open_source(source, limits=Limits(archive_files=11)))


def test_a_damaged_archive_is_an_error_with_the_number_of_the_file() -> None:
    good = packed({"a.jsonl": LINE, "b.jsonl": LINE * 50}, method=zipfile.ZIP_STORED).getvalue()
    with pytest.raises(ArchiveBroken) as caught:
        list(open_source(io.BytesIO(good[:-30])))
    assert caught.value.facts == {"member": 0}
    with pytest.raises(ArchiveBroken) as caught:
        list(open_source(io.BytesIO(good.replace(LINE * 50, LINE * 49 + LINE.upper()))))
    assert caught.value.facts == {"member": 2}


def test_an_archive_from_a_pipe_is_an_error() -> None:
    with pytest.raises(SourceNotSeekable):
        list(open_source(Pipe(packed({"a.jsonl": LINE}).getvalue())))  # type: ignore[arg-type]


def test_the_errors_say_what_to_do_next() -> None:
    error: Fault = ArchiveRefused(member=3, why="it is a link")
    assert str(error).startswith("ingest.archive_refused: The archive was refused at file 3: it is a link.")
