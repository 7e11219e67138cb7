"""Cuts a JSON document into its records without holding more than one of them.

A document is one object, or a list of objects. The cutter looks at strings and brackets only; each record is then
parsed by `json`. So one bad conversation costs that conversation and not the file, and the depth is known before a
recursive parser sees it. (`ijson` does not fit here: its C reader turns half of a surrogate pair, which exports do
contain, into `?` or stops there, and its Python reader is several times slower.)
"""

import json
import re
from collections.abc import Iterator
from typing import IO, Any, Final

from oblio.errors.ingest import SourceBroken
from oblio.history.formats.limits import Limits
from oblio.model.conversation import Skip

_CHUNK: Final = 256 * 1024
_TO_BRACKET: Final = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+(?:([\[{])|([\]}])|(")|)',
    re.DOTALL,
)
"""Over whole strings to the next bracket (1 opens, 2 closes), or to a string that is cut off (3). Fits anywhere."""
_STRING_REST: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+("|\\\Z)?', re.DOTALL)
"""To the end of a string, or to a backslash whose second half has not arrived. Fits anywhere."""
_TOKEN: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*:)?|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A string (group 2: it is a key), one that is cut off, or a bracket. A cut string is one token: linear in time."""


class _Cutter:
    """Reads bytes in pieces of any size and gives out whole records."""

    def __init__(self, *, listed: bool, limits: Limits) -> None:
        self._outside = 1 if listed else 0
        self._limits = limits
        self._number = 1
        self._depth = 0
        self._deepest = 0
        self._size = 0
        self._in_string = False
        self._in_escape = False
        self._record = bytearray()

    def feed(self, piece: bytes, /) -> Iterator[bytes | Skip]:
        """Take the next bytes; give out what they complete."""
        at = int(self._in_escape)
        start = 0
        self._in_escape = False
        while at < len(piece):
            if self._in_string:
                at = self._through_string(piece, at)
                continue
            mark = _TO_BRACKET.match(piece, at)
            if mark is None:
                break
            at = mark.end()
            if mark.group(1):
                self._depth += 1
                if self._depth == self._outside + 1:
                    start = at - 1
                self._deepest = max(self._deepest, self._depth - self._outside)
            elif mark.group(2):
                self._depth -= 1
                if self._depth < 0:
                    raise self._broken()
                if self._depth == self._outside:
                    self._keep(piece[start:at])
                    yield self._finished()
            self._in_string = mark.group(3) is not None
        if self._depth > self._outside:
            self._keep(piece[start:])

    def end(self) -> None:
        """Check that the document is complete.

        Raises:
            SourceBroken: it is not.
        """
        if self._depth or self._in_string:
            raise self._broken()

    def _broken(self) -> SourceBroken:
        return SourceBroken(member=1, record=self._number)

    def _through_string(self, piece: bytes, at: int) -> int:
        rest = _STRING_REST.match(piece, at)
        if rest is None:
            return len(piece)
        self._in_string = rest.group(1) != b'"'
        self._in_escape = rest.group(1) == b"\\"
        return rest.end()

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limits.record_bytes:
            self._record += piece
        else:
            self._record.clear()

    def _finished(self) -> bytes | Skip:
        size, deepest, record = self._size, self._deepest, bytes(self._record)
        self._size = self._deepest = 0
        self._record = bytearray()
        self._number += 1
        if size > self._limits.record_bytes:
            return Skip.TOO_LARGE
        return Skip.TOO_DEEP if deepest > self._limits.depth else record


def records(stream: IO[bytes], /, *, limits: Limits) -> Iterator[bytes | Skip]:
    """Give out the objects of a JSON document one by one, or why one was left out.

    Raises:
        SourceBroken: the document is cut short or its brackets do not match.
    """
    first = stream.read(1)
    while first.isspace():
        first = stream.read(1)
    cutter = _Cutter(listed=first == b"[", limits=limits)
    piece = first
    while piece:
        yield from cutter.feed(piece)
        piece = stream.read(_CHUNK)
    cutter.end()


def parse(data: bytes, /) -> dict[str, Any] | Skip:
    """Parse one record whose depth was checked.

    Returns:
        The object, or why it cannot be read.
    """
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except ValueError:
        return Skip.UNREADABLE
    return value if isinstance(value, dict) else Skip.UNREADABLE


def too_deep(data: bytes, limit: int, /) -> bool:
    """Say whether brackets outside of strings nest deeper than `limit`."""
    if data.count(b"{") + data.count(b"[") <= limit:
        return False
    depth = 0
    for token in _TOKEN.finditer(data):
        if token.group() in (b"{", b"["):
            depth += 1
            if depth > limit:
                return True
        elif token.group() in (b"}", b"]"):
            depth -= 1
    return False


def first_keys(head: bytes, /) -> frozenset[str]:
    """Return the keys of the first object of a document, as far as `head` reaches."""
    found: set[str] = set()
    depth = 0
    objects = 0
    for token in _TOKEN.finditer(head):
        text = token.group()
        if text in (b"{", b"["):
            depth += 1
            objects = depth if text == b"{" and not objects else objects
        elif text in (b"}", b"]"):
            depth -= 1
            if objects and depth < objects:
                break
        elif depth == objects and token.group(2):
            found.add(token.group(1).decode("utf-8", "replace"))
    return frozenset(found)
