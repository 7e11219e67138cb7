"""How a command ends when it cannot do what was asked.

Exit codes: 1 a fault with its code, 2 the arguments do not fit, 3 the filter or a missing consent refused the text, 4
an erasure ended with a result that needs reading, 70 a defect of Oblio, 130 interrupted.

Nothing typed and nothing stored is repeated: a mistyped option may be half of a sentence about somebody.
"""

import traceback
from pathlib import Path
from typing import Final

from typer.exceptions import Abort, TyperException

import oblio
from oblio.cli import screen
from oblio.errors.base import Fault

FAULT: Final = 1
USAGE: Final = 2
REFUSED: Final = 3
NEEDS_READING: Final = 4
DEFECT: Final = 70
INTERRUPTED: Final = 130

_USAGE: Final = {
    "MissingParameter": "something that the command needs is missing",
    "NoSuchOption": "there is no such option",
    "BadParameter": "a value does not fit",
    "BadOptionUsage": "an option lacks its value or has one too many",
}


def of_error(error: Exception, /) -> int:
    """Print how a command failed, and return the exit code."""
    if isinstance(error, Fault):
        return of_fault(error)
    if isinstance(error, TyperException):
        return of_usage(error)
    return of_interrupt() if isinstance(error, Abort) else of_defect(error)


def of_fault(fault: Fault, /) -> int:
    """Print a fault and return the exit code."""
    return _print(str(fault), FAULT)


def of_usage(error: TyperException, /) -> int:
    """Print what does not fit without repeating it, and return the exit code."""
    parameter, context = getattr(error, "param", None), getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" and context is not None:
        print(context.get_help())
        return USAGE
    says = _USAGE.get(type(error).__name__, "the arguments do not fit")
    if parameter is not None:
        says += f" ({_name(parameter)})"
    path = context.command_path if context is not None else "oblio"
    return _print(f"command.usage: {says}. See `{path} --help`.", USAGE)


def of_defect(error: BaseException, /) -> int:
    """Print that something failed that should not: its kind and the place in our code, never its text."""
    package = Path(oblio.__file__).parent
    ours = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(package)
    ]
    place = f"{Path(ours[-1].filename).relative_to(package)}:{ours[-1].lineno}" if ours else "outside"
    says = f"oblio.defect: {type(error).__name__} at {place}. This is a defect of Oblio, not of your data."
    return _print(
        f"{says} Please report this line as SECURITY.md and CONTRIBUTING.md say; it holds no content.", DEFECT
    )


def of_interrupt() -> int:
    """Say what an interruption leaves, and return the exit code."""
    return _print(
        "command.interrupted: stopped. What was acknowledged stands; erasures go on at the next open.", INTERRUPTED
    )


def _name(parameter: object) -> str:
    metavar, names = getattr(parameter, "metavar", None), getattr(parameter, "opts", ())
    return str(names[0] if names and str(names[0]).startswith("-") else metavar or "an argument")


def _print(line: str, code: int) -> int:
    screen.remarks().print(line, soft_wrap=True)
    return code
