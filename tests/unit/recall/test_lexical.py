"""Tests of `oblio.recall.lexical`."""

import pytest

from oblio.errors.recall import RowsMisshaped
from oblio.recall.lexical import HASH_BYTES, bm25, fold, gather, hashes, share, stem, tokens

KEY = b"k" * 32


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bilen", "bilar"),
        ("katten", "katterna"),
        ("skolan", "skolor"),
        ("allergic", "Allergic"),
        ("boats", "boat"),
        ("walking", "walked"),
        ("berries", "berry"),
        ("running", "run"),
        ("кошка", "кошками"),
        ("книга", "книгу"),
        ("Фёдор", "Федора"),
        ("café", "cafe"),
        ("за\u0301мок", "замок"),
    ],
)
def test_forms_of_one_word_share_a_token(one: str, other: str) -> None:
    assert set(tokens(one)) & set(tokens(other))


def test_letters_that_tell_words_apart_are_kept() -> None:
    assert fold("får") != fold("far")
    assert fold("йод") != fold("иод")


def test_numbers_are_not_cut() -> None:
    assert stem("4711a") == "4711a"


def test_a_compound_meets_its_first_part_in_another_form() -> None:
    assert set(tokens("tandläkartiden")) & set(tokens("tandläkaren"))


def test_stop_words_are_dropped_unless_nothing_else_is_there() -> None:
    assert tokens("the cat") == tokens("cat")
    assert tokens("to be or not") != []
    assert tokens("?!") == []


def test_hashes_depend_on_the_key_and_keep_repeats() -> None:
    assert hashes("cat cat", KEY) == 2 * hashes("cat", KEY)
    assert len(hashes("cat", KEY)) == HASH_BYTES
    assert hashes("cat", KEY) != hashes("cat", b"l" * 32)


def test_hashes_never_change_between_releases() -> None:
    assert hashes("Katten sover", bytes(range(32))).hex() == "09f46abfa9263fc4"


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
