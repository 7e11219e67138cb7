"""The plaintext of one sealed recall block: the vectors and word hashes of one person's memories.

Layout, little-endian, version 1:

    1  version           1  bytes of the model id m      2  dimensions d      4  rows n
    m  model id (ASCII), zeros up to a multiple of 8
    16 n    unit ids
    2 d n   vectors, float16, row by row
    4 n     number of word hashes of each row
    4 h     word hashes, h = the sum of those numbers

A block holds one model only. Its caller seals it, so nothing here authenticates: `decode` checks the shape, not the
source. `decode` copies nothing.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from oblio.errors.recall import BlockUnreadable, RowsMisshaped, VectorMisshaped
from oblio.model import ids
from oblio.model.ids import UnitId
from oblio.recall.lexical import HASH_BYTES, Corpus, gather

VERSION: Final = 1
SCORE_DIGITS: Final = 6
"""Decimals of a score. Equal rows may differ in the last bits of a float32; rounded they tie, and the id decides."""
_HEADER: Final = struct.Struct("<BBHI")
_HALF: Final = 2
_COUNT: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is kept of one memory for ranking."""

    unit: UnitId
    """The sealed version that was described; a changed memory is another unit."""
    model: str
    """Embedding model of `vector`."""
    vector: bytes = field(repr=False)
    lexical: bytes = field(repr=False, default=b"")
    """As returned by `lexical.hashes`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """A decoded block. The arrays are views of the buffer it was decoded from."""

    model: str
    units: memoryview = field(repr=False)
    """16 bytes a row."""
    matrix: npt.NDArray[np.float16] = field(repr=False)
    """Shape (rows, dimensions)."""
    lexical: Corpus = field(repr=False)
    """The word hashes of the rows."""

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def unit(self, row: int, /) -> UnitId:
        """Return the unit id of a row."""
        return UnitId(ids.text(bytes(self.units[row * ids.ID_BYTES : (row + 1) * ids.ID_BYTES])))

    def rows(self) -> list[Row]:
        """Return copies of all rows, in order; they outlive the buffer."""
        return [
            Row(unit=self.unit(number), model=self.model, vector=vector.tobytes(), lexical=self.lexical.doc(number))
            for number, vector in enumerate(self.matrix)
        ]


def encode(rows: Sequence[Row], /, *, model: str, dimensions: int) -> bytearray:
    """Return the block of `rows` in the given order.

    Raises:
        RowsMisshaped: some row is of another model, or its word hashes are cut.
        VectorMisshaped: a vector has another size than `dimensions` states, or is not finite.
    """
    alike = sum(row.model == model for row in rows)
    if alike != len(rows):
        raise RowsMisshaped(count=alike, expected=len(rows))
    words = gather([row.lexical for row in rows])
    vectors = _joined(rows, _HALF * dimensions)
    name = model.encode("ascii")
    result = bytearray(_HEADER.pack(VERSION, len(name), dimensions, len(rows)))
    result += name.ljust(_padded(len(name)), b"\0")
    result += b"".join([ids.raw(row.unit) for row in rows])
    result += vectors
    result += np.diff(words.ends, prepend=0).astype("<u4").tobytes()
    result += words.hashes.tobytes()
    return result


def decode(buffer: bytes | bytearray | memoryview, /) -> Block:
    """Read a block without copying it.

    Raises:
        BlockUnreadable: unknown version, cut short, too long, or a model id that is not ASCII.
    """
    view = memoryview(buffer)
    if len(view) < _HEADER.size:
        raise BlockUnreadable(size=len(view), problem="shorter than its header")
    version, name_size, dimensions, rows = _HEADER.unpack_from(view)
    if version != VERSION:
        raise BlockUnreadable(size=len(view), problem="unknown version")
    units_at = _HEADER.size + _padded(name_size)
    matrix_at = units_at + ids.ID_BYTES * rows
    counts_at = matrix_at + _HALF * dimensions * rows
    hashes_at = counts_at + _COUNT * rows
    if len(view) < hashes_at:
        raise BlockUnreadable(size=len(view), problem="cut short")
    ends = np.cumsum(np.frombuffer(view[counts_at:hashes_at], dtype="<u4"), dtype=np.int64)
    if len(view) != hashes_at + HASH_BYTES * (int(ends[-1]) if rows else 0):
        raise BlockUnreadable(size=len(view), problem="word hashes of another size than stated")
    name = bytes(view[_HEADER.size : _HEADER.size + name_size])
    if not name.isascii():
        raise BlockUnreadable(size=len(view), problem="model id is not ASCII")
    return Block(
        model=name.decode("ascii"),
        units=view[units_at:matrix_at],
        matrix=np.frombuffer(view[matrix_at:counts_at], dtype="<f2").reshape(rows, dimensions),
        lexical=Corpus(hashes=np.frombuffer(view[hashes_at:], dtype="<u4"), ends=ends),
    )


def best(scores: npt.NDArray[np.float32], k: int, /, *, unit: Callable[[int], UnitId]) -> list[tuple[UnitId, float]]:
    """Return the ids and scores of the `k` best rows, ties in the order of their ids.

    Args:
        scores: one a row, rounded so that equal rows tie.
        k: how many; 0 or less is none.
        unit: the id of a row.
    """
    if k <= 0 or not scores.size:
        return []
    rows = np.arange(scores.size)
    if k < scores.size:
        least = np.partition(scores, scores.size - k)[scores.size - k]
        rows = np.flatnonzero(scores >= least)  # every row that ties with the last one
    found = sorted((-score, unit(row)) for row, score in zip(rows.tolist(), scores[rows].tolist(), strict=True))
    return [(name, -score) for score, name in found[:k]]


def _padded(size: int) -> int:
    return -(-size // 8) * 8


def _joined(rows: Sequence[Row], size: int) -> bytes:
    for row in rows:
        if len(row.vector) != size:
            raise VectorMisshaped(size=len(row.vector), expected=size)
    joined = b"".join([row.vector for row in rows])
    if not np.isfinite(np.frombuffer(joined, dtype="<f2")).all():
        raise VectorMisshaped(size=size, expected=size)
    return joined
