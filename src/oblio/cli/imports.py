"""The command that brings past conversations in."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import RenderableType
from rich.text import Text

from oblio.cli import words
from oblio.cli.desk import Desk, command
from oblio.cli.screen import columns, counting, pairs
from oblio.errors.command import ConsentNeeded, NoticeNeeded
from oblio.errors.ingest import BadSource

if TYPE_CHECKING:
    from oblio import Oblio, SubjectHandle
    from oblio.history.importer import ImportReport

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="JSONL of messages, a ChatGPT export (also zipped), LoCoMo.")
]

ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
"""What stands for the author where a message names none: nobody, so nothing is granted for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """Whose conversations a file holds, and what they allowed."""

    subject: Annotated[
        str | None, typer.Option("--subject", metavar="SUBJECT", help="The person whose conversations they are.")
    ] = None
    each_author: Annotated[
        bool, typer.Option("--each-author", help="Each author in the file is a person: the name there is the id here.")
    ] = False
    grant: Annotated[
        str | None,
        typer.Option(
            "--grant",
            metavar="PURPOSES",
            help="Record first that the people allowed this, like memory,history. Only if they did. An import by "
            "itself grants nothing.",
        ),
    ] = None
    notice: Annotated[
        str | None, typer.Option("--notice", metavar="VERSION", help="Version of the notice they saw, for `--grant`.")
    ] = None
    again: Annotated[
        bool, typer.Option("--again", help="Read the file from its beginning, as after a further consent.")
    ] = False


def add_to(app: typer.Typer, /) -> None:
    """Register the command."""
    command(app, "import")(import_)


def import_(desk: Desk, file: File, whose: Whose) -> None:
    """Bring past conversations in.

    They go through consent and filter like anything else: messages need consent for history, memories found in them
    consent for memory. Repeating or resuming an import stores nothing twice, and what was erased meanwhile does not
    come back.
    """
    if whose.grant and not whose.notice:
        raise NoticeNeeded
    if (whose.subject is None) != whose.each_author:
        raise BadSource
    with desk.open() as store, counting("reading") as progress:
        report = _run(desk, store, file, whose, lambda done: progress.tell(_so_far(done)))
    desk.answer(facts_of(report), reported(report))


def _run(
    desk: Desk, store: "Oblio", file: Path, whose: Whose, tell: "Callable[[ImportReport], None]"
) -> "ImportReport":
    if whose.subject is not None:
        person = _granted(desk.person(store, whose.subject), whose)
        if person.ticket() is None:
            raise ConsentNeeded
        return store.import_(file, subject=person, tell=tell, again=whose.again)

    def author(name: str) -> "SubjectHandle":
        person = desk.person(store, name)
        return person if name in ROLES else _granted(person, whose)

    return store.import_(file, each_author=author, tell=tell)


def _granted(person: "SubjectHandle", whose: Whose, /) -> "SubjectHandle":
    """Record what the command line says the person allowed and what does not stand yet."""
    if whose.grant and whose.notice:
        standing = {each.purpose.value for each in person.consent.list() if each.withdrawn_at is None}
        for purpose in [each.strip() for each in whose.grant.split(",")]:
            if purpose not in standing:
                person.consent.grant(purpose, notice=whose.notice)
    return person


def facts_of(report: "ImportReport", /) -> dict[str, object]:
    """Return the numbers of an import, for programs."""
    return {
        "read": report.read,
        "stored": {"messages": report.messages, "memories": report.memories, "derived": report.derived},
        "already": report.already,
        "fenced": report.fenced,
        "refused": dict(report.refused),
        "cut": dict(report.cut),
        "skipped": dict(report.skipped),
    }


def reported(report: "ImportReport", /) -> Iterator[RenderableType]:
    """Yield the numbers of an import, for people."""
    stored = {"message": report.messages, "memory": report.memories, "derived": report.derived}
    facts: dict[str, object] = {"records read": report.read, "stored": words.counted(stored)}
    if report.already:
        facts["there already"] = report.already
    if report.fenced:
        facts["left out"] = f"{report.fenced}: erased before, or made from what is not there"
    yield pairs(facts)
    yield from _reasons("refused", report.refused)
    yield from _reasons("found in what is stored", report.cut)
    if report.cut:
        yield Text(
            "Passwords, payment data and identity numbers among these were cut out. The rest stands in the person's "
            "own messages and is never made a memory."
        )
    if report.skipped:
        yield columns(("could not be used", "records"), report.skipped.most_common())
    if "consent_missing" in report.refused:
        yield Text(
            "Some of it needs a consent that does not stand. If the person gave it: "
            "`oblio consent grant SUBJECT history --notice VERSION`, then import with `--again`."
        )


def _reasons(head: str, counts: Counter[str]) -> Iterator[RenderableType]:
    if counts:
        rows = [(token, count, words.reason(token)) for token, count in counts.most_common()]
        yield columns((head, "times", "meaning"), rows)


def _so_far(report: "ImportReport") -> str:
    refused = sum(report.refused.values())
    return f"{report.read} read, {report.messages + report.memories} stored, {refused} refused"
