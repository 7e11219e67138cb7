"""Tests of `oblio.recall.words`."""

import pytest

from oblio.recall.words import fold, language, stem, tokens


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
        ("bought", "buys"),
        ("böckerna", "bok"),
        ("дети", "ребенка"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is the red boat?", "en"),
        ("Var är den röda båten?", "sv"),
        ("Hon och jag har en katt", "sv"),
        ("Где красная лодка?", "ru"),
        ("Песня Yesterday нравится Вере", "ru"),
        ("Rex", ""),
        ("", ""),
        ("4711", ""),
    ],
)
def test_the_language_is_told_by_script_letters_and_small_words(text: str, expected: str) -> None:
    assert language(text) == expected
