"""What every command shares: where the store is, how to answer, and the three options that say so.

A command is a function whose first parameter is a `Desk`; `command` gives it the options `--db`, `--tenant` and
`--json` that make one. A parameter whose type is a dataclass stands for one option a field.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Final, ParamSpec

import typer
from rich.console import RenderableType

import oblio
from oblio.cli import screen
from oblio.errors.command import EmptyText

if TYPE_CHECKING:
    from oblio import Oblio, SubjectHandle, Tenant

P = ParamSpec("P")

DEFAULT_DB: Final = Path("agent.db")

Subject = Annotated[
    str, typer.Argument(metavar="SUBJECT", help="The id under which your application knows the person.")
]
Item = Annotated[str, typer.Argument(metavar="ID", help="The id of the item, as `oblio list` shows it.")]
Request = Annotated[str, typer.Argument(metavar="REQUEST", help="The id of the erasure request.")]
Content = Annotated[
    str,
    typer.Argument(
        metavar="TEXT", help="The text, or `-` to read it from standard input: arguments are seen in the process list."
    ),
]

_Db = Annotated[Path, typer.Option("--db", metavar="PATH", help="The store.", dir_okay=False)]
_Tenant = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="The customer application, if there are several.")
]
_Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The options that every command has."""

    db: Path
    tenant: str
    as_json: bool

    def open(self, *, create: bool = False) -> "Oblio":
        """Open the store.

        Raises:
            NoStore: there is none and it shall not be made.
        """
        return oblio.Oblio.open(self.db, create=create)

    def of(self, store: "Oblio", /) -> "Tenant":
        """Return the customer application that the command is about."""
        return store.tenant(self.tenant)

    def person(self, store: "Oblio", subject: str, /) -> "SubjectHandle":
        """Return the handle of the person that the command is about."""
        return self.of(store).subject(subject)

    def answer(self, facts: Mapping[str, object], lines: Iterable[RenderableType], /) -> None:
        """Print the answer: `facts` as JSON, or `lines` for people."""
        if self.as_json:
            screen.print_json(facts)
            return
        console = screen.answers()
        for line in lines:
            console.print(line)

    def remark(self, line: str, /) -> None:
        """Tell people something that is no answer."""
        screen.remarks().print(line)


def command(
    group: typer.Typer, name: str, /
) -> Callable[[Callable[Concatenate[Desk, P], None]], Callable[Concatenate[Desk, P], None]]:
    """Register a function as a command with the shared options behind its own."""

    def register(function: Callable[Concatenate[Desk, P], None]) -> Callable[Concatenate[Desk, P], None]:
        own = list(inspect.signature(function).parameters.values())[1:]
        bundles: dict[str, Any] = {each.name: each.annotation for each in own if is_dataclass(each.annotation)}
        typed: Callable[..., None] = function

        def run(*, db: Path, tenant: str, as_json: bool, **given: object) -> None:
            for bundle, kind in bundles.items():
                given[bundle] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
            typed(Desk(db=db, tenant=tenant, as_json=as_json), **given)

        parameters = [each for parameter in own for each in _expanded(parameter)] + list(_shared())
        run.__dict__["__signature__"] = inspect.Signature(parameters, return_annotation=None)
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        run.__doc__ = inspect.getdoc(function)
        group.command(name)(run)
        return function

    return register


def content(given: str, /) -> str:
    """Return a text given as an argument, or from standard input for `-`.

    Raises:
        EmptyText: there is none.
    """
    text = screen.from_input() if given == "-" else given
    if not text.strip():
        raise EmptyText
    return text


def _expanded(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if is_dataclass(parameter.annotation):
        for each in fields(parameter.annotation):
            yield _option(each.name, each.type, _default(each))
    else:
        yield _option(parameter.name, parameter.annotation, parameter.default)


def _default(each: Field[Any]) -> object:
    return inspect.Parameter.empty if each.default is MISSING else each.default


def _shared() -> Iterator[inspect.Parameter]:
    for name, annotation, default in (
        ("db", _Db, DEFAULT_DB),
        ("tenant", _Tenant, "default"),
        ("as_json", _Json, False),
    ):
        yield _option(name, annotation, default)


def _option(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
