"""A store with one person who will be erased among ten who stay; random words a run, so that nothing is left over."""

import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.e2e.raw_store import Held, held

from oblio import Kept, Oblio, Settings
from oblio.recall.embed import HashedNgramEmbedder
from oblio.service.subject import SubjectHandle
from oblio.testing.byte_probe import text_forms, vector_pieces

SETTINGS: Final = Settings(sqlite_module="pysqlite3", embedder="ngram")
EACH: Final = 200
OTHERS: Final = 10
LINKED: Final = 5
"""So many of the others, the first ones, have a text that was made from one of hers too."""

QUESTIONS: Final = ("what goes with the garden?", "where is the boat?", "which colour?")
THINGS: Final = ("garden", "boat", "bicycle", "kitchen", "colour", "choir", "tent", "piano")


def word(draw: random.Random) -> str:
    """Return a random word of twelve consonants: no part of it can be a word that the filter knows."""
    return "".join(draw.choice("bcdfghjkmnpqrtvwxz") for _ in range(12))


@dataclass(frozen=True, slots=True, kw_only=True)
class Populace:
    """The store as it was filled, closed."""

    folder: Path
    anna: str
    others: Sequence[str]
    mark: str
    """A word in every memory of the person who will be erased."""
    texts: Sequence[str] = field(repr=False)
    """Everything that was ever a text of hers."""

    def copied(self, folder: Path) -> "Populace":
        """Return the same store in another folder."""
        shutil.copytree(self.folder, folder)
        return Populace(folder=folder, anna=self.anna, others=self.others, mark=self.mark, texts=self.texts)

    @property
    def path(self) -> Path:
        """The database."""
        return self.folder / "agent.db"

    @property
    def keys(self) -> Path:
        """The key place."""
        return self.folder / "agent.keys"

    def opened(self) -> Oblio:
        """Open the store."""
        return Oblio.open(self.path, settings=SETTINGS)

    def clear(self) -> list[bytes]:
        """Return what must never stand in any file: texts in every form, the external id, and vectors."""
        forms = [form for text in (*self.texts, self.anna) for form in text_forms(text)]
        vectors = HashedNgramEmbedder().embed_texts(self.texts)
        return [*forms, *(piece for vector in vectors for piece in vector_pieces(vector))]

    def held(self, handle: SubjectHandle) -> Held:
        """Read the stored bytes of a person from outside."""
        ticket = handle.ticket()
        if ticket is None:
            message = "nobody is there"
            raise ValueError(message)
        return held(self.path, self.keys, ticket.subject)


def fill(folder: Path) -> Populace:
    """Make the store."""
    draw = random.Random()
    anna, mark = f"{word(draw)}@{word(draw)}.example", word(draw)
    others = [f"{word(draw)}@{word(draw)}.example" for _ in range(OTHERS)]
    texts: list[str] = []
    with Oblio.open(folder / "agent.db", settings=SETTINGS) as oblio:
        hers = _person(oblio, anna)
        kept = [_remember(hers, _text(draw, mark), texts) for _ in range(EACH)]
        for each in kept[:3]:
            texts.append(_text(draw, mark))
            hers.correct(each, texts[-1])
        for start in range(3, 63, 3):
            hers.derive("profile", sources=kept[start : start + 3])
        for number, external in enumerate(others):
            theirs = _person(oblio, external)
            mine = [_remember(theirs, _text(draw, word(draw)), []) for _ in range(EACH)]
            theirs.derive("profile", sources=mine[:3])
            if number < LINKED:
                theirs.derive("pair", sources=(mine[4], kept[70]), with_=(hers,))
            theirs.recall(QUESTIONS[0])
        texts += [each.text for each in hers.derived() if each.text]
        hers.recall(QUESTIONS[0])
    return Populace(folder=folder, anna=anna, others=others, mark=mark, texts=texts)


def seen(oblio: Oblio, externals: Sequence[str]) -> Mapping[str, Any]:
    """Return everything that persons see: texts, and answers with their scores."""
    return {external: _seen(oblio.subject(external)) for external in externals}


def _seen(handle: SubjectHandle) -> Any:
    listed = [(each.id, each.text, each.kind, each.saved, each.expires) for each in handle.memories()]
    answers = [
        (question, [(each.id, each.text, each.score) for each in handle.recall(question, limit=50)])
        for question in QUESTIONS
    ]
    own = [(each.id, each.text, each.state) for each in handle.derived() if each.name == "profile"]
    return listed, answers, own


def _person(oblio: Oblio, external: str) -> SubjectHandle:
    handle = oblio.subject(external)
    handle.consent.grant("memory", notice="2026-11")
    return handle


def _text(draw: random.Random, mark: str) -> str:
    return f"The {draw.choice(THINGS)} called {mark} goes with {word(draw)} and with café {word(draw)}"


def _remember(handle: SubjectHandle, text: str, texts: list[str]) -> str:
    kept = handle.remember(text, kind="fact")
    if not isinstance(kept, Kept):
        message = f"refused: {kept.reasons}"
        raise TypeError(message)
    texts.append(text)
    return kept.id
