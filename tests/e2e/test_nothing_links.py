"""After a person is erased, no row of any table leads to the person, except the random ids that the inventory names."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from oblio import Oblio
from oblio.model.memory import Kept
from oblio.storage.inventory import TABLES

FENCES = {("holders", "holder"), ("erasures", "subject"), ("tombstones", "item")}
"""Where random ids of what was erased stay by design: the fence against late writers, and the answer to the request."""


def cells(path: Path) -> Iterator[tuple[str, str, object]]:
    """Yield table, column and value of everything in a database, as another program reads it."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in names:
            found = connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608 -- a name that the database gave
            columns = [each[0] for each in found.description]
            for row in found:
                yield from ((table, column, value) for column, value in zip(columns, row, strict=True))


def forms(value: bytes) -> tuple[bytes, ...]:
    """Return how an id or a digest may be written."""
    return value, value.hex().encode()


def places(path: Path, needles: set[bytes]) -> set[tuple[str, str]]:
    """Return where any of the needles is, whole or as a part of something longer."""
    wanted = [form for needle in needles for form in forms(needle)]
    return {
        (table, column)
        for table, column, value in cells(path)
        if isinstance(value, (bytes, str))
        if any(form in (value.encode() if isinstance(value, str) else value) for form in wanted)
    }


def lives(oblio: Oblio, source: Path, who: str) -> None:
    """Let a person use every way of writing, and forget one memory again."""
    person = oblio.subject(who)
    for purpose in ("memory", "history"):
        person.consent.grant(purpose, notice="1")
    first = person.remember("Prefers metric units.", kind="preference")
    second = person.remember("Wants to learn sailing.", kind="goal")
    assert isinstance(first, Kept)
    assert isinstance(second, Kept)
    person.derive("profile", sources=(first.id, second.id), deriver="joined")
    said = [
        {"id": str(number), "role": "user", "name": who, "content": text, "timestamp": "2026-03-01T12:00:00Z"}
        for number, text in enumerate(("I prefer trains to planes.", "I like green tea.", "Good morning!"))
    ]
    source.write_text(json.dumps({"id": who, "messages": said}) + "\n", encoding="utf-8")
    oblio.import_(source, subject=person)
    assert len(list(person.messages())) == 3
    person.recall("units")
    person.forget(second.id)


def test_only_fences_of_random_ids_stay_of_an_erased_person(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    with Oblio.open(path) as oblio:
        oblio.deriver("joined", version="1")(" ".join)
        lives(oblio, tmp_path / "bo.jsonl", "bo")
        before = set(cells(path))
        lives(oblio, tmp_path / "anna.jsonl", "anna")
        ids = {
            value
            for table, column, value in set(cells(path)) - before
            if isinstance(value, bytes) and len(value) in (16, 32)
            if table in {"holders", "items", "unit_keys", "contents", "edges", "consents", "imports", "rebuilds"}
            if column != "seq"
        }
        assert len(ids) > 10
        assert {table for table, _ in places(path, ids)} > {"holders", "items", "unit_keys", "contents", "imports"}
        oblio.subject("anna").erase(key="a click")
        assert places(path, ids) == FENCES
    assert places(path, ids) == FENCES


def test_the_inventory_says_why_each_of_them_stays() -> None:
    assert all("stay" in TABLES[table].erasure.lower() or "90 days" in TABLES[table].erasure for table, _ in FENCES)
