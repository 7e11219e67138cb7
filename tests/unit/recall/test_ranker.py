"""Tests of `oblio.recall.ranker` and `oblio.recall.rank`."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest

from oblio.errors.recall import VectorMisshaped
from oblio.model.ids import UnitId
from oblio.recall.block import Row, decode, encode
from oblio.recall.embed import HashedNgramEmbedder
from oblio.recall.rank import LEAST, MOST, fuse, weight_of_words
from oblio.recall.ranker import Ranker

KEY = b"k" * 32
TEXTS = ("Prefers metric units", "Bor i Göteborg sedan 2019", "Учится играть на виолончели", "Has a dog called Rex")


def stored(ranker: Ranker, texts: Sequence[str] = TEXTS) -> list[Row]:
    return [
        Row(unit=UnitId(f"{number:032x}"), model=made.model, vector=made.vector, lexical=made.lexical)
        for number, made in enumerate(ranker.describe_all(texts, key=KEY))
    ]


@pytest.fixture
def ranker() -> Ranker:
    return Ranker(HashedNgramEmbedder())


@pytest.mark.parametrize(
    ("question", "first"),
    [("which units?", 0), ("I Göteborg, sedan när?", 1), ("на чём учится играть", 2), ("the dog's name", 3)],
)
def test_the_memory_that_answers_comes_first(ranker: Ranker, question: str, first: int) -> None:
    found = ranker.rank(question, stored(ranker), key=KEY, limit=2)
    assert found[0][0] == f"{first:032x}"
    assert 0 < found[0][1] <= 1
    assert len(found) == 2


def test_rows_and_those_that_were_in_a_block_rank_the_same(ranker: Ranker) -> None:
    rows = stored(ranker)
    block = decode(encode(rows, model=ranker.model, dimensions=ranker.dimensions)).rows()
    for question in ("units", "dog", "Göteborg", ""):
        assert ranker.rank(question, rows, key=KEY, limit=9) == ranker.rank(question, block, key=KEY, limit=9)


def test_a_row_of_another_model_competes_with_its_words_only(ranker: Ranker) -> None:
    rows = stored(ranker)
    rows[3] = Row(unit=rows[3].unit, model="other/1", vector=b"of any size", lexical=rows[3].lexical)
    found = dict(ranker.rank("dog called Rex", rows, key=KEY, limit=9))
    alone = dict(ranker.rank("dog called Rex", stored(ranker), key=KEY, limit=9))
    assert 0 < found[rows[3].unit] < alone[rows[3].unit]


def test_rows_of_another_model_are_ranked_by_words(ranker: Ranker) -> None:
    rows = [Row(unit=row.unit, model="other/1", vector=bytes(4), lexical=row.lexical) for row in stored(ranker)]
    assert ranker.rank("dog", rows, key=KEY, limit=1)[0][0] == rows[3].unit


def test_ties_come_in_the_order_of_ids_and_an_empty_store_answers_nothing(ranker: Ranker) -> None:
    rows = stored(ranker, ["same"] * 5)
    assert [item for item, _ in ranker.rank("same", rows[::-1], key=KEY, limit=3)] == [row.unit for row in rows[:3]]
    assert ranker.rank("same", [], key=KEY, limit=3) == []
    assert ranker.rank("same", rows, key=KEY, limit=0) == []


def test_words_under_another_key_do_not_match(ranker: Ranker) -> None:
    rows = [Row(unit=row.unit, model="other/1", vector=b"", lexical=row.lexical) for row in stored(ranker)]
    assert {score for _, score in ranker.rank("dog called Rex", rows, key=b"l" * 32, limit=9)} == {0}


class Short:
    """An embedder that breaks its promise."""

    model: Final = "short/1"
    dimensions: Final = 4

    def embed_texts(self, texts: Sequence[str], /) -> Sequence[bytes]:
        return [b"\0\0" for _ in texts]

    def embed_query(self, text: str, /) -> bytes:
        return b"\0\0"


def test_a_vector_of_another_size_than_stated_is_refused() -> None:
    ranker = Ranker(Short())
    with pytest.raises(VectorMisshaped):
        ranker.describe("text", key=KEY)
    with pytest.raises(VectorMisshaped):
        ranker.rank("q", [Row(unit=UnitId("0" * 32), model="short/1", vector=bytes(8))], key=KEY, limit=1)
    with pytest.raises(VectorMisshaped):
        ranker.rank("q", [Row(unit=UnitId("0" * 32), model="short/1", vector=bytes(2))], key=KEY, limit=1)


def test_no_content_shows_in_a_repr(ranker: Ranker) -> None:
    assert repr(ranker.describe("secret", key=KEY)) == "Description(model='hash-ngram/1')"


def test_fused_scores_stay_between_zero_and_one_and_grow_with_both_sides() -> None:
    sides = np.array([-1, 0, 0.5, 1], dtype=np.float32)
    shares = np.array([0, 0.5, 1], dtype=np.float32)
    table = np.array(
        [[float(fuse(sides[i : i + 1], shares[j : j + 1], weight=1)[0]) for j in range(3)] for i in range(4)]
    )
    assert table.min() == 0
    assert table.max() == pytest.approx(1)
    assert (np.diff(table, axis=1) > 0).all()
    assert (np.diff(table[1:], axis=0) > 0).all()


def test_words_weigh_more_the_more_of_the_store_is_in_the_language_of_the_question() -> None:
    weights = [weight_of_words(kin / 4) for kin in range(5)]
    assert weights == sorted(weights)
    assert weights[0] == LEAST
    assert weights[-1] == pytest.approx(MOST)
