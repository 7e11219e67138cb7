"""Tests of `oblio.recall.scan`."""

import numpy as np
import pytest

from oblio.recall import scan


def test_every_finite_float16_is_read_as_numpy_reads_it() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = bits[np.isfinite(bits)][:, None]
    expected = finite.astype(np.float32)[:, 0]
    assert np.array_equal(scan.inner(finite, np.ones(1, dtype=np.float32)), expected)


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 300])
def test_products_equal_those_of_float32(rows: int) -> None:
    random = np.random.default_rng(rows)
    matrix = random.normal(size=(rows, 384)).astype(np.float16)
    query = random.normal(scale=0.05, size=384).astype(np.float32)
    assert np.allclose(scan.inner(matrix, query), matrix.astype(np.float32) @ query, rtol=1e-5, atol=1e-5)


def test_packed_rows_have_length_one_and_zero_stays_zero() -> None:
    first, second = scan.pack(np.array([[3, 4], [0, 0]], dtype=np.float32))
    assert scan.unpack(first) == pytest.approx([0.6, 0.8], abs=1e-3)
    assert second == bytes(4)
