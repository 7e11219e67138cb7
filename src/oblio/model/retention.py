"""How long what is kept: deletion classes and the day on which something expires.

A period is a whole number of days and is counted from the day of our own write, never from `said_at`. What expires on
a day is readable until that day ends (UTC) and invisible from the next one on (rules R1, R2).
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

POLICY: Final = "oblio-1"
"""Version of the rules about kinds, periods and erasure that this code follows; written into entries and receipts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionClass:
    """A named period. `days` is `None` where an event, not a clock, ends the data (a profile ends with its owner)."""

    name: str
    days: int | None

    def expires(self, saved: datetime, /) -> date | None:
        """Return the last day on which something saved at `saved` (aware) may be read."""
        return None if self.days is None else (saved + timedelta(days=self.days)).date()


def is_expired(expires: date | None, /, *, now: datetime) -> bool:
    """Say whether the last readable day is over at `now` (aware, UTC)."""
    return expires is not None and now.date() > expires
