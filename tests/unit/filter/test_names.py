"""Technical names are stored in clear, so their parts are read apart before they are judged."""

import pytest

from oblio.filter.gate import judge
from oblio.model.screening import Action


def _action(name: str) -> Action:
    return judge(name, field="name", consents=frozenset()).action


@pytest.mark.parametrize(
    "name",
    [
        "petra-ekblom-850709-9805",
        "anna-lind-hiv",
        "anna.lind-has-hiv-070-1234567",
        "petra_ekblom",
        "PetraEkblom",
        "petraEkblom",
        "petra.ekblom",
        "petra\u2010ekblom",
        "kalle-7-years-old",
        "jag_har_diabetes",
        "wifi-code-4711",
        "my-boss-report",
        "olga-ivanova",
    ],
)
def test_a_name_that_tells_of_a_person_is_refused(name: str) -> None:
    assert _action(name) is Action.REFUSE


@pytest.mark.parametrize(
    "name",
    [
        "profile", "digest", "session-summary", "v1", "2026-11", "notice-2026.11", "weekly_report", "acme", "birch",
        "2026-11-30", "20261130", "daily-digest-v2", "max-tokens", "eu-west-1", "redis.cache", "crm_contacts",
        "text-embedding-3-small", "gpt-4o-mini", "userProfile", "child-process", "mother-tongue", "customer-support",
    ],
)  # fmt: skip
def test_an_ordinary_technical_name_passes_unchanged(name: str) -> None:
    verdict = judge(name, field="name", consents=frozenset())
    assert (verdict.action, verdict.text) == (Action.STORE, name)


def test_spans_of_a_name_lead_back_to_the_name_as_given() -> None:
    verdict = judge("x\u200b-petraEkblom", field="name", consents=frozenset())
    assert "petraEkblom" in {"x\u200b-petraEkblom"[span.start : span.end] for span in verdict.spans}
