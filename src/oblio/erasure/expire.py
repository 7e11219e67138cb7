"""Erasures that the clock asks for: no person waits for them, and messages are among what they name."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from oblio.erasure.intake import Intake, Wish
from oblio.erasure.machine import Machine
from oblio.errors.access import SubjectErased, SubjectLocked, UnknownItem
from oblio.model.audit import ActorRole
from oblio.model.erasure import Scope
from oblio.model.ids import ItemId
from oblio.model.memory import ItemType
from oblio.model.subject import Ticket

EXPIRING: Final = frozenset({ItemType.MEMORY, ItemType.MESSAGE})
"""What has a period of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """Implements `ports.expiry.Expiring`."""

    intake: Intake
    machine: Machine

    def expire(self, ticket: Ticket, items: Sequence[ItemId], /, *, now: datetime) -> int:
        """See `ports.expiry.Expiring.expire`."""
        wish = Wish(scope=Scope.of(*items), received_at=now, actor=ActorRole.SYSTEM, types=EXPIRING)
        try:
            taken = self.intake.take(ticket, wish)
        except (SubjectErased, SubjectLocked, UnknownItem):
            return 0
        self.machine.work(taken.row.request)
        return len(items)
