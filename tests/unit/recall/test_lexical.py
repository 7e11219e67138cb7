"""Tests of `oblio.recall.lexical`."""

import pytest

from oblio.errors.recall import RowsMisshaped
from oblio.recall.lexical import HASH_BYTES, bm25, gather, hashes, kin, share

KEY = b"k" * 32


def test_hashes_depend_on_the_key_and_keep_repeats() -> None:
    assert hashes("cat cat", KEY) == hashes("cat", KEY) + hashes("cat", KEY)[HASH_BYTES:]
    assert len(hashes("cat", KEY)) == 2 * HASH_BYTES
    assert hashes("cat", KEY) != hashes("cat", b"l" * 32)


def test_hashes_never_change_between_releases() -> None:
    assert hashes("Katten sover", bytes(range(32))).hex() == "0000000009f46abfa9263fc4"


def test_a_lone_surrogate_is_hashed_without_an_error() -> None:
    assert len(hashes("a\ud800b", KEY)) % HASH_BYTES == 0


def documents(*texts: str) -> list[bytes]:
    return [hashes(text, KEY) for text in texts]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    docs = documents("red boat", "red house", "red car", "blue boat")
    scores = bm25(docs, hashes("red boat", KEY))
    assert scores[0] > scores[3] > scores[1]


def test_more_occurrences_and_fewer_other_words_score_higher() -> None:
    docs = documents("boat boat harbour", "boat harbour sea", "boat harbour sea wind rain island", "house")
    first, second, third, none = bm25(docs, hashes("boat", KEY))
    assert first > second > third > none == 0


def test_nothing_in_common_is_zero_and_nothing_stored_is_empty() -> None:
    assert bm25(documents("red boat"), hashes("кошка", KEY)) == [0]
    assert bm25(documents("red boat", ""), b"") == [0, 0]
    assert bm25([], hashes("boat", KEY)) == []
    assert share(gather(documents("")), hashes("boat", KEY)).tolist() == [0]
    assert share(gather(documents("boat")), b"").tolist() == [0]


def test_hashes_that_were_cut_are_refused() -> None:
    with pytest.raises(RowsMisshaped):
        gather([b"1234", b"123"])


def test_a_share_is_small_when_most_of_the_question_is_unknown() -> None:
    docs = gather(documents("Anna owns a red boat", "Bo owns a house", "Vera bakes bread"))
    known, *_ = share(docs, hashes("Anna red boat", KEY))
    foreign, *_ = share(docs, hashes("vilken färg har båten som Anna äger", KEY))
    assert 0 < foreign < known / 2 <= 0.5


def test_the_language_of_a_question_is_compared_with_those_that_could_be_told() -> None:
    docs = gather(documents("She owns a boat", "Hon har en katt och en hund", "У Веры есть лодка", "Rex"))
    assert kin(docs, hashes("What does she own?", KEY)) == pytest.approx(1 / 3)
    assert kin(docs, hashes("Wo ist das Boot?", KEY)) == 1
    assert kin(docs, hashes("Rex", KEY)) == 1
    assert kin(gather(documents("Rex")), hashes("What does she own?", KEY)) == 1
    assert kin(gather([b"", *documents("Она дома")]), hashes("What does she own?", KEY)) == 0


def test_the_language_alone_is_no_match() -> None:
    assert bm25(documents("She owns a boat"), hashes("Where is the cat?", KEY)) == [0]
