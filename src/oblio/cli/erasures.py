"""Commands about erasure requests: list, show, retry, verify."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from oblio.cli import faults, words
from oblio.cli.desk import Desk, Request, command
from oblio.cli.screen import busy, columns, moment, pairs
from oblio.model.erasure import Erasure, ScopeKind, State, Step

if TYPE_CHECKING:
    from oblio.erasure.look import Look

Person = Annotated[
    str | None, typer.Option("--subject", metavar="SUBJECT", help="List this person's requests, finished ones too.")
]
Recovery = Annotated[
    str | None, typer.Option("--recovery", metavar="CODE", help="The code that was shown when the request was made.")
]


def group() -> typer.Typer:
    """Return the commands as a group."""
    app = typer.Typer(help="Requests to erase, and how they stand.", no_args_is_help=True, rich_markup_mode=None)
    command(app, "list")(list_)
    command(app, "show")(show)
    command(app, "retry")(retry)
    command(app, "verify")(verify)
    return app


def list_(desk: Desk, subject: Person = None) -> None:
    """List requests that have not reached their end, or all of one person."""
    with desk.open() as store:
        rows = store.unfinished() if subject is None else tuple(desk.person(store, subject).requests())
    table = columns(
        ("request", "scope", "state", "since (UTC)"),
        [(row.request, row.scope, row.state, f"{row.received_at:%Y-%m-%d %H:%M}") for row in rows],
    )
    none = "No request is unfinished." if subject is None else "There is no request, or the person is gone."
    desk.answer({"requests": [_facts(row) for row in rows]}, [table] if rows else [Text(none)])


def show(desk: Desk, request: Request, recovery: Recovery = None) -> None:
    """Show how one request stands: state, result, steps, times. With `--recovery` for whoever holds the code."""
    with desk.open() as store:
        if recovery is not None:
            store.request(request, recovery=recovery)
        row, steps = store.steps(request)
    desk.answer(_facts(row) | {"steps": [_step(each) for each in steps]}, _shown(row, steps))


Accept = Annotated[
    bool,
    typer.Option("--accept-limits", help="End it with its limits, when all that is left cannot be verified any more."),
]


def retry(desk: Desk, request: Request, accept: Accept = False) -> None:  # noqa: FBT002 -- an option
    """Try a request again that waits for a person. Exit code 4 while it has not reached its end."""
    with desk.open() as store, busy("erasing, looking again, signing"):
        store.retry(request, accept_limits=accept)
        row, steps = store.steps(request)
    desk.answer(_facts(row) | {"steps": [_step(each) for each in steps]}, _shown(row, steps))
    if row.state is not State.COMPLETED:
        raise typer.Exit(faults.NEEDS_READING)


def verify(desk: Desk, request: Request) -> None:
    """Look again now, over a fresh connection.

    A completed request has no list of its items any more: the key that sealed it is destroyed. So this looks for the
    person, for the request's own key, and for everything that the erasure ledger names, of this and all other requests.
    Exit code 4 when something is there that must not be.
    """
    with desk.open() as store, busy("looking again"):
        found = store.look_again(request)
    facts = {
        "request": found.request,
        "state": found.state.value,
        "clean": found.clean,
        "person_left": found.person_left,
        "request_left": found.request_left,
        "ledger": found.named,
        "units_left": found.units_left,
        "plan_left": found.plan_left,
    }
    desk.answer(facts, _looked(found))
    if not found.clean:
        raise typer.Exit(faults.NEEDS_READING)


def _shown(row: Erasure, steps: tuple[Step, ...]) -> Iterator[RenderableType]:
    facts: dict[str, object] = {
        "request": row.request,
        "about": "one item" if row.scope is ScopeKind.ITEM else "a person",
        "state": f"{row.state.value}: {words.STATES[row.state]}",
        "result": f"{row.result.value}: {words.RESULTS[row.result]}" if row.result else "none yet",
        "asked for": moment(row.received_at),
        "reached its end": moment(row.completed_at, none="not yet"),
        "old backups": f"of the database alone can show it until: {moment(row.horizon)}",
        "derived texts": f"{row.blanked} blanked, {row.rebuilt} made anew",
    }
    yield pairs(facts)
    yield columns(
        ("system", "step", "outcome", "count", "meaning"),
        [(each.target, each.name, each.outcome.value, each.count, _meaning(each)) for each in steps],
    )


def _looked(found: "Look") -> Iterator[RenderableType]:
    facts: dict[str, object] = {"request": found.request, "state": f"{found.state.value}: {words.STATES[found.state]}"}
    if found.person_left is not None:
        facts["the person"] = f"{found.person_left} row(s), key or name found"
    facts["own key of the request"] = f"{found.request_left} row(s) found"
    facts["erasure ledger"] = f"{found.named} ids named, {found.units_left} still in the database"
    if found.plan_left is None:
        facts["its own items"] = "not told apart any more: the list of them was destroyed with the request's key"
    else:
        facts["its own items"] = "some can still be read" if found.plan_left else "none can be read"
    facts["all in all"] = "nothing is there that must not be" if found.clean else "something is there that must not be"
    yield pairs(facts)


def _facts(row: Erasure) -> dict[str, object]:
    return {
        "request": row.request,
        "scope": row.scope.value,
        "state": row.state.value,
        "result": row.result.value if row.result else None,
        "received_at": row.received_at,
        "completed_at": row.completed_at,
        "horizon": row.horizon,
        "blanked": row.blanked,
        "rebuilt": row.rebuilt,
    }


def _step(each: Step) -> dict[str, object]:
    return {
        "step": each.name,
        "target": each.target,
        "level": each.level.value,
        "outcome": each.outcome.value,
        "count": each.count,
        "reason": each.reason,
    }


def _meaning(each: Step) -> str:
    return words.OUTCOMES[each.outcome] + (f" ({each.reason})" if each.reason else "")
