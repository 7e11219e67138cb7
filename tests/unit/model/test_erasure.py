"""The tables of the machine: legal moves, what steps add up to, and what a plan commits to."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from oblio.model.erasure import (
    ALLOWED,
    OPEN,
    Erasure,
    Level,
    Outcome,
    Plan,
    PlanAction,
    PlanItem,
    Result,
    Scope,
    ScopeKind,
    State,
    Step,
    plan_digest,
    settled,
)
from oblio.model.ids import HolderId, ItemId, RequestId, SubjectId, UnitId, new_id

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WHO = SubjectId(HolderId("00" * 16))


def request(state: State) -> Erasure:
    return Erasure(
        request=RequestId(HolderId(new_id())),
        subject=WHO,
        scope=ScopeKind.SUBJECT,
        state=state,
        plan_digest="",
        received_at=NOON,
    )


def steps(*outcomes: Outcome, target: str = "store") -> tuple[Step, ...]:
    return tuple(Step(name=f"s{n}", target=target, level=Level.LOGICAL, outcome=o) for n, o in enumerate(outcomes))


@pytest.mark.parametrize(("at", "to"), list(product(State, State)))
def test_a_request_moves_only_as_the_table_says(at: State, to: State) -> None:
    if to in ALLOWED[at]:
        assert request(at).moved(to).state is to
    else:
        with pytest.raises(ValueError, match="cannot move"):
            request(at).moved(to)


def test_only_work_leads_to_completion_and_nothing_leads_away_from_it() -> None:
    assert {at for at, to in ALLOWED.items() if State.COMPLETED in to} == {State.IN_PROGRESS}
    assert {at for at, to in ALLOWED.items() if not to} == {State.COMPLETED, State.CANCELLED}
    assert {at for at, to in ALLOWED.items() if State.CANCELLED in to} == {State.REQUESTED}
    assert OPEN.isdisjoint({State.COMPLETED, State.CANCELLED, State.PARTIALLY_BLOCKED})


ORDER = [
    (Outcome.PENDING, State.IN_PROGRESS, None),
    (Outcome.FAILED, State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION),
    (Outcome.HELD, State.PARTIALLY_BLOCKED, Result.PARTIALLY_HELD),
    (Outcome.UNSUPPORTED, State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION),
    (Outcome.NOT_VERIFIED, State.PARTIALLY_BLOCKED, Result.NEEDS_ATTENTION),
    (Outcome.ERASED, State.COMPLETED, Result.COMPLETE),
    (Outcome.PURGED, State.COMPLETED, Result.COMPLETE),
    (Outcome.NO_DATA, State.COMPLETED, Result.NO_DATA),
]


@pytest.mark.parametrize(("one", "two"), list(product(range(len(ORDER)), repeat=2)))
def test_the_first_match_of_rule_v3_wins(one: int, two: int) -> None:
    _, state, result = ORDER[min(one, two)]
    assert settled(steps(ORDER[one][0], ORDER[two][0])) == (state, result)


@pytest.mark.parametrize("limit", [Outcome.UNSUPPORTED, Outcome.NOT_VERIFIED])
def test_an_accepted_limit_completes_with_limits_and_no_other_one_does(limit: Outcome) -> None:
    found = steps(limit, target="cache") + steps(Outcome.ERASED)
    accepted = frozenset({"cache"})
    assert settled(found, accepted=accepted) == (State.COMPLETED, Result.COMPLETED_WITH_LIMITS)
    assert settled(found, accepted=frozenset({"other"}))[1] is Result.NEEDS_ATTENTION
    assert settled(found + steps(Outcome.FAILED), accepted=accepted)[1] is Result.NEEDS_ATTENTION
    assert settled(found + steps(limit), accepted=accepted)[1] is Result.NEEDS_ATTENTION


def test_no_steps_are_not_done() -> None:
    assert settled(()) == (State.IN_PROGRESS, None)


@pytest.mark.parametrize(("kind", "items"), [(ScopeKind.SUBJECT, (ItemId("00" * 16),)), (ScopeKind.ITEM, ())])
def test_an_empty_scope_is_an_error_and_never_everything(kind: ScopeKind, items: tuple[ItemId, ...]) -> None:
    with pytest.raises(ValueError, match="scope"):
        Scope(kind=kind, items=items)


def test_a_plan_commits_to_items_versions_actions_and_generation_in_any_order() -> None:
    first = PlanItem(item=ItemId("0a" * 16), subject=WHO, unit=UnitId("0b" * 16), action=PlanAction.ERASE)
    second = replace(first, item=ItemId("0c" * 16), unit=None, action=PlanAction.BLANK)
    digest = plan_digest(1, (first, second))
    assert plan_digest(1, (second, first)) == digest
    changed = [
        plan_digest(2, (first, second)),
        plan_digest(1, (first,)),
        plan_digest(1, (replace(first, unit=UnitId("0d" * 16)), second)),
        plan_digest(1, (first, replace(second, action=PlanAction.ERASE))),
    ]
    assert len({digest, *changed}) == 5
    scope = Scope(kind=ScopeKind.SUBJECT)
    assert Plan(scope=scope, generation=1, items=(first, second), counts={}, blanked=1).digest == digest
