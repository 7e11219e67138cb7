"""Commands about memories: remember, recall, list, show, trace, correct."""

import typing
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Final

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

import oblio
from oblio.cli import faults, words
from oblio.cli.desk import Content, Desk, Item, Subject, command, content
from oblio.cli.screen import busy, moment, pairs
from oblio.model.memory import Derived, Kept, Memory, Message, Recalled, Refused

if typing.TYPE_CHECKING:
    from oblio.provenance.tracing import Trace

KINDS: Final = "preference or goal (kept 365 days), difficulty (180), fact (90), sensitive (30), session (1)"

Kind = Annotated[str, typer.Option("--kind", metavar="KIND", help=f"What it is: {KINDS}.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most so many.")]
Prompt = Annotated[int | None, typer.Option("--prompt", metavar="TOKENS", help="Print one block for a prompt instead.")]
Said = Annotated[
    datetime | None,
    typer.Option(
        "--said-at",
        formats=["%Y-%m-%dT%H:%M:%S%z"],
        metavar="TIME",
        help="When it was said, like 2026-03-01T12:00:00+0100.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Which items are listed; memories when nothing else is said."""

    derived: Annotated[bool, typer.Option("--derived", help="List derived texts instead.")] = False
    messages: Annotated[bool, typer.Option("--messages", help="List the messages of the history instead.")] = False


def add_to(app: typer.Typer, /) -> None:
    """Register the commands."""
    command(app, "remember")(remember)
    command(app, "recall")(recall)
    command(app, "list")(list_)
    command(app, "show")(show)
    command(app, "trace")(trace)
    command(app, "correct")(correct)


def remember(desk: Desk, subject: Subject, text: Content, kind: Kind = "preference", said_at: Said = None) -> None:
    """Store one memory.

    Only if the person's consent and the filter allow it. A refusal changes nothing and ends with exit code 3.
    """
    given = content(text)
    with desk.open() as store:
        _kept(desk, desk.person(store, subject).remember(given, kind=kind, said_at=said_at))


def recall(desk: Desk, subject: Subject, query: Content, limit: Limit = 10, prompt: Prompt = None) -> None:
    """Find the memories that answer a question.

    Best first. The number in front orders the answers of one question and means nothing between questions.
    """
    question = content(query)
    with desk.open() as store, busy("looking"):
        person = desk.person(store, subject)
        if prompt is not None:
            block = person.prompt(question, tokens=prompt, limit=limit)
            desk.answer({"prompt": block}, [Text(block)])
            return
        found = person.recall(question, limit=limit)
    desk.answer({"recalled": [asdict(each) for each in found]}, _recalled(found))


def list_(desk: Desk, subject: Subject, shelf: Shelf) -> None:
    """List what is remembered about a person, newest first."""
    with desk.open() as store:
        person = desk.person(store, subject)
        if shelf.derived:
            texts = list(person.derived())
            desk.answer({"derived": [asdict(each) for each in texts]}, _listed(map(_derived, texts)))
        elif shelf.messages:
            said = list(person.messages())
            desk.answer({"messages": [asdict(each) for each in said]}, _listed(map(_message, said)))
        else:
            kept = list(person.memories())
            desk.answer({"memories": [asdict(each) for each in kept]}, _listed(map(_memory, kept)))


def show(desk: Desk, subject: Subject, item: Item) -> None:
    """Show one memory: text, kind, times, sources."""
    with desk.open() as store:
        found = desk.person(store, subject).memory(item)
    facts = {
        "id": found.id,
        "kind": found.kind,
        "saved": moment(found.saved),
        "expires": moment(found.expires, none="never"),
        "said at": moment(found.said_at, none="not stated"),
        "origin": found.origin.value,
        "sources": "\n".join(found.sources) or "none",
    }
    desk.answer({"memory": asdict(found)}, [Text(found.text), pairs(facts)])


def trace(desk: Desk, subject: Subject, item: Item) -> None:
    """Show where an item is and what hangs on it.

    Ids, states and counts, no content.
    """
    with desk.open() as store:
        found = desk.person(store, subject).trace(item)
    desk.answer({"trace": asdict(found)}, [pairs(_traced(found))])


def correct(desk: Desk, subject: Subject, item: Item, text: Content) -> None:
    """Replace the text of a memory. The old text and what was made from it go.

    A refusal changes nothing and ends with exit code 3.
    """
    given = content(text)
    with desk.open() as store:
        _kept(desk, desk.person(store, subject).correct(item, given))


def _kept(desk: Desk, done: Kept | Refused, /) -> None:
    reasons = [reason.value for reason in done.reasons]
    if isinstance(done, Refused):
        lines = [f"Not kept ({', '.join(reasons)}).", oblio.Oblio.explain(done)]
        desk.answer({"kept": False, "reasons": reasons}, [Text(line) for line in lines])
        raise typer.Exit(faults.REFUSED)
    cut = f"  without {words.because(reasons)}" if reasons else ""
    desk.answer({"kept": True, "id": done.id, "reasons": reasons}, [Text(f"Kept {done.id}{cut}")])


def _recalled(found: list[Recalled]) -> Iterator[RenderableType]:
    if not found:
        yield Text("Nothing was found, or the consent for memory does not stand.")
    for each in found:
        yield _head(f"{each.score:.2f}", each.id, each.kind, f"saved {each.saved:%Y-%m-%d}")
        yield _body(each.text)


def _listed(lines: Iterable[tuple[Text, str]]) -> Iterator[RenderableType]:
    empty = True
    for head, text in lines:
        empty = False
        yield head
        yield _body(text)
    if empty:
        yield Text("Nothing is kept.")


def _memory(each: Memory) -> tuple[Text, str]:
    until = f"until {each.expires}" if each.expires else ""
    return _head(each.id, each.kind, each.origin.value, until), each.text


def _message(each: Message) -> tuple[Text, str]:
    at = each.said_at or each.saved
    return _head(
        each.id, each.role, f"{at:%Y-%m-%d}", "" if each.state.value == "live" else each.state.value
    ), each.text


def _derived(each: Derived) -> tuple[Text, str]:
    blank = "(blank: it lost a source and waits to be made anew)"
    return _head(each.id, each.name, f"from {len(each.sources)}", f"by {each.deriver}"), each.text or blank


def _head(*parts: str) -> Text:
    return Text("  ".join(part for part in parts if part), style="dim")


def _body(text: str) -> RenderableType:
    return Padding(Text(text), (0, 0, 0, 2), expand=False)


def _traced(found: "Trace") -> dict[str, object]:
    return {
        "item": found.item,
        "is": f"{found.type} ({found.kind}), {found.state}, version {found.version}",
        "deletion class": found.deletion_class,
        "saved": moment(found.saved),
        "expires": moment(found.expires, none="with its sources"),
        "sealed unit": found.unit or "none: it is blank",
        "keys that open it": found.holders,
        "copy in block": found.segment or "none",
        "made from": "\n".join(found.sources) or "nothing: it was said",
        "made from it": "\n".join(found.derived) or "nothing",
    }
