"""The second byte search finds what it must and nothing else."""

import base64
import os
import random
from pathlib import Path

import numpy as np
import pytest

from oblio.testing.byte_probe import found_elsewhere, found_in, pieces, text_forms, vector_pieces

BLOCK = 1 << 22


def test_a_needle_is_found_wherever_it_stands(tmp_path: Path) -> None:
    draw = random.Random(7)
    needles = [draw.randbytes(12 + number % 40) for number in range(300)]
    places = [0, BLOCK - 1, BLOCK + 50, 2 * BLOCK - 60, 2 * BLOCK - 7, 2 * BLOCK + 50]
    body = bytearray(draw.randbytes(2 * BLOCK + 100))
    for needle, place in zip(needles, places, strict=False):
        body[place : place + len(needle)] = needle
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "data").write_bytes(body)
    (tmp_path / "last").write_bytes(b"x" + needles[6])
    assert found_in(tmp_path, needles) == set(range(7))


def test_another_process_finds_the_same(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"abc" + b"needle in a haystack" + bytes(9))
    assert found_elsewhere(tmp_path, [b"not in any file", b"needle in a haystack"]) == {1}


def test_nothing_is_found_in_an_empty_folder_or_a_cut_file(tmp_path: Path) -> None:
    needle = os.urandom(24)
    assert found_in(tmp_path, [needle]) == frozenset()
    (tmp_path / "data").write_bytes(needle[:-1])
    assert found_in(tmp_path, [needle]) == frozenset()
    (tmp_path / "data").write_bytes(b"short")
    assert found_in(tmp_path, [needle]) == frozenset()


def test_a_short_needle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="12"):
        found_in(tmp_path, [b"short"])


@pytest.mark.parametrize("before", [b"", b"x", b"xy", b"xyz"])
def test_base64_is_found_at_every_alignment(before: bytes, tmp_path: Path) -> None:
    text = "Anna väntar på våren i Oslo"
    (tmp_path / "data").write_bytes(base64.b64encode(before + text.encode() + b"tail"))
    assert found_in(tmp_path, text_forms(text))


def test_pieces_are_head_middle_and_tail() -> None:
    blob = bytes(range(100))
    assert pieces(blob, size=16) == (blob[:16], blob[42:58], blob[-16:])
    assert pieces(blob[:16], size=16) == (blob[:16],)


def test_pieces_of_a_vector_leave_zeros_out() -> None:
    numbers = np.zeros(64, dtype="<f2")
    numbers[16:32] = np.linspace(-1, 1, 16)
    half, single = vector_pieces(numbers.tobytes())
    assert half == numbers[16:32].tobytes()
    assert single == numbers[16:32].astype("<f4").tobytes()
