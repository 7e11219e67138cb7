"""The gate: what it decides per field, kind and consent, and that it stays silent about the text."""

import pickle
from dataclasses import replace
from types import MappingProxyType

import pytest

from oblio.filter.gate import Gate, judge
from oblio.filter.policy import DEFAULT, FIELDS, KindRule, Policy, Treatment
from oblio.model.screening import Action, Reason

MEMORY = frozenset({"memory"})
BOTH = frozenset({"memory", "sensitive"})
PHONE = "Text me on 070-174 06 35 about the weekly report, I prefer mornings"
SECRET = "Use the wifi for updates, password: Tulip!77aa, and keep reports short"
HEALTH = "Jag har diabetes"

HARMLESS = (
    "Prefers metric units",
    "Prefers imperial units",
    "I am moving to Oslo in March",
    "Jag föredrar korta svar",
    "Я предпочитаю метрическую систему",
    "Uses vim and tmux on Debian",
    "The user prefers dark mode",
    "Jag arbetar som lärare i Uppsala",
    "Учу английский и хочу дойти до B2",
    "My dog Rex needs two walks a day",
    "I'm building an app for people with asthma",
    "I take the train to work every day",
    "The parent process killed the child process",
    "Deadline is 15 January 2027",
    "I work as a psychologist",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_an_ordinary_memory_is_stored_as_it_is(text: str) -> None:
    verdict = judge(text)
    assert (verdict.action, verdict.text, verdict.reasons, verdict.spans) == (Action.STORE, text, (), ())


def test_an_identifier_is_cut_out_when_a_useful_memory_remains() -> None:
    verdict = judge(PHONE)
    assert verdict.action is Action.REDACT
    assert verdict.text == "Text me on [phone] about the weekly report, I prefer mornings"
    assert [PHONE[span.start : span.end] for span in verdict.spans] == ["070-174 06 35"]
    assert verdict.reasons == (Reason.PHONE,)
    assert verdict.rules == ("phone.number",)


def test_an_identifier_is_refused_when_nothing_useful_remains() -> None:
    verdict = judge("Ring 070-174 06 35")
    assert (verdict.action, verdict.text) == (Action.REFUSE, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEALTH, Reason.HEALTH),
        ("Jag är katolik", Reason.ART9),
        ("She prefers tea", Reason.THIRD_PARTY),
        ("My daughter is six", Reason.CHILD),
        ("the customer said it is too slow", Reason.THIRD_PARTY),
        ("Mamma ringer på söndagar", Reason.THIRD_PARTY),
    ],
)
def test_meaning_is_refused_in_an_ordinary_memory(text: str, reason: Reason) -> None:
    verdict = judge(text)
    assert (verdict.action, verdict.text) == (Action.REFUSE, None)
    assert reason in verdict.reasons


def test_a_sensitive_memory_takes_own_health_with_its_own_consent() -> None:
    verdict = judge(HEALTH, kind="sensitive", consents=BOTH)
    assert (verdict.action, verdict.text) == (Action.STORE, HEALTH)
    assert verdict.reasons == (Reason.HEALTH,)


@pytest.mark.parametrize("text", ["I spent a year in prison", "My wife is pregnant", "My son has asthma"])
def test_a_sensitive_memory_takes_neither_convictions_nor_other_people(text: str) -> None:
    assert judge(text, kind="sensitive", consents=BOTH).action is Action.REFUSE


def test_sensitive_needs_its_own_consent_and_memory_needs_consent_at_all() -> None:
    assert judge(HEALTH, kind="sensitive", consents=MEMORY).reasons == (Reason.CONSENT_MISSING,)
    assert judge(HEALTH, kind="sensitive", consents=frozenset({"sensitive"})).reasons == (Reason.CONSENT_MISSING,)
    assert judge("Prefers tea", consents=frozenset()).reasons == (Reason.CONSENT_MISSING,)


def test_an_unknown_kind_or_field_is_not_permitted() -> None:
    assert judge("Prefers tea", kind="gossip").reasons == (Reason.KIND_NOT_PERMITTED,)
    assert judge("Prefers tea", field="elsewhere").reasons == (Reason.KIND_NOT_PERMITTED,)


