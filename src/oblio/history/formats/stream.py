"""Byte streams with a budget: what is read, unpacked, never exceeds the limit of one import."""

import io
from typing import IO, Final

from oblio.errors.ingest import SourceTooLarge

HEAD_BYTES: Final = 1024**2
"""What a reader may look at before it decides on the format."""

_BOM: Final = b"\xef\xbb\xbf"


class Budget:
    """Bytes that may still be read, over all files of one source."""

    def __init__(self, limit: int, /) -> None:
        self.limit = limit
        self._left = limit

    def spend(self, count: int, /) -> None:
        """Take `count` bytes off.

        Raises:
            SourceTooLarge: more was read than the limit.
        """
        self._left -= count
        if self._left < 0:
            raise SourceTooLarge(limit=self.limit)


class _Metered(io.RawIOBase):
    """Reads from another stream in full pieces and counts. Closing it leaves the other open."""

    def __init__(self, source: IO[bytes], budget: Budget) -> None:
        super().__init__()
        self._source = source
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        # A memoryview is what BufferedReader passes.
        filled = 0
        while filled < len(buffer):
            piece = self._source.read(len(buffer) - filled)
            if not piece:
                break
            buffer[filled : filled + len(piece)] = piece
            filled += len(piece)
        self._budget.spend(filled)
        return filled


def metered(source: IO[bytes], /, *, budget: Budget) -> io.BufferedReader:
    """Wrap a stream so that reading it counts and its head can be looked at; a UTF-8 BOM is taken off.

    `peek()` shows the first `HEAD_BYTES`, fewer only where the stream is shorter.
    """
    raw: io.RawIOBase = _Metered(source, budget)
    stream: io.BufferedReader = io.BufferedReader(raw, HEAD_BYTES)
    if stream.peek()[: len(_BOM)] == _BOM:
        stream.read(len(_BOM))
    return stream
