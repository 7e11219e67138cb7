"""The page about the command line, made from the commands themselves.

`python -m oblio.cli.reference > docs/guide/command-line.md` writes it; a test compares it.
"""

from collections.abc import Iterator
from typing import Any, Final

from typer.main import get_command

from oblio.cli.main import ABOUT, ENDS, build

SHARED: Final = ("--db", "--tenant", "--json")
_HEAD: Final = f"""# The command line

<!-- Made by `python -m oblio.cli.reference`; a test compares it with the commands. -->

{ABOUT.strip()}

{ENDS}

Every command takes these besides its own:

"""


def page() -> str:
    """Return the page as Markdown."""
    root = get_command(build())
    commands = list(_walk("oblio", root))
    shared = "\n".join(_line(each) for each in commands[0][1].params if each.opts[0] in SHARED)
    return _HEAD + shared + "\n\n" + "\n".join(_section(name, command) for name, command in commands)


def _walk(name: str, command: Any, /) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 -- typer does not publish the class
    """Yield every command that does something, by its full name, in the order of the help."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for each in inner:
        yield from _walk(f"{name} {each}", inner[each])


def _section(name: str, command: Any) -> str:  # noqa: ANN401
    own = [each for each in command.params if each.opts[0] not in SHARED and each.name != "help"]
    usage = " ".join([name, *(_usage(each) for each in own)])
    lines = [f"## {name}", "", "```", usage, "```", "", command.help.strip(), ""]
    described = [_line(each) for each in own if getattr(each, "help", None)]
    return "\n".join([*lines, *described, *([""] if described else [])])


def _usage(each: Any) -> str:  # noqa: ANN401
    if not each.opts[0].startswith("-"):
        return str(each.metavar)
    shown = each.opts[0] if each.is_flag else f"{each.opts[0]} {each.metavar}"
    return shown if each.required else f"[{shown}]"


def _line(each: Any) -> str:  # noqa: ANN401
    name = _usage(each).strip("[]")
    given = each.default not in {None, False} and not callable(each.default)
    default = f" Default: `{each.default}`." if given else ""
    return f"* `{name}`: {each.help}{default}"


if __name__ == "__main__":
    print(page(), end="")
