"""Opens a source of past conversations, finds out its format and gives out its records one by one.

A position names file, record and item within the record by number. Reading again with `after` passes over what came
before, so an import that was stopped goes on with the record behind the last one it wrote. The source must be the same:
a position says nothing about content.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from enum import StrEnum
from io import BufferedReader
from itertools import count
from pathlib import Path
from typing import IO, Final, NamedTuple

from oblio.errors.ingest import (
    ArchiveBroken,
    ArchiveRefused,
    FormatUnknown,
    PositionInvalid,
    SourceBroken,
    SourceMissing,
    SourceNotSeekable,
)
from oblio.history.formats import archive, chatgpt, jsonl, locomo
from oblio.history.formats.document import first_keys
from oblio.history.formats.limits import DEFAULT_LIMITS, Limits
from oblio.history.formats.message import Found
from oblio.history.formats.stream import Budget, metered
from oblio.model.conversation import Record, Skip, Skipped

_ZIP: Final = b"PK\x03\x04"
_POSITION: Final = re.compile(r"1:(\d{1,9}):(\d{1,12}):(\d{1,12})", re.ASCII)
_SESSION: Final = re.compile(r"session_\d+", re.ASCII)


class Format(StrEnum):
    """The formats that can be read."""

    JSONL = "jsonl"
    CHATGPT = "chatgpt"
    LOCOMO = "locomo"


class _Place(NamedTuple):
    """A position, comparable: numbers of file and record from 1, of the item within the record from 0."""

    member: int
    record: int
    item: int

    def written(self) -> str:
        return f"1:{self.member}:{self.record}:{self.item}"


_BEFORE_ALL: Final = _Place(0, 0, 0)


def open_source(
    source: str | Path | IO[bytes],
    /,
    *,
    format: Format | None = None,  # noqa: A002 -- the word a caller looks for
    after: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Record]:
    """Read messages, and statements and summaries derived from them, out of a file, a stream or a zip archive.

    Args:
        source: a path, or a stream of bytes at its beginning, which stays open. Zip archives need one that can seek.
        format: of the source, or of each file in the archive; found out from the first keys when not given.
        after: position of the last record that needs no reading again.
        limits: what is refused or left out.

    Yields:
        Records in the source's order. What cannot be used is a `Skipped`, so that the numbers add up.

    Raises:
        SourceMissing: the path cannot be opened.
        FormatUnknown: no reader recognises the source.
        PositionInvalid: `after` is not a position.
        SourceBroken: a JSON document breaks off. A broken line of JSONL is a `Skipped` instead.
        ArchiveBroken: a zip archive is damaged.
        ArchiveRefused: a zip archive looks hostile, see `oblio.history.formats.archive`.
        SourceTooLarge: more than `limits.total_bytes` were read.
        SourceNotSeekable: a zip archive came through a pipe.
    """
    behind = _place(after)
    with ExitStack() as stack:
        if isinstance(source, str | Path):
            stream, name = _open(Path(source), stack), Path(source).stem
        else:
            stream, name = source, "source"
        budget = Budget(limits.total_bytes)
        head = metered(stream, budget=budget)
        if head.peek()[: len(_ZIP)] == _ZIP:
            yield from _archived(stream, form=format, behind=behind, limits=limits)
        else:
            form = format or sniff(head)
            if form is None:
                raise FormatUnknown
            yield from _read(head, form=form, name=name, behind=_Within(1, behind), limits=limits)


def sniff(stream: BufferedReader, /) -> Format | None:
    """Say which format a stream has, from the keys of its first object; nothing is consumed."""
    head = stream.peek()
    keys = first_keys(head)
    if "mapping" in keys:
        return Format.CHATGPT
    nested = "conversation" in keys and not keys.isdisjoint({"sample_id", "qa", "observation", "session_summary"})
    if nested or "speaker_a" in keys or any(_SESSION.fullmatch(key) for key in keys):
        return Format.LOCOMO
    listed = head.lstrip()[:1] == b"["
    return Format.JSONL if not listed and not keys.isdisjoint({"role", "messages"}) else None


class _Within(NamedTuple):
    """Where to begin in one file."""

    member: int
    after: _Place


_READERS: Final[dict[Format, Callable[..., Iterator[Found]]]] = {
    Format.JSONL: jsonl.read,
    Format.CHATGPT: chatgpt.read,
    Format.LOCOMO: locomo.read,
}


def _place(position: str | None) -> _Place:
    if position is None:
        return _BEFORE_ALL
    found = _POSITION.fullmatch(position)
    if found is None:
        raise PositionInvalid
    return _Place(*(int(number) for number in found.groups()))


def _open(path: Path, stack: ExitStack) -> IO[bytes]:
    try:
        return stack.enter_context(path.open("rb"))
    except (OSError, ValueError):  # ValueError: a zero byte in the path
        raise SourceMissing from None


def _read(stream: BufferedReader, *, form: Format, name: str, behind: _Within, limits: Limits) -> Iterator[Record]:
    """Read one file; number the items of each record."""
    member, after = behind
    start = after.record if member == after.member else 1
    last = start
    index = count()
    try:
        for found in _READERS[form](stream, name=name, limits=limits, start=start):
            if found.record != last:
                last, index = found.record, count()
            place = _Place(member, found.record, next(index))
            if place > after:
                yield Record(position=place.written(), item=found.item, title=found.title)
    except SourceBroken as error:
        raise SourceBroken(**error.facts | {"member": member}) from error


def _archived(stream: IO[bytes], *, form: Format | None, behind: _Place, limits: Limits) -> Iterator[Record]:
    if not stream.seekable():
        raise SourceNotSeekable
    stream.seek(0)
    budget = Budget(limits.total_bytes)
    with archive.opened(stream) as packed:
        entries = archive.members(packed, limits=limits)
        known = False
        for member, raw in archive.contents(packed, entries):
            try:
                content = metered(raw, budget=budget)
                if content.peek()[: len(_ZIP)] == _ZIP:
                    raise ArchiveRefused(member=member, why="an archive in an archive")
                own = form or sniff(content)
                known = known or own is not None
                if member < behind.member:
                    continue
                if own is not None:
                    name = archive.stem(entries[member - 1])
                    yield from _read(content, form=own, name=name, behind=_Within(member, behind), limits=limits)
                elif (place := _Place(member, 1, 0)) > behind:
                    item = Skipped(reason=Skip.UNKNOWN_FORMAT, record=member)
                    yield Record(position=place.written(), item=item)
            except (zipfile.BadZipFile, zlib.error, EOFError):
                raise ArchiveBroken(member=member) from None
        if not known:
            raise FormatUnknown
