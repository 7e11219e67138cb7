"""Tests of the rules of consent, without a store."""

from datetime import UTC, datetime
from itertools import chain, combinations

import pytest

from oblio.model.consent import Grant, Purpose, live, needed
from oblio.model.ids import HolderId, SubjectId, new_id
from oblio.model.memory import KINDS

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SETS = [frozenset(each) for each in chain.from_iterable(combinations(Purpose, size) for size in range(5))]


def grants(purposes: frozenset[Purpose], *, withdrawn: bool = False) -> tuple[Grant, ...]:
    subject, at = SubjectId(HolderId(new_id())), NOON if withdrawn else None
    return tuple(Grant(subject=subject, purpose=p, notice="1", granted_at=NOON, withdrawn_at=at) for p in purposes)


@pytest.mark.parametrize("purposes", SETS)
def test_purposes_imply_nothing_and_sensitive_stands_only_beside_memory(purposes: frozenset[Purpose]) -> None:
    hidden = set() if Purpose.MEMORY in purposes else {Purpose.SENSITIVE}
    assert live(grants(purposes)) == purposes - hidden
    assert live(grants(purposes, withdrawn=True)) == frozenset()
    assert live(grants(purposes, withdrawn=True) + grants(purposes)) == purposes - hidden


def test_every_kind_needs_memory_and_only_sensitive_needs_more() -> None:
    assert {kind: needed(kind) for kind in KINDS if needed(kind) != {Purpose.MEMORY}} == {
        "sensitive": {Purpose.MEMORY, Purpose.SENSITIVE}
    }
