"""The block codec and its search, for generated rows."""

from typing import Final

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oblio.errors.recall import BlockUnreadable
from oblio.model.ids import UnitId
from oblio.recall import scan
from oblio.recall.block import SCORE_DIGITS, Block, Row, best, decode, encode

MODEL: Final = "made/1"
DIMENSIONS: Final = 48


def search(block: Block, query: bytes, k: int) -> list[tuple[UnitId, float]]:
    """Return the `k` rows with the largest inner product, as a ranking without words finds them."""
    return best(np.round(scan.inner(block.matrix, scan.unpack(query)), SCORE_DIGITS), k, unit=block.unit)


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(0, 700))
    spread = draw(st.sampled_from([1e-3, 0.1, 1.0]))  # near rows make close scores
    centre = random.normal(size=DIMENSIONS)
    vectors = scan.pack((centre + spread * random.normal(size=(count, DIMENSIONS))).astype(np.float32))
    return [
        Row(unit=UnitId(random.bytes(16).hex()), model=MODEL, vector=vector, lexical=random.bytes(4 * (index % 5)))
        for index, vector in enumerate(vectors)
    ]


@given(made=rows())
@settings(max_examples=60, deadline=None)
def test_a_block_round_trips(made: list[Row]) -> None:
    assert decode(bytes(encode(made, model=MODEL, dimensions=DIMENSIONS))).rows() == made


@given(made=rows(), k=st.integers(1, 20), seed=st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_search_returns_the_exact_top_k(made: list[Row], k: int, seed: int) -> None:
    query = scan.pack(np.random.default_rng(seed).normal(size=(1, DIMENSIONS)).astype(np.float32))[0]
    found = search(decode(encode(made, model=MODEL, dimensions=DIMENSIONS)), query, k)
    truth = {row.unit: float(scan.unpack(row.vector).astype(np.float64) @ scan.unpack(query)) for row in made}
    assert len(found) == min(k, len(made))
    assert len({item for item, _ in found}) == len(found)
    best = sorted(truth.values(), reverse=True)[: len(found)]
    tolerance = 2 * 10**-SCORE_DIGITS
    for (item, score), exact in zip(found, best, strict=True):
        assert abs(score - truth[item]) <= tolerance
        assert abs(score - exact) <= tolerance


@given(noise=st.binary(max_size=400))
def test_noise_is_refused_or_a_block_of_exactly_that_size(noise: bytes) -> None:
    try:
        block = decode(noise)
    except BlockUnreadable:
        return
    assert noise[0] == 1
    assert len(noise) >= len(block) * 16 + block.matrix.nbytes
