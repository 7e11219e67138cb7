"""What an error tells: its code, its next step, and nothing of what a person wrote, of paths or of drivers."""

import traceback
from collections.abc import Callable, Iterable
from typing import Final

import pytest

from oblio.errors.base import Fault

DRIVER_WORDS: Final = ("sqlite", "SELECT ", "INSERT ", "[parameters", "Errno", "No such file", "agent.keys")
"""Words of drivers and systems, which also name files and values."""


def fault(act: Callable[[], object], /, *, canaries: Iterable[str] = ()) -> Fault:
    """Return the fault that `act` raises, once it is seen to tell nothing that it must not."""
    with pytest.raises(Fault) as caught:
        act()
    error = caught.value
    assert error.code != Fault.code
    assert error.fix
    assert "{" not in str(error)
    leaks = [word for word in (*canaries, *DRIVER_WORDS) if word in told(error)]
    assert not leaks, f"{error.code} tells {len(leaks)} thing(s) it must not"
    return error


def told(error: BaseException, /) -> str:
    """Return everything that a log would print of an error and of what is chained to it, without lines of source."""
    shown = "".join(traceback.TracebackException.from_exception(error).format_exception_only())
    rest = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return f"{shown}{error!r}{error.args!r}" + (told(rest) if rest is not None else "")
