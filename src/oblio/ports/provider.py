"""Who keeps the epoch keys: files beside the slot files, or a token of an operator."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol


class EpochState(StrEnum):
    """What a provider says about one epoch key."""

    PRESENT = "present"
    PENDING = "pending"
    """Destroyed by order, but the provider could still cancel that (rule K4): not gone."""
    GONE = "gone"


class EpochKeys(Protocol):
    """Epoch keys by number. A destroyed number never comes back (rule K6)."""

    def create(self, epoch: int, /) -> None:
        """Make a random 256-bit key, durable when this returns. Quiet when it exists."""
        ...

    def load(self, epoch: int, /) -> bytes:
        """Return the 32 bytes of a key.

        Raises:
            EpochGone: it was destroyed or never made.
        """
        ...

    def destroy(self, epoch: int, /) -> None:
        """Destroy a key, durably; quiet when it is gone. That it is gone is another fact: ask `state` (rule K3)."""
        ...

    def state(self, epoch: int, /) -> EpochState:
        """Look again, past every cache."""
        ...

    def epochs(self) -> Sequence[int]:
        """Return the numbers of the keys that are not gone, lowest first."""
        ...


class KeySetPlace(Protocol):
    """Where the key set goes after each rotation: outside the data set, and only the newest is kept."""

    def write(self, body: bytes, /) -> None:
        """Replace the key set, durable and whole when this returns."""
        ...

    def read(self) -> bytes:
        """Return what is stored there now, past every cache."""
        ...
