"""Tests of the built-in deriver: it picks sentences and says nothing that no source says."""

from hypothesis import given
from hypothesis import strategies as st

from oblio.provenance.derivers import DIGEST_SENTENCES, digest


def test_a_digest_is_the_first_sentence_of_each_text() -> None:
    assert digest(["Likes tea. And rain.", "  Likes snow!\nA lot", "Likes tea. Again"]) == "Likes tea. Likes snow!"
    assert digest(["Likes tea"]) == "Likes tea."
    assert digest([]) == ""
    assert digest(["", " \n "]) == ""


def test_a_long_list_is_thinned_evenly_from_its_beginning() -> None:
    found = digest([f"Number {n}" for n in range(5 * DIGEST_SENTENCES)]).split(". ")
    assert len(found) == DIGEST_SENTENCES
    assert found[:2] == ["Number 0", "Number 5"]


@given(st.lists(st.text(max_size=30), max_size=40))
def test_every_word_of_a_digest_is_in_a_source_and_it_repeats(texts: list[str]) -> None:
    words = {word.rstrip(".") for text in texts for word in text.split()}
    assert {word.rstrip(".") for word in digest(texts).split()} <= words
    assert digest(texts) == digest(texts)
