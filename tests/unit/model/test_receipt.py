"""Tests of `oblio.model.receipt`: a document cannot say more than its steps allow, and holds no free text."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from oblio.model.audit import ActorRole, AuditAction
from oblio.model.erasure import Level, Outcome, Result, ScopeKind, State, Step
from oblio.model.receipt import ACTIONS, LIMITS, AddendumEvent, DocumentKind, FilterMode, HeldLine, Payload

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROWS = Step(name="rows", target="store", level=Level.LOGICAL, outcome=Outcome.ERASED, count=7)
KEYS = Step(name="keys", target="store", level=Level.PHYSICAL, outcome=Outcome.PURGED, count=7)
BLIND = Step(name="vectors", target="qdrant", level=Level.PHYSICAL, outcome=Outcome.NOT_VERIFIED, reason="busy")
FACTS: dict[str, Any] = {
    "kind": DocumentKind.RECEIPT,
    "document": "d0" * 16,
    "store": "50" * 16,
    "request": "e0" * 16,
    "scope": ScopeKind.SUBJECT,
    "state": State.COMPLETED,
    "result": Result.COMPLETE,
    "steps": (ROWS, KEYS),
    "times": {"received": NOW, "completed": NOW},
    "issued": NOW,
    "horizon": None,
    "limits": ("model_weights",),
    "policy": "2026-11",
    "blanked": 3,
    "rebuilt": 2,
    "queued": 1,
    "filter_mode": FilterMode.ENFORCE,
}
HELD = HeldLine(hold="40" * 16, reason="legal_claim", count=2, review=date(2027, 1, 31))
INTERIM: dict[str, Any] = {"kind": DocumentKind.STATEMENT, "state": State.IN_PROGRESS, "result": None}
LATER: dict[str, Any] = {"kind": DocumentKind.ADDENDUM, "names": ("a0" * 16,), "event": AddendumEvent.REPLAYED}


def payload(**changes: object) -> Payload:
    facts = dict(FACTS)
    facts.update(changes)
    return Payload(**facts)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"horizon": NOW, "names": ("a0" * 16, "b0" * 16), "filter_mode": FilterMode.OBSERVE},
        {"result": Result.COMPLETED_WITH_LIMITS, "steps": (ROWS, BLIND)},
        INTERIM | {"holds": (HELD,), "limits": ()},
        LATER,
    ],
)
def test_what_was_written_is_read_back(changes: dict[str, Any]) -> None:
    made = payload(**changes)
    assert Payload.from_canonical(made.kind, made.canonical()) == made


def test_the_canonical_form_says_what_is_final_and_what_is_a_trial() -> None:
    facts = json.loads(payload(filter_mode=FilterMode.OBSERVE).canonical())
    assert (facts["v"], facts["final"], facts["trial"]) == (1, True, True)
    assert facts["limits"] == [{"token": "model_weights", "says": LIMITS["model_weights"]}]
    assert [json.loads(payload(**kind).canonical())["final"] for kind in (INTERIM, LATER)] == [False, False]


def test_retries_of_a_step_do_not_change_the_document() -> None:
    again = payload(steps=(replace(ROWS, attempts=4), KEYS))
    assert again.canonical() == payload().canonical()


@pytest.mark.parametrize(("kind", "changes"), list(zip(DocumentKind, [INTERIM, {}, LATER], strict=True)))
def test_the_log_entry_commits_to_the_document_by_kind(kind: DocumentKind, changes: dict[str, Any]) -> None:
    made = payload(**changes)
    entry = made.entry(actor=ActorRole.SYSTEM, subject="70" * 16)
    assert (entry.action, entry.digest, entry.request) == (ACTIONS[kind], made.digest, made.request)
    assert (entry.time, entry.outcome, entry.subject) == (made.issued, made.result, "70" * 16)


def test_every_kind_has_an_action_of_its_own() -> None:
    assert list(ACTIONS) == list(DocumentKind)
    assert len(set(ACTIONS.values())) == len(DocumentKind)
    assert ACTIONS[DocumentKind.RECEIPT] is AuditAction.RECEIPT_ISSUED


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"document": "canary"}, "document"),
        ({"store": "the store of Anna"}, "store"),
        ({"request": None}, "request"),
        ({"blanked": -1}, "blanked"),
        ({"rebuilt": True}, "rebuilt"),
        ({"queued": "1"}, "queued"),
        ({"names": ("anna",)}, "names"),
        ({"policy": "anna@example.com"}, "policy"),
        ({"times": {"Anna asked": NOW}}, "times"),
        ({"times": {"received": NOW.replace(tzinfo=None)}}, "received"),
        ({"issued": None}, "issued"),
        ({"horizon": "soon"}, "horizon"),
        ({"limits": ("Her shoe size is kept.",)}, "limits"),
        ({"steps": (replace(ROWS, name="rows of Anna"), KEYS)}, "step"),
        ({"steps": (replace(ROWS, target="https://host/"), KEYS)}, "target"),
        ({"steps": (replace(ROWS, reason="said: no"), KEYS)}, "reason"),
        ({"steps": (replace(ROWS, count=-7), KEYS)}, "count"),
        ({"event": AddendumEvent.REPLAYED}, "event"),
        (LATER | {"event": None}, "event"),
        (LATER | {"names": ()}, "addendum without its receipt"),
        (LATER | {"names": ("a0" * 16, "b0" * 16)}, "addendum without its receipt"),
    ],
)
def test_a_field_that_is_not_allowed_is_named_and_not_shown(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is not allowed in an audit record$"):
        payload(**changes)


@pytest.mark.parametrize(
    "step",
    [
        replace(ROWS, count=0),  # V1: "erased 0" does not exist
        replace(KEYS, count=0),
        replace(ROWS, outcome=Outcome.NO_DATA),
        replace(ROWS, level=Level.PHYSICAL),  # V6: erased is the logical word, purged the physical one
        replace(KEYS, level=Level.LOGICAL),
        replace(BLIND, reason=None),
    ],
)
def test_a_step_cannot_claim_more_than_its_outcome_allows(step: Step) -> None:
    with pytest.raises(ValueError, match="is not allowed"):
        payload(steps=(step,), result=Result.COMPLETED_WITH_LIMITS)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"steps": ()}, "result"),
        ({"result": None}, "result"),
        ({"result": Result.NO_DATA}, "result"),
        ({"steps": (ROWS, replace(KEYS, outcome=Outcome.PENDING))}, "result"),
        ({"steps": (ROWS, replace(BLIND, outcome=Outcome.FAILED))}, "result"),
        ({"steps": (ROWS, BLIND)}, "result"),
        ({"steps": (ROWS, BLIND), "result": Result.COMPLETED_WITH_LIMITS, "limits": ()}, "limits"),
        (
            {
                "steps": (replace(ROWS, outcome=Outcome.HELD),),
                "state": State.PARTIALLY_BLOCKED,
                "result": Result.PARTIALLY_HELD,
            },
            "state",
        ),
    ],
)
def test_a_receipt_exists_only_for_what_its_steps_add_up_to(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} is not allowed"):
        payload(**changes)


@pytest.mark.parametrize("changes", [{"state": State.COMPLETED}, {"result": Result.COMPLETE}])
def test_a_statement_never_says_finished(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="interim statement"):
        payload(**(INTERIM | changes))


@pytest.mark.parametrize(
    "changes",
    [{"hold": "anna"}, {"reason": "She sued us"}, {"count": 0}, {"count": -1}, {"review": NOW}],
)
def test_a_held_line_has_a_random_id_a_class_a_count_and_a_day(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="hold"):
        replace(HELD, **changes)


BODY = payload().canonical()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"[" * 50_000,
        BODY + b" ",
        BODY.replace(b'"v":1', b'"v":2'),
        BODY.replace(b'"blanked":3', b'"blanked":3.0'),
        BODY.replace(b'"blanked":3', b'"blanked":3,"blanked":3'),
        BODY.replace(b'"blanked":3,', b""),
        BODY.replace(b'"blanked":3', b'"blanked":3,"text":"canary"'),
        BODY.replace(b'"final":true', b'"final":false'),
        BODY.replace(b"are not covered", b"are covered"),
        BODY.replace(b'"times":{', b'"times":[{').replace(b'},"trial"', b'}],"trial"'),
    ],
)
def test_only_the_canonical_form_is_read(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"^payload is not allowed in an audit record$"):
        Payload.from_canonical(DocumentKind.RECEIPT, body)


@pytest.mark.parametrize("kind", [DocumentKind.STATEMENT, DocumentKind.ADDENDUM])
def test_a_payload_is_not_read_as_another_kind(kind: DocumentKind) -> None:
    with pytest.raises(ValueError, match="payload"):
        Payload.from_canonical(kind, BODY)
