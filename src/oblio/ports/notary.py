"""Facts, receipts and their proofs as the workflows see them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from oblio.model.audit import AuditEntry
from oblio.model.erasure import Erasure, Step
from oblio.model.ids import RequestId
from oblio.ports.store import Transaction


class Notary(Protocol):
    """Writes facts into the audit log and issues the receipt of a request."""

    def record(self, tx: Transaction, entry: AuditEntry, /) -> None:
        """Add a fact in the caller's transaction (rule L7: after what it says has happened)."""
        ...

    def fix(
        self, tx: Transaction, row: Erasure, steps: Sequence[Step], /, *, queued: int = 0, stays: Mapping[str, int]
    ) -> None:
        """Fix the one receipt of a request in the transaction that completes it.

        A second call for the same request changes nothing (rule L8).

        Args:
            tx: the transaction that completes the request.
            row: the request as it is then.
            steps: all of its steps.
            queued: blanked items that wait to be made anew; what is neither made nor queued stays blank.
            stays: what remains although it is near, per reason token.
        """
        ...

    def publish(self) -> None:
        """Give waiting facts their positions, sign, and copy the checkpoint outside. Opens its own transactions."""
        ...

    def document(self, request: RequestId, /) -> bytes | None:
        """Return the receipt as JSON, the same bytes on every call; `None` while the request is not completed."""
        ...


class LogBreak(Protocol):
    """Ends one log and begins the next, after an old copy of the database was put back."""

    def archive(self) -> str | None:
        """Put the last known checkpoint aside, durably. Return the digest by which the next log commits to it.

        Repeating it returns the same digest; `None` when there never was a checkpoint.
        """
        ...
