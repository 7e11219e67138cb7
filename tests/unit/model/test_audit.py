"""Tests of `oblio.model.audit`: only tokens, ids, counts and times can enter an entry."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oblio.model.audit import (
    MAX_ENTRY_BYTES,
    OUTCOMES,
    ActorRole,
    AuditAction,
    AuditEntry,
    canonical_json,
    checked_time,
    distinct,
    time_text,
    time_value,
)
from oblio.model.erasure import Level, Outcome, Result

NOW = datetime(2026, 11, 30, 12, 0, 0, 5, tzinfo=UTC)
FULL: dict[str, Any] = {
    "time": NOW,
    "action": AuditAction.STEP_FINISHED,
    "actor": ActorRole.SYSTEM,
    "policy": "2026-11",
    "request": "e0" * 16,
    "subject": "50" * 16,
    "step": "rows",
    "target": "qdrant",
    "level": Level.LOGICAL,
    "count": 7,
    "outcome": Outcome.ERASED,
    "reason": "re-read_empty",
}
CANARIES = (
    "Canary",
    "the canary prefers metric units",
    "anna@example.com",
    "+46701234567",
    "8507099805",
    "19850709",
    "https://example.com/chat",
    "café",
    "канарейка",
    "line\n",
    "",
    "a" * 65,
    "C:\\Users\\anna",
    "/home/anna",
    "e0" * 8,
    0.5,
    b"canary",
    ["canary"],
    {"canary": 1},
    object(),
    True,
    -1,
    2**53,
    10**50,
)


def entry(**changes: object) -> AuditEntry:
    facts = dict(FULL)
    facts.update(changes)
    return AuditEntry(**facts)


def test_the_stored_form_begins_with_its_version_and_is_ascii_json_without_spaces() -> None:
    body = entry().canonical()
    assert body == (
        b'{"v":1,"action":"step_finished","actor":"system","count":7,"level":"logical","outcome":"erased",'
        b'"policy":"2026-11","reason":"re-read_empty","request":"' + b"e0" * 16 + b'","step":"rows",'
        b'"subject":"' + b"50" * 16 + b'","target":"qdrant","time":"2026-11-30T12:00:00.000005Z"}'
    )


def test_absent_fields_are_left_out() -> None:
    bare = AuditEntry(time=NOW, action=AuditAction.STORE_CREATED, actor=ActorRole.OPERATOR, policy="1")
    assert json.loads(bare.canonical()).keys() == {"v", "action", "actor", "policy", "time"}


@pytest.mark.parametrize(
    "made",
    [
        entry(),
        entry(level=None, count=0, outcome=Result.COMPLETED_WITH_LIMITS),
        entry(action=AuditAction.RECEIPT_ISSUED, digest="ab" * 32),
        entry(action=AuditAction.ENTRY_DROPPED, leaf=12),
    ],
)
def test_what_was_written_is_read_back(made: AuditEntry) -> None:
    assert AuditEntry.from_canonical(made.canonical()) == made


FIELDS = [name for name in AuditEntry.__dataclass_fields__ if name not in {"count", "leaf"}]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: type(canary).__name__)
def test_no_field_takes_free_text_or_another_type(field: str, canary: object) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        entry(**{field: canary})
    assert "canary" not in str(caught.value).lower()
    assert "anna" not in str(caught.value)


@pytest.mark.parametrize("field", ["count", "leaf"])
@pytest.mark.parametrize("canary", [c for c in CANARIES if not isinstance(c, str)] + ["7"], ids=repr)
def test_counts_are_whole_numbers_in_range(field: str, canary: object) -> None:
    changes = {"action": AuditAction.ENTRY_DROPPED} if field == "leaf" else {}
    with pytest.raises(ValueError, match=f"^{field} is not allowed"):
        entry(**changes, **{field: canary})


@given(st.text(max_size=80))
def test_a_text_that_enters_is_a_token_without_a_long_number(text: str) -> None:
    try:
        body = entry(reason=text).canonical()
    except ValueError:
        return
    assert text.encode("ascii") in body
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789_.-")
    assert len(text) <= 64


@pytest.mark.parametrize("digits", ["12345", "v1.12345.1"])
def test_short_numbers_may_stand_in_a_token(digits: str) -> None:
    assert entry(reason=digits).reason == digits


def test_outcomes_are_those_of_steps_and_requests() -> None:
    assert {*Outcome, *Result} == OUTCOMES
    with pytest.raises(ValueError, match="outcome"):
        entry(outcome="deleted")


@pytest.mark.parametrize("action", [a for a in AuditAction if not a.name.endswith("_ISSUED")])
def test_a_digest_is_refused_where_it_could_be_one_of_content(action: AuditAction) -> None:
    if action in {AuditAction.RESTORE_REPLAYED, AuditAction.LOG_CONTINUED}:
        assert entry(action=action, digest="ab" * 32).digest == "ab" * 32
        return
    with pytest.raises(ValueError, match=r"digest|leaf"):
        entry(action=action, digest="ab" * 32)


@pytest.mark.parametrize("digest", ["ab" * 31, "AB" * 32, 7, "ab" * 32 + "\n"])
def test_a_digest_is_64_lower_case_hexadecimal_digits(digest: object) -> None:
    with pytest.raises(ValueError, match="digest"):
        entry(action=AuditAction.RECEIPT_ISSUED, digest=digest)


@pytest.mark.parametrize(("action", "leaf"), [(AuditAction.ENTRY_DROPPED, None), (AuditAction.STEP_FINISHED, 3)])
def test_a_dropped_position_belongs_to_its_action_only(action: AuditAction, leaf: int | None) -> None:
    with pytest.raises(ValueError, match="leaf"):
        entry(action=action, leaf=leaf)


@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=1))])
def test_a_time_is_aware_and_at_utc(zone: timezone | None) -> None:
    with pytest.raises(ValueError, match="time"):
        entry(time=NOW.replace(tzinfo=zone))


def test_utc_of_another_class_is_the_same_time() -> None:
    assert checked_time(NOW.replace(tzinfo=timezone(timedelta(0))), "time") == NOW


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_survive_writing_and_reading(at: datetime) -> None:
    assert time_value(time_text(at)) == at


@pytest.mark.parametrize(
    "text", ["", "2026-11-30", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00.5Z", "2026-11-30T12:00:00.000000+00:00", 7]
)
def test_a_time_has_one_spelling(text: Any) -> None:
    with pytest.raises(ValueError, match="time"):
        time_value(text)


BODY = entry().canonical()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"v":1,',
        BODY[:-1],
        BODY + b" ",
        BODY.replace(b'{"v":1,', b'{"v":2,'),
        BODY.replace(b'"count":7', b'"count":7.0'),
        BODY.replace(b'"count":7', b'"count":null'),
        BODY.replace(b'"count":7', b'"count": 7'),
        BODY.replace(b'"count":7', b'"count":7,"count":7'),
        BODY.replace(b'"count":7', b'"count":7,"text":"canary"'),
        BODY.replace(b"step_finished", b"canary"),
        BODY.replace(b'"logical"', b'"canary"'),
        BODY.replace(b'"erased"', b'["canary"]'),
        BODY.replace(b'"policy":"2026-11",', b""),
        b'{"v":1,"v":1' + BODY[6:],
        b'{"v":1,"a":' + b"[" * 50_000,
        b'{"v":1,' + b" " * MAX_ENTRY_BYTES,
    ],
)
def test_only_the_stored_form_is_read(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"^form is not allowed in an audit record$"):
        AuditEntry.from_canonical(body)


def test_canonical_json_refuses_what_readers_disagree_about() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": float("nan")})
    with pytest.raises(ValueError, match="repeated key"):
        distinct([("a", 1), ("a", 2)])
