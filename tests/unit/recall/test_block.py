"""Tests of `oblio.recall.block`."""

import struct

import numpy as np
import pytest

from oblio.errors.recall import BlockUnreadable, RowsMisshaped, VectorMisshaped
from oblio.model.ids import UnitId
from oblio.recall import scan
from oblio.recall.block import SCORE_DIGITS, Block, Row, best, decode, encode

MODEL = "test/1"


def search(block: Block, query: bytes, k: int) -> list[tuple[UnitId, float]]:
    """Return the `k` rows with the largest inner product, as a ranking without words finds them."""
    return best(np.round(scan.inner(block.matrix, scan.unpack(query)), SCORE_DIGITS), k, unit=block.unit)


def made(count: int, *, dimensions: int = 8, seed: int = 0) -> list[Row]:
    random = np.random.default_rng(seed)
    vectors = scan.pack(random.normal(size=(count, dimensions)).astype(np.float32))
    return [
        Row(unit=UnitId(f"{number:032x}"), model=MODEL, vector=vector, lexical=bytes(4 * (number % 3)))
        for number, vector in enumerate(vectors)
    ]


def test_what_is_encoded_is_decoded() -> None:
    rows = made(5)
    block = decode(encode(rows, model=MODEL, dimensions=8))
    assert block.model == MODEL
    assert len(block) == 5
    assert [block.unit(number) for number in range(5)] == [row.unit for row in rows]
    assert [vector.tobytes() for vector in block.matrix] == [row.vector for row in rows]
    assert [block.lexical.doc(number) for number in range(5)] == [row.lexical for row in rows]


def test_an_empty_block_answers_nothing() -> None:
    assert search(decode(encode([], model=MODEL, dimensions=8)), bytes(16), 3) == []


def test_a_block_cut_anywhere_or_lengthened_is_refused() -> None:
    whole = encode(made(4), model=MODEL, dimensions=8)
    for size in range(len(whole)):
        with pytest.raises(BlockUnreadable):
            decode(whole[:size])
    with pytest.raises(BlockUnreadable):
        decode(whole + b"\0")


def test_another_version_is_refused() -> None:
    whole = encode(made(1), model=MODEL, dimensions=8)
    whole[0] = 2
    with pytest.raises(BlockUnreadable, match="unknown version"):
        decode(whole)


def test_a_header_that_claims_many_rows_is_refused() -> None:
    whole = encode(made(1), model=MODEL, dimensions=8)
    struct.pack_into("<I", whole, 4, 0xFFFF_FFFF)
    with pytest.raises(BlockUnreadable, match="cut short"):
        decode(whole)


def test_a_model_id_that_is_not_ascii_is_refused() -> None:
    whole = encode(made(1), model=MODEL, dimensions=8)
    whole[8] = 0xE5
    with pytest.raises(BlockUnreadable, match="ASCII"):
        decode(whole)


def test_vectors_of_another_model_or_size_are_not_encoded() -> None:
    with pytest.raises(RowsMisshaped):
        encode(made(2), model="other/1", dimensions=8)
    with pytest.raises(VectorMisshaped):
        encode(made(2), model=MODEL, dimensions=9)


def test_hashes_of_a_broken_length_are_not_encoded() -> None:
    row = Row(unit=UnitId("0" * 32), model=MODEL, vector=made(1)[0].vector, lexical=b"abc")
    with pytest.raises(RowsMisshaped):
        encode([row], model=MODEL, dimensions=8)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_numbers_that_are_not_finite_are_not_encoded(value: str) -> None:
    vector = np.array([float(value), 0], dtype="<f2").tobytes()
    with pytest.raises(VectorMisshaped):
        encode([Row(unit=UnitId("0" * 32), model=MODEL, vector=vector)], model=MODEL, dimensions=2)


def test_equal_rows_come_in_the_order_of_their_ids_wherever_they_stand() -> None:
    vector = made(1, dimensions=384)[0].vector
    others = made(150, dimensions=384, seed=5)
    same = [Row(unit=UnitId(f"{0xF00 - number:032x}"), model=MODEL, vector=vector) for number in range(40)]
    mixed = [row for pair in zip(same, others[:40], strict=True) for row in pair] + others[40:]
    block = decode(encode(mixed, model=MODEL, dimensions=384))
    found = [item for item, _ in search(block, vector, 10)]
    assert found == sorted(row.unit for row in same)[:10]


def test_no_content_shows_in_a_repr() -> None:
    row = made(1)[0]
    block = decode(encode([row], model=MODEL, dimensions=8))
    assert "vector" not in repr(row)
    assert "matrix" not in repr(block)
