"""Ten long conversations of two people: one of each pair goes, the other keeps everything that is theirs.

The data is read from the folder in `OBLIO_SHARED_DATA`, or from `../shared` beside the checkout, and is not part of it:
nothing of it is shown when a claim fails. Source: LoCoMo (Maharana et al., ACL 2024), CC BY-NC 4.0.
"""

import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from tests.e2e.raw_store import Held, held

from oblio import Oblio, Settings
from oblio.errors.access import SubjectErased
from oblio.model.erasure import Result
from oblio.model.memory import Derived
from oblio.service.subject import SubjectHandle
from oblio.testing.byte_probe import found_elsewhere, text_forms

SHARED: Final = Path(os.environ.get("OBLIO_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared"))
PLACES: Final = (SHARED / "data" / "locomo10.zip", SHARED / "locomo10.zip")
ARCHIVE: Final = next((path for path in PLACES if path.exists()), None)
SETTINGS: Final = Settings(sqlite_module="pysqlite3", embedder="ngram")
BREAK: Final = re.compile(r"(?<=[.!?])\s+")
SENTENCE: Final = 25
"""Shorter messages are said by anybody."""

BEGINNING: Final = 8
"""So many characters of the first sentence of a source are enough: a digest joins first sentences, some are short."""

QUESTIONS: Final = 8
"""Questions of the data that are put to each person before and after."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(ARCHIVE is None, reason="set OBLIO_SHARED_DATA to the folder that holds locomo10.zip"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One conversation."""

    going: str = field(repr=False)
    staying: str = field(repr=False)
    questions: Sequence[str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one person sees. Texts only as digests, so that a difference shows none."""

    memories: Sequence[tuple[str, str]]
    messages: Sequence[tuple[str, str]]
    answers: Sequence[Sequence[tuple[str, str, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Everything that somebody who will go had: for looking, never for showing."""

    handle: SubjectHandle
    said: Sequence[str] = field(repr=False)
    """Messages, and sentences of them, that the other did not say too."""
    clear: Sequence[bytes] = field(repr=False)
    held: Held = field(repr=False)


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def conversations(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            if name.endswith(".json"):
                yield Path(name).stem, opened.read(name)


def questions(body: bytes) -> list[str]:
    found = [entry["question"] for entry in json.loads(body)["qa"] if entry.get("question")]
    return found[:: max(1, len(found) // QUESTIONS)][:QUESTIONS]


def person(oblio: Oblio, external: str) -> SubjectHandle:
    handle = oblio.subject(external)
    if handle.ticket() is None:
        for purpose in ("memory", "history"):
            handle.consent.grant(purpose, notice="2026-11")
    return handle


def imported(oblio: Oblio, folder: Path, archive: Path) -> list[Pair]:
    pairs: list[Pair] = []
    for number, (name, body) in enumerate(conversations(archive)):
        source = folder / f"{name}.json"
        source.write_bytes(body)
        names: dict[str, None] = {}

        def handle(author: str, name: str = name, names: dict[str, None] = names) -> SubjectHandle:
            names[f"{name}/{author}"] = None
            return person(oblio, f"{name}/{author}")

        report = oblio.import_(source, each_author=handle)
        assert report.messages > 0
        assert report.memories > 0
        assert report.derived > 0
        assert len(names) == 2
        going, staying = sorted(names, reverse=bool(number % 2))
        pairs.append(Pair(going=going, staying=staying, questions=questions(body)))
    return pairs


def view(handle: SubjectHandle, asked: Sequence[str]) -> View:
    return View(
        memories=[(each.id, digest(each.text)) for each in handle.memories()],
        messages=[(each.id, digest(each.text)) for each in handle.messages()],
        answers=[[(each.id, digest(each.text), each.score) for each in handle.recall(q, limit=20)] for q in asked],
    )


def taken(oblio: Oblio, path: Path, pair: Pair) -> Gone:
    handle = oblio.subject(pair.going)
    said = [each.text for each in handle.messages() if len(each.text) >= SENTENCE]
    others = "\n".join(each.text for each in oblio.subject(pair.staying).messages())
    whole = [text for text in said if text not in others]
    sentences = [part for text in said for part in BREAK.split(text) if len(part) >= SENTENCE and part not in others]
    # The probe sees what a digest of theirs would show: the first sentence of each message.
    assert hidden([BREAK.split(text)[0] for text in said], sentences) > len(said) // 4
    texts = [*said, *(each.text for each in handle.memories() if len(each.text) >= SENTENCE)]
    ticket = handle.ticket()
    assert ticket is not None
    # Every tenth text in every form: clear text must not be there before either, so a sample says as much.
    clear = [form for text in texts[::10] for form in text_forms(text)]
    return Gone(
        handle=handle,
        said=[*whole, *sentences],
        clear=clear,
        held=held(path, path.with_suffix(".keys"), ticket.subject),
    )


def needles(gone: Gone) -> list[bytes]:
    blobs = {unit: body for unit, body in gone.held.sealed.items() if unit != gone.held.block}
    found = [body[1:25] for body in blobs.values()] + list(gone.held.wraps.values())
    return [*found, *gone.held.slots, gone.held.lookup]


def summaries(handle: SubjectHandle) -> Mapping[str, Derived]:
    return {each.id: each for each in handle.derived()}


def hidden(texts: Sequence[str], said: Sequence[str]) -> int:
    """Count sentences of one person in texts of another."""
    return sum(sentence in text for text in texts for sentence in said)


def without_own(made: Sequence[Derived], handle: SubjectHandle) -> int:
    """Count derived texts in which nothing begins as one of their sources, a message of this person, does."""
    said = {each.id: each.text.strip()[:BEGINNING] for each in handle.messages()}
    return sum(not any(said[source] in (each.text or "") for source in each.sources if source in said) for each in made)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Oblio, Path, list[Pair]]]:
    assert ARCHIVE is not None
    folder = tmp_path_factory.mktemp("conversations")
    path = tmp_path_factory.mktemp("store") / "agent.db"
    with Oblio.open(path, filter_mode="observe", settings=SETTINGS) as oblio:
        yield oblio, path, imported(oblio, folder, ARCHIVE)


def test_one_of_each_pair_goes_and_the_other_keeps_what_is_theirs(world: tuple[Oblio, Path, list[Pair]]) -> None:
    oblio, path, pairs = world
    folder = path.parent
    assert len(pairs) == 10
    before = {pair.staying: view(oblio.subject(pair.staying), pair.questions) for pair in pairs}
    blank = {pair.staying: summaries(oblio.subject(pair.staying)) for pair in pairs}
    leaving = [taken(oblio, path, pair) for pair in pairs]
    stored = [needle for gone in leaving for needle in needles(gone)]
    clear = [form for gone in leaving for form in gone.clear]
    seen = found_elsewhere(folder, stored)
    assert len(stored) - len(seen) == 0
    assert len(found_elsewhere(folder, clear)) == 0

    for gone, pair in zip(leaving, pairs, strict=True):
        receipt = gone.handle.erase()
        receipt.verify(oblio.public_key)
        assert receipt.payload.result is Result.COMPLETE
        assert receipt.payload.blanked == receipt.payload.rebuilt > 0
        _nothing_answers(oblio, gone, pair)

    for pair, gone in zip(pairs, leaving, strict=True):
        staying = oblio.subject(pair.staying)
        after = view(staying, pair.questions)
        assert after.memories == before[pair.staying].memories
        assert after.messages == before[pair.staying].messages
        assert after.answers == before[pair.staying].answers
        _rebuilt(staying, blank[pair.staying], gone)

    assert len(found_elsewhere(folder, [*stored, *clear])) == 0
    assert oblio.verify_audit().entries > 0
    oblio.close()
    assert len(found_elsewhere(folder, [*stored, *clear])) == 0


def _nothing_answers(oblio: Oblio, gone: Gone, pair: Pair) -> None:
    calls: list[Any] = [
        lambda: list(gone.handle.memories()),
        lambda: list(gone.handle.messages()),
        lambda: gone.handle.recall(pair.questions[0]),
        gone.handle.derived,
    ]
    for call in calls:
        with pytest.raises(SubjectErased):
            call()
    anew = oblio.subject(pair.going)
    assert anew.ticket() is None
    assert len(list(anew.memories())) == len(list(anew.messages())) == len(anew.derived()) == 0
    assert all(len(anew.recall(question)) == 0 for question in pair.questions)


def _rebuilt(staying: SubjectHandle, before: Mapping[str, Derived], gone: Gone) -> None:
    """Claim that the other's summaries were made anew: nothing of who went, something of who stays."""
    now = summaries(staying)
    texts = [each.text for each in now.values() if each.text is not None]
    # Numbers only from here on: what pytest shows of a failed claim must not be anybody's text.
    blank, count = len(now) - len(texts), len(before)
    same = sum(now[item].text == each.text for item, each in before.items())
    strange, bare = hidden(texts, gone.said), without_own(list(now.values()), staying)
    assert set(now) == set(before)
    assert count > 0
    assert (blank, same, strange, bare) == (0, 0, 0, 0)
