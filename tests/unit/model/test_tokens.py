"""Tests of `oblio.model.tokens`."""

import pytest

from oblio.model.tokens import estimate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("   ", 0),
        ("cat", 1),
        ("cats", 2),
        ("12345", 3),
        ("кошка", 3),
        ("åäö", 2),
        ("a\n\nb", 4),
        ("!?!", 3),
        ("_", 1),
    ],
)
def test_estimate_counts_pieces_of_words_digits_and_marks(text: str, expected: int) -> None:
    assert estimate(text) == expected


def test_estimate_of_joined_lines_is_the_sum() -> None:
    assert estimate("one line\n") + estimate("две строки\n") == estimate("one line\nдве строки\n")
