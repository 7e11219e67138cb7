"""A whole life with its failures: what a person wrote appears in what was asked for, and nowhere else.

A word of its own is planted in every place that a person or an application fills. Afterwards logs at their most
talkative, printed output, errors with their chains, `repr` of everything returned, receipts, the audit log, and names
and bytes of all files are searched for them.
"""

import json
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from tests.e2e.blame import told
from tests.e2e.populace import word
from tests.e2e.raw_store import connected

from oblio import Fault, Kept, Oblio, Settings
from oblio.errors.erasure import ErasureNotFinal
from oblio.model.erasure import Scope
from oblio.model.ids import new_id
from oblio.testing.byte_probe import found_in, text_forms

SETTINGS: Final = Settings(sqlite_module="pysqlite3", embedder="ngram")
CLEAR: Final = ("tenant", "notice")
"""Names that an operator chose: clear text in the database, and of no person."""


@dataclass(slots=True)
class Life:
    """What came out while it was lived."""

    words: dict[str, str]
    shown: list[str] = field(default_factory=list)
    """Texts of errors and of `repr`."""
    codes: set[str] = field(default_factory=set)

    def keep(self, value: Any) -> Any:
        """Note how a value shows itself, and each part of it."""
        self.shown.append(repr(value))
        self.shown += [repr(each) for each in value] if isinstance(value, (list, tuple)) else []
        return value

    def fails(self, act: Callable[[], object]) -> None:
        """Note all that an error tells."""
        with pytest.raises(Fault) as caught:
            act()
        self.codes.add(caught.value.code)
        self.shown += [told(caught.value), str(caught.value), repr(caught.value)]


def planted() -> dict[str, str]:
    draw = random.Random()
    places = ("external", "memory", "correction", "message", "derived", "query", "refused", "broken", "bad", "key")
    return {place: word(draw) + word(draw) for place in (*places, *CLEAR, "deriver", "path")}


