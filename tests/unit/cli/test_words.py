"""Tests of `oblio.cli.words`: rules V1 and V4."""

import re

import pytest

from oblio.cli import words
from oblio.model.erasure import Outcome, Result, State
from oblio.model.screening import Reason

SUCCESS = re.compile(r"\b(success\w*|deleted|ok|okay|done|erased)\b", re.IGNORECASE)


def test_every_token_has_a_sentence() -> None:
    assert set(words.RESULTS) == set(Result)
    assert set(words.OUTCOMES) == set(Outcome)
    assert set(words.STATES) == set(State)
    assert set(words.REASONS) == set(Reason)


@pytest.mark.parametrize("result", [result for result in Result if result is not Result.COMPLETE])
def test_no_word_of_success_stands_beside_another_result_than_complete(result: Result) -> None:
    assert not SUCCESS.search(words.RESULTS[result])


@pytest.mark.parametrize("outcome", [Outcome.PENDING, Outcome.UNSUPPORTED, Outcome.NOT_VERIFIED, Outcome.HELD])
def test_an_outcome_that_is_not_final_or_not_seen_does_not_sound_final(outcome: Outcome) -> None:
    said = words.OUTCOMES[outcome].replace("cannot be erased", "")
    assert not SUCCESS.search(said)


def test_numbers_agree_with_their_nouns() -> None:
    assert words.counted({"memory": 1, "message": 2, "derived": 0}) == "1 memory, 2 messages"
    assert words.counted({}) == "nothing"
    assert words.number_of(2, "attachment") == "2 attachments"


def test_a_reason_that_is_newer_than_the_table_is_shown_as_it_is() -> None:
    assert words.reason("lunar_phase") == "lunar phase"
    assert words.because(["secret"]) == "a password, key or code (secret)"
