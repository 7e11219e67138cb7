"""What the keyring and the rotation ask of the place that keeps wrapped holder keys: a slot file or a table."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from oblio.model.subject import Holder
from oblio.ports.store import Transaction


class HolderKeys(Protocol):
    """Wrapped holder keys. Every method is called within a transaction; those that write, within a write."""

    def admit(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Store the first key of a new holder, durable before the commit, and add its row. Return the row."""
        ...

    def load(self, tx: Transaction, row: Holder, /) -> bytes:
        """Return a holder's key.

        Raises:
            KeyDestroyed: it is gone.
            KeyDamaged: it does not authenticate.
            EpochGone: the epoch it is under is gone.
            SlotFileMissing, SlotFileTruncated: its file is gone or too short.
        """
        ...

    def replace(self, tx: Transaction, row: Holder, key: bytes, /) -> Holder:
        """Store a second key beside the old one, durable before the commit. Put and return the row that names it."""
        ...

    def settle(self, tx: Transaction, rows: Sequence[Holder], /) -> None:
        """Make what `replace` left behind unreadable, durably. Quiet where nothing is left."""
        ...

    def destroy(self, tx: Transaction, row: Holder, /) -> None:
        """Make every key of a holder unreadable, durably, and put its row. Quiet when already done."""
        ...

    def wraps(self, tx: Transaction, row: Holder, /) -> Sequence[bytes]:
        """Return every wrapped key of a holder that is stored anywhere, the current one last."""
        ...

    def begin(self, tx: Transaction, /, *, now: datetime) -> None:
        """Start a rotation: make the next epoch ready and put the vault row that names it."""
        ...

    def batch(self, tx: Transaction, /) -> bool:
        """Re-wrap the next holders for the new epoch. Return true when none is left."""
        ...

    def verify(self) -> None:
        """Open every live key under the new epoch, in transactions of its own.

        Raises:
            KeyDamaged: one does not open; the rotation must not go on.
        """
        ...

    def sweep(self, tx: Transaction, epoch: int, /) -> None:
        """Re-wrap what a slow transaction still stored under an epoch that is about to die."""
        ...

    def clear(self, epoch: int, /) -> None:
        """Remove what is left of an epoch whose key is destroyed."""
        ...
