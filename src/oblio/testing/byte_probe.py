"""A second opinion on bytes: what is in the files, looked for by other means than the store's own check.

The store's check and its tests must not share a mistake. So this shares no code and no library with it: needles come
from raw SQL and raw files, and the search compares 8-byte beginnings by arithmetic, then whole needles. It runs in a
process of its own, as `python -m oblio.testing.byte_probe FOLDER`, with needles as lines of hexadecimal digits on its
input, and answers with the numbers of those it found.
"""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

SHORTEST: Final = 12
"""Shorter needles would be found by chance."""

_START: Final = 8
_BLOCK: Final = 1 << 22


def text_forms(text: str, /) -> tuple[bytes, ...]:
    """Return a text in UTF-8, UTF-16, JSON-escaped and base64 at its three alignments."""
    plain = text.encode()
    wide = [text.encode("utf-16-le"), text.encode("utf-16-be"), json.dumps(text)[1:-1].encode()]
    # Groups of three bytes that no neighbour shares are the same wherever the text stands.
    packed = [base64.b64encode(plain[skip : len(plain) - (len(plain) - skip) % 3]) for skip in range(3)]
    return tuple(dict.fromkeys([plain, *wide, *packed]))


def vector_pieces(vector: bytes, /, *, numbers: int = 16, distinct: int = 12) -> tuple[bytes, ...]:
    """Return pieces of a float16 vector, as it is and as float32; pieces that are mostly zeros say nothing."""
    half = np.frombuffer(vector, dtype="<f2")
    found: list[bytes] = []
    for start in range(0, len(half) - numbers + 1, numbers):
        piece = half[start : start + numbers]
        if len(set(piece.tobytes())) >= distinct:
            found += [piece.tobytes(), piece.astype("<f4").tobytes()]
    return tuple(found)


def pieces(blob: bytes, /, *, size: int = 24) -> tuple[bytes, ...]:
    """Return head, middle and tail of stored bytes: a page may have been overwritten in part."""
    middle = max(0, len(blob) // 2 - size // 2)
    return tuple(dict.fromkeys([blob[:size], blob[middle : middle + size], blob[-size:]]))


def found_in(folder: Path, needles: Sequence[bytes], /) -> frozenset[int]:
    """Return the numbers of the needles that are in any file below a folder.

    Raises:
        ValueError: a needle is too short to mean anything.
    """
    if any(len(needle) < SHORTEST for needle in needles):
        message = f"a needle has at least {SHORTEST} bytes"
        raise ValueError(message)
    wanted = _Wanted(needles)
    hits: set[int] = set()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            hits |= wanted.inside(path.read_bytes())
    return frozenset(hits)


def found_elsewhere(folder: Path, needles: Sequence[bytes], /) -> frozenset[int]:
    """Like `found_in`, in another process, which has never read a byte of the store before.

    Raises:
        subprocess.CalledProcessError: the process failed.
    """
    done = subprocess.run(  # noqa: S603 -- ourselves
        [sys.executable, "-m", "oblio.testing.byte_probe", str(folder)],
        input="\n".join(needle.hex() for needle in needles),
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
    )
    return frozenset(map(int, done.stdout.split()))


class _Wanted:
    """Needles sorted by their first eight bytes."""

    def __init__(self, needles: Sequence[bytes], /) -> None:
        self._by_start: dict[int, list[tuple[int, bytes]]] = {}
        for number, needle in enumerate(needles):
            self._by_start.setdefault(int.from_bytes(needle[:_START], "little"), []).append((number, needle))
        self._starts = np.array(sorted(self._by_start), dtype=np.uint64)
        self._pairs = np.zeros(1 << 16, dtype=bool)
        self._pairs[self._starts & np.uint64(0xFFFF)] = True

    def inside(self, body: bytes, /) -> set[int]:
        """Return the numbers of the needles in `body`."""
        hits: set[int] = set()
        for at in self._candidates(body):
            start = int.from_bytes(body[at : at + _START], "little")
            hits.update(number for number, needle in self._by_start[start] if body.startswith(needle, at))
        return hits

    def _candidates(self, body: bytes, /) -> Iterator[int]:
        for block in range(0, len(body), _BLOCK):
            window = np.frombuffer(body[block : block + _BLOCK + _START - 1], dtype=np.uint8)
            if len(window) < _START or not len(self._starts):
                continue
            yield from (int(at) + block for at in self._matching(window))

    def _matching(self, window: npt.NDArray[np.uint8], /) -> npt.NDArray[np.int64]:
        count = len(window) - _START + 1
        pairs = window[:-1].astype(np.uint16) | (window[1:].astype(np.uint16) << np.uint16(8))
        places = np.flatnonzero(self._pairs[pairs[:count]])
        values = np.zeros(len(places), dtype=np.uint64)
        for offset in range(_START):
            values |= window[places + offset].astype(np.uint64) << np.uint64(8 * offset)
        index = np.minimum(np.searchsorted(self._starts, values), len(self._starts) - 1)
        found: npt.NDArray[np.int64] = places[self._starts[index] == values].astype(np.int64)
        return found


def main() -> None:
    """Search the folder named on the command line for the needles on the input."""
    needles = [bytes.fromhex(line) for line in sys.stdin.read().split()]
    sys.stdout.write("\n".join(map(str, sorted(found_in(Path(sys.argv[1]), needles)))))


if __name__ == "__main__":
    main()
