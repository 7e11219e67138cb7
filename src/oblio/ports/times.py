"""Checks of times that come from outside."""

from datetime import UTC, datetime

from oblio.errors.memory import BadTime


def check_time(value: datetime | None, /) -> None:
    """Check that a time can be placed: aware, and inside the years that UTC can tell.

    Raises:
        BadTime: no time, no zone, or outside the years 1 to 9999 in UTC.
    """
    if value is None:
        return
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise BadTime
    try:
        value.astimezone(UTC)
    except (OverflowError, ValueError):
        raise BadTime from None