def test_a_kind_added_by_the_operator_needs_its_purpose_and_takes_its_class() -> None:
    kinds = MappingProxyType({**DEFAULT.kinds, "care": KindRule(purpose="care", takes=frozenset({Reason.HEALTH}))})
    policy = replace(DEFAULT, kinds=kinds, version="2")
    assert judge(HEALTH, kind="care", consents=MEMORY, policy=policy).reasons == (Reason.CONSENT_MISSING,)
    verdict = judge(HEALTH, kind="care", consents=MEMORY | {"care"}, policy=policy)
    assert (verdict.action, verdict.policy) == (Action.STORE, "2")


def test_a_message_keeps_meaning_and_contacts_and_reports_them() -> None:
    text = "My wife has asthma, call her on 070-174 06 35"
    verdict = judge(text, field="message", consents=frozenset())
    assert (verdict.action, verdict.text) == (Action.STORE, text)
    assert {Reason.HEALTH, Reason.THIRD_PARTY, Reason.PHONE} <= set(verdict.reasons)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("min portkod är 7730", "min portkod är [secret]"),
        ("kort 4242 4242 4242 4242", "kort [payment]"),
        ("pnr 19121212-1212", "pnr [national_id]"),
        ("19121212-1212 070-174 06 35", "[national_id] 070-174 06 35"),
    ],
)
def test_a_message_always_loses_secrets_payment_and_national_ids(text: str, left: str) -> None:
    verdict = judge(text, field="message")
    assert (verdict.action, verdict.text) == (Action.REDACT, left)


@pytest.mark.parametrize("field", [field for field in FIELDS if field != "message"])
def test_every_other_field_is_judged_like_a_memory(field: str) -> None:
    assert judge(HEALTH, field=field).action is Action.REFUSE
    assert judge("Ring 070-174 06 35", field=field).action is Action.REFUSE
    assert judge("Weekly reports", field=field).action is Action.STORE


def test_names_and_titles_need_no_consent_of_a_person() -> None:
    assert judge("Weekly reports", field="title", consents=frozenset()).action is Action.STORE


@pytest.mark.parametrize("field", ["memory", "message", "title"])
def test_too_long_is_refused_unseen(field: str) -> None:
    limit = DEFAULT.limit(field)
    assert judge("x" * limit, field=field).reasons != (Reason.TOO_LONG,)
    assert judge("x" * (limit + 1), field=field).reasons == (Reason.TOO_LONG,)


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a\x1bb", "a\x85b", 7, None, b"bytes"])
def test_what_is_not_clean_text_is_unreadable(text: str) -> None:
    verdict = judge(text)
    assert (verdict.action, verdict.reasons) == (Action.REFUSE, (Reason.UNREADABLE,))


def test_lines_and_tabs_are_clean_text() -> None:
    assert judge("Prefers tea\n\tand short\r\nreplies").action is Action.STORE


def test_a_rule_that_fails_refuses_the_text_and_keeps_its_cause_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ValueError(PHONE)

    monkeypatch.setattr("oblio.filter.gate.findings", broken)
    verdict, screened = Gate().screen("Prefers tea", kind=None, field="memory", consents=MEMORY)
    assert (verdict.action, verdict.reasons) == (Action.REFUSE, (Reason.UNREADABLE,))
    assert screened is None


def test_a_policy_may_pseudonymise_and_the_same_value_gets_the_same_mark() -> None:
    cells = {**DEFAULT.treatments["memory"], Reason.PHONE: Treatment.PSEUDONYMISE}
    policy = Policy(treatments={**DEFAULT.treatments, "memory": cells})
    text = "I prefer texts to 070-174 06 35, never 070-174 06 36, always 070-174 06 35 about weekly reports"
    verdict = judge(text, policy=policy)
    assert verdict.action is Action.PSEUDONYMISE
    assert verdict.text == "I prefer texts to [phone-1], never [phone-2], always [phone-1] about weekly reports"


def test_marks_of_the_caller_replace_values() -> None:
    class Marks:
        def mark(self, category: Reason, value: str, /) -> str:
            return f"{category}-{len(value)}"

    cells = {**DEFAULT.treatments["memory"], Reason.PHONE: Treatment.PSEUDONYMISE}
    gate = Gate(policy=Policy(treatments={**DEFAULT.treatments, "memory": cells}))
    _, screened = gate.screen(PHONE, marks=Marks())
    assert screened is not None
    assert screened.text == "Text me on [phone-13] about the weekly report, I prefer mornings"


