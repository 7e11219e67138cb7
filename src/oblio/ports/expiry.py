"""Erasing what expired, as the sweep sees it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from oblio.model.ids import ItemId
from oblio.model.subject import Ticket


class Expiring(Protocol):
    """The one eraser, for items whose time is over (rule X11)."""

    def expire(self, ticket: Ticket, items: Sequence[ItemId], /, *, now: datetime) -> int:
        """Erase items of one person with a request of its own. Return how many it took up, 0 where somebody was faster.

        Raises:
            EraserBusy: another process is at work and did not finish in time.
        """
        ...
