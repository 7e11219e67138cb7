"""Sentences for the person: every reason in every language, never the text."""

import pytest

from oblio.filter.explain import explain, why
from oblio.filter.gate import judge
from oblio.filter.rules.catalogue import ALL
from oblio.model.screening import Action, Reason, Verdict


@pytest.mark.parametrize("language", ["en", "sv", "ru"])
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence_and_advice_in_every_language(reason: Reason, language: str) -> None:
    refused = explain(Verdict(action=Action.REFUSE, reasons=(reason,), policy="1"), language=language)
    assert refused.count(". ") >= 1
    assert "{" not in refused


def test_the_languages_differ_and_an_unknown_one_reads_english() -> None:
    verdict = judge("Jag har diabetes")
    texts = {explain(verdict, language=language) for language in ("en", "sv-SE", "ru")}
    assert len(texts) == 3
    assert explain(verdict, language="xx") == explain(verdict, language="en")


def test_health_names_the_way_to_keep_it() -> None:
    assert "sensitive" in explain(judge("Jag har diabetes"))


def test_the_sentence_does_not_repeat_the_text() -> None:
    assert "070" not in explain(judge("Ring 070-174 06 35"))


def test_a_stored_text_is_called_kept() -> None:
    assert explain(judge("Prefers tea")) == "Kept."


def test_every_rule_has_its_reason_line() -> None:
    assert all(why(rule.id) == rule.why for rule in ALL)
    assert why("no.such_rule") == ""