def lived(life: Life, folder: Path, sources: Path) -> tuple[list[bytes], list[str]]:
    """Live it. Return bytes of the audit log and receipts, and the receipts as JSON."""
    words, path = life.words, folder / "agent.db"
    oblio = life.keep(Oblio.open(path, settings=SETTINGS))

    def explode(_texts: Any) -> str:
        message = f"cannot work with {words['deriver']}"
        raise ValueError(message)

    oblio.deriver("explode", version="1")(explode)
    anna = life.keep(life.keep(oblio.tenant(words["tenant"][:20])).subject(f"{words['external']}@example.org"))
    for purpose in ("memory", "history"):
        life.keep(anna.consent.grant(purpose, notice=words["notice"]))
    life.keep(anna.consent.list())
    life.keep(anna.ticket())
    kept = [life.keep(anna.remember(f"Likes {words['memory']} number {number}")) for number in range(70)]
    life.keep(anna.remember(f"My card {words['refused']} is 4111 1111 1111 1111 and my key AKIAIOSFODNN7EXAMPLE"))
    life.keep(anna.correct(kept[0].id, f"Likes {words['correction']} now"))
    life.keep(anna.derive("profile", sources=(kept[1].id, kept[2].id), text=f"A friend of {words['derived']}"))
    life.keep(anna.derive("digest", sources=(kept[1].id, kept[3].id)))
    life.keep(anna.recall(f"What about {words['query']} and {words['memory']}?"))
    assert words["memory"] in anna.prompt(f"What about {words['query']}?")
    _imported(life, oblio, anna, sources)
    life.keep(list(anna.memories()))
    life.keep(list(anna.messages()))
    life.keep(anna.derived())
    life.keep(anna.trace(kept[1].id))
    life.keep(anna.plan(Scope.whole()))
    _failures(life, oblio, anna, kept[4].id)
    life.keep(anna.forget(kept[1].id))
    with connected(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM items").fetchone()
        with pytest.raises(ErasureNotFinal) as caught:
            life.keep(anna.erase(key=words["key"], wait=0.0))
        life.shown.append(told(caught.value))
        request = str(caught.value.facts["request"])
        life.keep(oblio.open_requests())
        reader.execute("ROLLBACK")
    life.keep(oblio.retry(request))
    life.keep(oblio.steps(request))
    receipt = life.keep(anna.erase())
    life.keep(receipt.payload)
    life.keep(anna.requests())
    for act in (lambda: list(anna.memories()), anna.derived, lambda: anna.remember(f"Likes {words['memory']}")):
        life.fails(act)
    life.keep(oblio.verify_audit())
    life.keep(oblio.subject("nobody").erase())
    document = receipt.to_json()
    with connected(path) as connection:
        tables = ("audit_leaves", "audit_pending")
        rows = [row[0] for table in tables for row in connection.execute(f"SELECT body FROM {table}").fetchall()]  # noqa: S608
        rows += [row[0] for row in connection.execute("SELECT payload FROM receipts").fetchall()]
        rows += [row[0] for row in connection.execute("SELECT document FROM receipt_documents").fetchall()]
    oblio.close()
    return rows, [document.decode() if isinstance(document, bytes) else document]


def _imported(life: Life, oblio: Oblio, anna: Any, sources: Path) -> None:
    words = life.words
    good = [{"role": "user", "content": f"I like {words['message']} number {number}"} for number in range(3)]
    source = sources / f"{words['path']}.jsonl"
    lines = [json.dumps(each) for each in good] + [f'{{"role": "user", "content": "{words["broken"]}']
    source.write_text("\n".join(lines), encoding="utf-8")
    life.keep(oblio.import_(source, subject=anna))
    archive = sources / f"{words['path']}.zip"
    archive.write_bytes(b"PK\x03\x04" + words["broken"].encode() * 50)
    life.fails(lambda: oblio.import_(archive, subject=anna))
    life.fails(lambda: oblio.import_(sources / words["path"], subject=anna))


def _failures(life: Life, oblio: Oblio, anna: Any, kept: str) -> None:
    bad = life.words["bad"]
    acts: list[Callable[[], object]] = [
        lambda: oblio.subject(f"{bad}\0"),
        lambda: oblio.subject(bad * 100),
        lambda: oblio.tenant(f"Not a {bad}"),
        lambda: anna.remember(f"Likes {bad}", kind=bad),
        lambda: anna.remember(f"Likes {bad}", sources=(bad,)),
        lambda: anna.remember(f"Likes {bad}", sources=(new_id(),)),
        lambda: anna.recall(bad * 10_000),
        lambda: anna.recall(bad, limit=bad),
        lambda: anna.forget(bad),
        lambda: anna.memory(bad),
        lambda: anna.derive(f"No {bad}", sources=(kept,)),
        lambda: anna.derive("profile", sources=(kept,), deriver=bad),
        lambda: anna.derive("profile", sources=(kept,), deriver="explode"),
        lambda: anna.consent.grant(bad, notice=bad),
        lambda: anna.consent.grant("memory", notice=f"No {bad}"),
        lambda: anna.consent.grant("memory", notice="n", basis=bad),
        lambda: anna.erase(plan=bad),
        lambda: oblio.request(new_id(), recovery=bad),
        lambda: oblio.receipt(bad),
    ]
    for act in acts:
        life.fails(act)


def leaks(words: dict[str, str], text: str) -> list[str]:
    """Return the places whose words are in a text."""
    return [place for place, planted_word in words.items() if planted_word in text]


def test_what_a_person_wrote_is_nowhere_but_in_what_was_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    folder, sources = tmp_path / "store", tmp_path / "sources"
    folder.mkdir()
    sources.mkdir()
    life = Life(planted())
    stored, receipts = lived(life, folder, sources)
    words = life.words
    assert len(life.codes) >= 15

    logged = [record.getMessage() + repr(record.__dict__) for record in caplog.records]
    assert [leak for line in logged for leak in leaks(words, line)] == []
    out = capfd.readouterr()
    assert leaks(words, out.out + out.err) == []
    personal = {place: planted_word for place, planted_word in words.items() if place not in CLEAR}
    assert sorted({leak for text in life.shown for leak in leaks(personal, text)}) == []
    assert len(stored) > 10
    assert [leak for body in (*stored, *map(str.encode, receipts)) for leak in leaks(words, repr(body))] == []
    names = [str(path.relative_to(folder)) for path in folder.rglob("*")]
    assert [leak for name in names for leak in leaks(words, name)] == []
    needles = [form for planted_word in personal.values() for form in text_forms(planted_word)]
    assert len(found_in(folder, needles)) == 0


def test_the_search_finds_what_leaks() -> None:
    life = Life(planted())
    life.keep([life.words["memory"]])
    with suppress(Fault):
        life.keep(life.words["query"])
    assert [leaks(life.words, text) for text in life.shown] == [["memory"], ["memory"], ["query"]]
    assert Kept(id=life.words["bad"]).id in told(ValueError(life.words["bad"]))  # type: ignore[arg-type]


def test_a_word_in_clear_text_is_found_in_the_files(tmp_path: Path) -> None:
    words = planted()
    (tmp_path / "file").write_text(words["memory"], encoding="utf-16-le")
    assert found_in(tmp_path, list(text_forms(words["memory"])))
