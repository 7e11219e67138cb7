"""What consent, filter, sealing and proof cost on the embedded store: ratios against plain SQLite and plain numpy.

    python benchmarks/embedded.py [--memories 100] [--rounds 40]

One process; in every round each contender does the same thing in a fresh random order, so that a busy machine is busy
for all. Both databases commit with `synchronous=FULL`. Embedding is left out on purpose: vectors come from the embedder
without a model, which is also what both sides use, so the figures are those of everything else.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from oblio import Oblio, Settings, SubjectHandle
from oblio.recall.embed import HashedNgramEmbedder

NEIGHBOURS = 20
EMBEDDER = HashedNgramEmbedder()


def sentence(number: int) -> str:
    """Return a harmless statement that is unlike the others."""
    return f"Prefers plan {number} with colour {number * 7 % 101} and shelf {number * 13 % 89}"


class Plain:
    """Texts and vectors in one SQLite table, searched by numpy: no consent, no filter, no keys, no proof."""

    def __init__(self, path: Path, /) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")
        self.db.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, person TEXT, text TEXT, vector BLOB)")
        self.db.execute("CREATE INDEX of_person ON memory (person)")

    def add(self, person: str, text: str, /) -> None:
        """Store one text in a transaction of its own."""
        vector = EMBEDDER.embed_texts([text])[0]
        self.db.execute("INSERT INTO memory (person, text, vector) VALUES (?, ?, ?)", (person, text, vector))

    def recall(self, person: str, query: str, /) -> list[str]:
        """Return the ten best texts by inner product."""
        rows = self.db.execute("SELECT text, vector FROM memory WHERE person = ?", (person,)).fetchall()
        matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2").reshape(len(rows), -1)
        scores = matrix.astype(np.float32) @ np.frombuffer(EMBEDDER.embed_query(query), dtype="<f2").astype(np.float32)
        return [rows[number][0] for number in np.argsort(-scores)[:10]]

    def forget(self, person: str, /) -> None:
        """Delete one row, which leaves its bytes where they are."""
        self.db.execute("DELETE FROM memory WHERE id = (SELECT min(id) FROM memory WHERE person = ?)", (person,))

    def erase(self, person: str, /) -> None:
        """Delete a person's rows, which leaves their bytes where they are."""
        self.db.execute("DELETE FROM memory WHERE person = ?", (person,))


def person(oblio: Oblio, plain: Plain, name: str, memories: int, /) -> SubjectHandle:
    """Fill both stores with the same memories of one person."""
    handle = oblio.subject(name)
    handle.consent.grant("memory", notice="benchmark-1")
    for number in range(memories):
        handle.remember(sentence(number))
        plain.add(name, sentence(number))
    handle.recall("warm up")
    return handle


def timed(contenders: Mapping[str, Callable[[], object]], times: dict[str, list[float]], /) -> None:
    """Run each contender once, in random order."""
    for name in random.sample(list(contenders), len(contenders)):
        start = time.perf_counter()
        contenders[name]()
        times.setdefault(name, []).append(time.perf_counter() - start)


def forget_first(handle: SubjectHandle, /) -> None:
    """Forget the newest memory, with receipt."""
    handle.forget(next(handle.memories()).id)


def line(what: str, times: Mapping[str, list[float]], /) -> str:
    """Return a row of the report: median and 95th percentile of both, and the ratio of the medians."""
    ours, theirs = (sorted(times[name]) for name in ("oblio", "plain"))
    figures = [f"{statistics.median(t) * 1e3:9.2f} {t[int(len(t) * 0.95)] * 1e3:9.2f}" for t in (ours, theirs)]
    return f"{what:<12}{figures[0]}  {figures[1]}  {statistics.median(ours) / statistics.median(theirs):8.1f}"


def run(folder: Path, memories: int, rounds: int, /) -> None:
    """Measure and print."""
    settings = Settings(embedder="ngram")
    results: dict[str, dict[str, list[float]]] = {name: {} for name in ("add", "recall", "forget", "erase")}
    with Oblio.open(folder / "agent.db", settings=settings) as oblio:
        plain = Plain(folder / "plain.db")
        people = [person(oblio, plain, f"p{number}", memories) for number in range(NEIGHBOURS)]
        for number in range(rounds):
            name = f"p{number % NEIGHBOURS}"
            handle, text = people[number % NEIGHBOURS], sentence(10_000 + number)
            timed(
                {"oblio": lambda h=handle, t=text: h.remember(t), "plain": lambda n=name, t=text: plain.add(n, t)},
                results["add"],
            )
            timed(
                {
                    "oblio": lambda h=handle: h.recall("which shelf?"),
                    "plain": lambda n=name: plain.recall(n, "which shelf?"),
                },
                results["recall"],
            )
            timed(
                {"oblio": lambda h=handle: forget_first(h), "plain": lambda n=name: plain.forget(n)}, results["forget"]
            )
        for number, handle in enumerate(people):
            timed({"oblio": handle.erase, "plain": lambda n=f"p{number}": plain.erase(n)}, results["erase"])
    sys.stdout.write(f"{memories} memories a person, {NEIGHBOURS} persons, {rounds} rounds, milliseconds\n")
    sys.stdout.write(f"{'':<12}{'oblio p50':>9} {'p95':>9}  {'plain p50':>9} {'p95':>9}  {'ratio':>8}\n")
    for what, times in results.items():
        sys.stdout.write(line(what, times) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=40)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run(Path(name), chosen.memories, chosen.rounds)
