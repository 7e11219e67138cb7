"""Commands that erase: forget one item, erase a person. The plan comes first, the words follow the result."""

import os
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import RenderableType

from oblio.cli import faults, screen, words
from oblio.cli.desk import Desk, Item, Subject, command
from oblio.cli.screen import busy, columns, moment, pairs
from oblio.errors.access import SubjectErased, SubjectLocked, UnknownItem
from oblio.errors.base import Fault
from oblio.errors.command import FileUnwritable, NotConfirmed
from oblio.model.erasure import Plan, Result, Scope
from oblio.model.receipt import LIMITS, Payload

if TYPE_CHECKING:
    from oblio import Receipt, SubjectHandle
    from oblio.erasure.intake import Taken

YES: Final = "yes"
FINE: Final = frozenset({Result.COMPLETE, Result.NO_DATA})


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """How the plan is confirmed, and where the receipt goes."""

    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. For scripts.")] = False
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan", metavar="DIGEST", help="Erase exactly the plan of this digest, else nothing; does not ask."
        ),
    ] = None
    receipt: Annotated[
        Path | None,
        typer.Option("--receipt", metavar="FILE", help="Write the signed receipt there, for you only (0600)."),
    ] = None


def add_to(app: typer.Typer, /) -> None:
    """Register the commands."""
    command(app, "forget")(forget)
    command(app, "erase")(erase)


def forget(desk: Desk, subject: Subject, item: Item, wish: Confirmation) -> None:
    """Erase one item and what only it supports.

    A memory or a derived text. Shows the plan and asks. Texts made from it and from others are blanked and made anew
    from the others.
    """
    with desk.open() as store:
        _run(desk, desk.person(store, subject), item, wish)


def erase(desk: Desk, subject: Subject, wish: Confirmation) -> None:
    """Erase a person: every item, key and row.

    Shows the plan and asks; with `--json` it prints the plan and ends, unless `--yes` or `--plan` is given.

    Exit code 0 says that every step was carried out and looked at again, or that there was nothing; 4 that the result
    needs reading; 1 that there is no receipt yet.
    """
    with desk.open() as store:
        _run(desk, desk.person(store, subject), None, wish)


def _run(desk: Desk, person: "SubjectHandle", item: str | None, wish: Confirmation, /) -> None:
    if wish.receipt is not None and (wish.receipt.exists() or not wish.receipt.absolute().parent.is_dir()):
        raise FileUnwritable(role="receipt file")
    plan = _plan(person, item)
    confirmed = plan is None or wish.yes or wish.plan is not None
    if plan is not None and not (desk.as_json and confirmed):
        desk.answer({"plan": _plan_facts(plan)}, planned(plan))
    if not confirmed:
        _confirm(ask=not desk.as_json)
    digest = wish.plan or (plan.digest if plan else None)
    taken = person.begin(_scope(item), plan=digest)
    if taken.recovery and not desk.as_json:
        desk.answer({}, _recovery(taken.row.request, taken.recovery))
    receipt = _finished(desk, person, taken)
    facts: dict[str, object] = {"recovery": taken.recovery, **receipt_facts(receipt)}
    if plan is not None:
        facts["plan"] = _plan_facts(plan)
    desk.answer(facts, reported(receipt))
    if wish.receipt is not None:
        write_private(wish.receipt, receipt)
        desk.remark("The receipt was written.")
    if receipt.payload.result not in FINE:
        raise typer.Exit(faults.NEEDS_READING)


def _plan(person: "SubjectHandle", item: str | None, /) -> Plan | None:
    """Return the plan; `None` when nobody is there: then the receipt will say that nothing was found."""
    if item is not None:
        return person.plan(_scope(item))
    with suppress(UnknownItem, SubjectLocked, SubjectErased):
        return person.plan(_scope(None))
    return None


def _scope(item: str | None, /) -> Scope:
    return Scope.whole() if item is None else Scope.of(item)


def _finished(desk: Desk, person: "SubjectHandle", taken: "Taken", /) -> "Receipt":
    """Return the receipt; when there is none yet, say at least what opens the request."""
    try:
        with busy("erasing, looking again, signing"):
            return person.finish(taken)
    except Fault:
        if desk.as_json:
            desk.answer({"request": taken.row.request, "recovery": taken.recovery, "result": None}, ())
        raise


def _plan_facts(plan: Plan, /) -> dict[str, object]:
    stays = dict(plan.stays)
    return {"digest": plan.digest, "counts": dict(plan.counts), "blanked": plan.blanked, "stays": stays}


def _confirm(*, ask: bool) -> None:
    """Ask, and take no answer that was typed before the plan was shown.

    Raises:
        NotConfirmed: the answer is not `yes`, or a program reads the plan and has to come back with its digest.
    """
    if not ask:
        raise NotConfirmed
    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    screen.remarks().print("Type `yes` to erase this, anything else to leave it: ", end="")
    try:
        answer = input()
    except EOFError:
        answer = ""
        screen.remarks().print()
    if answer.strip().lower() != YES:
        raise NotConfirmed


def planned(plan: Plan, /) -> Iterator[RenderableType]:
    """Yield the lines of a plan."""
    facts: dict[str, object] = {"will be erased": words.counted(plan.counts)}
    if plan.blanked:
        facts["made anew"] = f"{words.number_of(plan.blanked, 'derived')}, from what remains"
    for token, count in plan.stays.items():
        facts["stays"] = f"{count}: {words.STAYS.get(token, token)}"
    facts["plan"] = plan.digest
    yield pairs(facts)


def reported(receipt: "Receipt", /) -> Iterator[RenderableType]:
    """Yield what a receipt says, for people."""
    payload = receipt.payload
    yield columns(
        ("system", "step", "outcome", "count", "meaning"),
        [
            (step.target, step.name, step.outcome.value, step.count, words.OUTCOMES[step.outcome] + _why(step.reason))
            for step in payload.steps
        ],
    )
    yield pairs(_summary(payload))


def receipt_facts(receipt: "Receipt", /) -> dict[str, object]:
    """Return what a receipt says, for programs."""
    facts = receipt.payload.facts()
    return {
        name: facts[name] for name in ("request", "scope", "state", "result", "steps", "horizon", "limits", "times")
    } | {name: facts[name] for name in ("blanked", "rebuilt", "queued", "trial")}


def write_private(file: Path, receipt: "Receipt", /) -> Path:
    """Write a receipt to a new file that only its owner may read.

    Raises:
        FileUnwritable: it exists, or cannot be made.
    """
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(receipt.to_json() + "\n")
    except OSError:
        raise FileUnwritable(role="receipt file") from None
    return file


def _summary(payload: Payload, /) -> dict[str, object]:
    result = payload.result
    facts: dict[str, object] = {"result": f"{result.value}: {words.RESULTS[result]}" if result else "none yet"}
    if payload.blanked:
        facts["derived texts"] = f"{payload.blanked} blanked, {payload.rebuilt} made anew, {payload.queued} waiting"
    if result is not Result.NO_DATA:
        facts["old backups"] = f"of the database alone can show it until: {moment(payload.horizon)}"
    facts["not covered"] = "\n".join(LIMITS[token] for token in payload.limits) or "nothing is left out"
    facts["request"] = payload.request
    return facts


def _recovery(request: str, code: str) -> Iterator[RenderableType]:
    yield pairs(
        {
            "request": request,
            "recovery code": f"{code}\nshown this once; it opens the request when the person is gone",
        }
    )


def _why(reason: str | None) -> str:
    return f" ({reason})" if reason else ""
