"""Every rule keeps the promise of its own examples."""

import pytest

from oblio.filter.findings import findings
from oblio.filter.lexicon import LEXICON
from oblio.filter.normalise import normalise
from oblio.filter.reading import Reading
from oblio.filter.rules.base import ALWAYS, AT_SIGN, DIGIT, LONG, SIGN, Rule
from oblio.filter.rules.catalogue import ALL


def _fired(text: str) -> set[str]:
    return {hit.rule.id for hit, _ in findings(Reading(normalise(text)))}


FIRES = [pytest.param(rule, text, id=f"{rule.id}-{at}") for rule in ALL for at, text in enumerate(rule.examples.fires)]
QUIET = [pytest.param(rule, text, id=f"{rule.id}-{at}") for rule in ALL for at, text in enumerate(rule.examples.quiet)]


@pytest.mark.parametrize(("rule", "text"), FIRES)
def test_a_rule_fires_on_its_own_examples(rule: Rule, text: str) -> None:
    assert rule.id in _fired(text)


@pytest.mark.parametrize(("rule", "text"), QUIET)
def test_a_rule_is_quiet_on_its_counter_examples(rule: Rule, text: str) -> None:
    assert rule.id not in _fired(text)


def test_every_rule_has_an_id_of_its_own_a_reason_and_two_examples_of_each_sort() -> None:
    assert len({rule.id for rule in ALL}) == len(ALL)
    for rule in ALL:
        assert rule.why.endswith((".", '".'))
        assert "\n" not in rule.why
        assert len(rule.examples.fires) >= 2
        assert len(rule.examples.quiet) >= 2
        assert rule.id.startswith(f"{rule.category}.")


def test_every_feature_that_a_rule_waits_for_exists() -> None:
    known = {
        tag for table in (LEXICON.exact, LEXICON.stems, LEXICON.endings) for tags in table.values() for tag in tags
    }
    known |= {
        phrase.tag for table in (LEXICON.phrases, LEXICON.openings) for phrases in table.values() for phrase in phrases
    } | {ALWAYS, AT_SIGN, DIGIT, LONG, SIGN}
    assert {need for rule in ALL for need in rule.needs} <= known


def test_examples_stay_out_of_the_representation_of_a_rule() -> None:
    for rule in ALL:
        assert all(text not in repr(rule) for text in (*rule.examples.fires, *rule.examples.quiet))
