"""Writes that came too late: refused by the fence, counted, noted without content (rule X4)."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from oblio.errors.access import ErasedSource, SubjectErased, SubjectLocked
from oblio.model.audit import ActorRole, AuditAction, AuditEntry
from oblio.model.retention import POLICY
from oblio.ports.notary import Notary
from oblio.ports.store import Store

EVERY: Final = timedelta(minutes=1)
"""One entry a minute at most says how many there were: a writer that never gives up must not fill the log."""


@dataclass(slots=True, kw_only=True)
class LateWrites:
    """Counts refusals of one open store and notes them in its audit log."""

    store: Store
    notary: Notary
    clock: Callable[[], datetime]
    refused: int = 0
    """Refusals since the store was opened."""
    _noted: int = 0
    _last: datetime | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a refusal of the fence inside the block, and let it pass on."""
        try:
            yield
        except (SubjectLocked, SubjectErased, ErasedSource):
            self._count()
            raise

    def flush(self) -> None:
        """Note what was counted and not noted yet."""
        with self._guard:
            count, self._noted = self.refused - self._noted, self.refused
            self._last = self.clock()
        if count:
            with self.store.write() as tx:
                self.notary.record(
                    tx,
                    AuditEntry(
                        time=self.clock(),
                        action=AuditAction.LATE_WRITE_REFUSED,
                        actor=ActorRole.SYSTEM,
                        policy=POLICY,
                        count=count,
                    ),
                )

    def _count(self) -> None:
        with self._guard:
            self.refused += 1
            due = self._last is None or self.clock() - self._last >= EVERY
        if due:
            self.flush()