def test_a_value_behind_a_colon_ends_at_its_part_of_the_sentence() -> None:
    verdict = judge("Use the printer often, password: quiet tulip, and keep reports short")
    assert verdict.text == "Use the printer often, password: [secret], and keep reports short"


def test_the_second_value_beside_the_first_is_cut_as_well() -> None:
    verdict = judge("Text me on 070-174 06 35 070-174 06 36 about the weekly report, I prefer mornings")
    assert verdict.action is Action.REDACT
    assert "06" not in str(verdict.text)


@pytest.mark.parametrize("text", [PHONE, SECRET, HEALTH, "My daughter Elsa Holm is six"])
def test_no_part_of_a_verdict_but_its_text_repeats_the_value(text: str) -> None:
    gate = Gate()
    verdict, screened = gate.screen(text, kind=None, field="message", consents=MEMORY)
    shown = repr((verdict, screened, gate, dict(gate.counts)))
    assert all(word not in shown for word in text.replace(",", " ").split() if len(word) > 6)


def test_screened_exists_exactly_when_the_verdict_does_not_refuse() -> None:
    gate = Gate()
    for text in (PHONE, SECRET, HEALTH, "Prefers tea"):
        verdict, screened = gate.screen(text, kind="preference", field="memory", consents=MEMORY)
        assert (screened is None) == (verdict.action is Action.REFUSE)
        if screened is not None:
            assert (screened.text, screened.reasons, screened.policy) == (verdict.text, verdict.reasons, "1")


def test_counters_hold_categories_and_actions_only() -> None:
    gate = Gate()
    for text in ("Prefers tea", "Prefers coffee", HEALTH, PHONE):
        gate.screen(text)
    assert gate.counts == {("", "store"): 2, ("health", "refuse"): 1, ("phone", "redact"): 1}


def test_observe_mode_counts_and_reports_and_stores_as_given() -> None:
    gate = Gate(observe=True)
    for text in (HEALTH, PHONE, SECRET):
        verdict, screened = gate.screen(text)
        assert verdict.action is Action.STORE
        assert verdict.reasons
        assert screened is not None
        assert screened.text == text
    assert sum(gate.counts.values()) == 3
    assert ("health", "refuse") in gate.counts


@pytest.mark.parametrize(
    ("text", "kind"), [("a\x00b", None), ("x" * 5_000, None), ("Prefers tea", "gossip"), (HEALTH, "sensitive")]
)
def test_observe_mode_still_refuses_what_has_no_form_kind_or_consent(text: str, kind: str | None) -> None:
    verdict, screened = Gate(observe=True).screen(text, kind=kind)
    assert (verdict.action, screened) == (Action.REFUSE, None)


def test_judging_is_repeatable_and_its_verdict_travels() -> None:
    first, second = judge(PHONE), judge(PHONE)
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301 -- our own bytes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The wifi code is 4711", Reason.SECRET),
        ("Koden till förrådet är 4711", Reason.SECRET),
        ("I vote left", Reason.ART9),
        ("I support Labour", Reason.ART9),
        ("Jag röstar rött", Reason.ART9),
        ("Kalle, 7 år, gillar lego", Reason.CHILD),
        ("Anna (9) spelar fiol", Reason.CHILD),
        ("Dimitri, 12 years, plays chess", Reason.CHILD),
        ("I'm HIV-positive", Reason.HEALTH),
        ("I voted Remain", Reason.ART9),
        ("The safe opens with the combination 31-05-72", Reason.SECRET),
        ("Dr. Okonedo wrote to the board", Reason.THIRD_PARTY),
        ("the recovery phrase is: tulip canoe walnut seven", Reason.SECRET),
        ("Пароль от роутера: тихая зелёная улитка", Reason.SECRET),
    ],
)
def test_codes_votes_children_with_an_age_and_titled_names_are_found(text: str, reason: Reason) -> None:
    assert reason in judge(text).reasons


@pytest.mark.parametrize(
    "text",
    [
        "Turn left after the park",
        "I support old browsers",
        "The error code for the request is 404",
        "The code for the tokenizer is 400 lines long",
        "Password: required",
        "The gate opens at 0800",
        "My cat Misse, 7 years old, likes fish",
        "Dr. Martens are my favourite shoes",
        "I avoid trans fats",
    ],
)
def test_their_harmless_neighbours_are_stored(text: str) -> None:
    assert judge(text).action is Action.STORE
