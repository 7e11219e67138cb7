"""Memory while reading does not grow with the source."""

import io
import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from oblio.history.formats.detect import open_source

pytestmark = pytest.mark.slow

PEAK_BYTES = 30_000_000
MESSAGES = 100_000


class Made(io.RawIOBase):
    """A file whose bytes are made while it is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        while len(self._rest) < size and (piece := next(self._pieces, b"")):
            self._rest += piece
        given, self._rest = self._rest[:size], self._rest[size:]
        return given


def jsonl() -> Iterator[bytes]:
    for number in range(MESSAGES):
        yield json.dumps({"conversation": str(number // 50), "role": "user", "content": f"{number} " * 40}).encode()
        yield b"\n"


def chatgpt() -> Iterator[bytes]:
    yield b"["
    for number in range(MESSAGES // 5 // 50):
        nodes = {
            str(n): {
                "parent": str(n - 1),
                "message": {"author": {"role": "user"}, "content": {"parts": [f"{number} " * 40]}},
            }
            for n in range(50)
        }
        yield (b"," if number else b"") + json.dumps({"mapping": nodes}).encode()
    yield b"]"


@pytest.mark.parametrize(("made", "messages"), [(jsonl, MESSAGES), (chatgpt, MESSAGES // 5)])
def test_memory_stays_below_thirty_megabytes(made: Callable[[], Iterator[bytes]], messages: int) -> None:
    tracemalloc.start()
    count = 0
    try:
        for _ in open_source(Made(made())):  # type: ignore[arg-type]
            count += 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == messages
    assert peak < PEAK_BYTES
