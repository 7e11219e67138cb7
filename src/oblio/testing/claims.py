"""Claims of the contract suites: they raise `AssertionError` under `python -O` too, and show no content."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from oblio.errors.base import Fault

REFUSALS: Final = (Fault, ValueError, KeyError, RuntimeError)
"""What a store may raise for a call that it refuses. Ours raise a `Fault`."""


def same(found: object, expected: object, what: str = "what was stored", /) -> None:
    """Claim that two values are equal.

    Raises:
        AssertionError: they are not.
    """
    if found != expected:
        message = f"{what} differs"
        raise AssertionError(message)


def true(claim: object, what: str, /) -> None:
    """Claim that something holds.

    Raises:
        AssertionError: it does not.
    """
    if not claim:
        message = f"this does not hold: {what}"
        raise AssertionError(message)


@contextmanager
def refused(what: str, /) -> Iterator[None]:
    """Claim that the block is refused.

    Raises:
        AssertionError: it ended without an error.
    """
    try:
        yield
    except REFUSALS:
        return
    message = f"this was not refused: {what}"
    raise AssertionError(message)
