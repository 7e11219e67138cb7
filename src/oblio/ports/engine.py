"""Who carries work on that could not end at once."""

from typing import Protocol


class Engine(Protocol):
    """Runs what is left of requests and rebuilds. What is left stands in rows, so nothing is lost with the engine."""

    def wake(self) -> None:
        """Say that work is left. Returns at once."""
        ...

    def stop(self) -> None:
        """Stop, and wait for the step under way. Quiet when nothing runs."""
        ...
