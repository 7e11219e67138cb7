"""Ids, days and answers: small values with one rule each."""

from datetime import UTC, date, datetime, timedelta

import pytest

from oblio.model.ids import ID_BYTES, ItemId, new_id, raw, text
from oblio.model.memory import KINDS, Kept, Refused
from oblio.model.retention import DeletionClass, is_expired
from oblio.model.screening import Reason

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_an_id_is_thirty_two_hexadecimal_digits_and_comes_back_from_its_bytes() -> None:
    identifier = new_id()
    assert len(raw(identifier)) == ID_BYTES
    assert text(raw(identifier)) == identifier
    assert new_id() != identifier


@pytest.mark.parametrize("bad", ["", "00", "zz" * 16, "00" * 17, "0 " * 16, f" {'00' * 16}", "00 " * 16])
def test_what_is_no_id_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"hexadecimal|fromhex"):
        raw(bad)


def test_a_period_counts_whole_days_from_our_write_and_its_last_day_is_readable() -> None:
    assert KINDS["session"].expires(NOON) == date(2026, 12, 1)
    assert DeletionClass(name="profile", days=None).expires(NOON) is None
    last = KINDS["fact"].expires(NOON)
    assert last == date(2027, 2, 28)
    assert not is_expired(last, now=datetime(2027, 2, 28, 23, 59, tzinfo=UTC))
    assert is_expired(last, now=datetime(2027, 3, 1, tzinfo=UTC))
    assert not is_expired(None, now=NOON + timedelta(days=100_000))


def test_a_refusal_is_falsy_and_a_kept_memory_is_not() -> None:
    assert not Refused(reasons=(Reason.CONSENT_MISSING,))
    assert bool(Kept(id=ItemId("00" * 16))) is True
