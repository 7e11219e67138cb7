"""Bad input, broken files, full disks: an error of ours with code and next step, no word too many, nothing lost."""

import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from pysqlite3 import dbapi2
from tests.e2e.blame import fault
from tests.e2e.confined import needs_mounts, run
from tests.e2e.raw_store import connected

from oblio import Kept, Oblio, Refused, Settings
from oblio.model.ids import new_id
from oblio.model.screening import Reason
from oblio.service.subject import SubjectHandle

SETTINGS: Final = Settings(sqlite_module="pysqlite3", embedder="ngram")
CANARY: Final = "quokkasandwich"
HUGE: Final = f"{CANARY} and more " * 250_000
UNREADABLE: Final = (f"{CANARY}\0end", f"{CANARY}\ud800end", f"{CANARY}\x07end")
MANY: Final = 100_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / f"place-{CANARY}"
    folder.mkdir()
    return folder / "agent.db"


def opened(path: Path) -> Oblio:
    return Oblio.open(path, settings=SETTINGS)


def person(oblio: Oblio, name: str = "anna") -> SubjectHandle:
    handle = oblio.subject(name)
    for purpose in ("memory", "history"):
        handle.consent.grant(purpose, notice="2026-11")
    return handle


def remembered(handle: SubjectHandle, text: str, **more: Any) -> str:
    kept = handle.remember(text, **more)
    assert isinstance(kept, Kept)
    return kept.id


def filled(path: Path, *, forget: bool = False) -> set[str]:
    """Make a store with three memories of one person and return their texts."""
    with opened(path) as oblio:
        anna = person(oblio)
        for number in range(3):
            remembered(anna, f"Likes the {CANARY} number {number}")
        if forget:
            anna.forget(remembered(anna, "Likes what will be forgotten"))
        return {each.text for each in anna.memories()}


def texts(path: Path) -> set[str]:
    with opened(path) as oblio:
        return {each.text for each in oblio.subject("anna").memories()}


def told_nothing(act: Callable[[], object], path: Path) -> str:
    """Return the code of the fault; neither text nor path is in it."""
    return fault(act, canaries=(CANARY, path.name, str(path.parent))).code


# ------------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("external", "code"),
    [
        ("", "subject.empty"),
        (" \t\n", "subject.empty"),
        (HUGE, "subject.too_long"),
        *((text, "subject.unreadable") for text in UNREADABLE),
        (None, "subject.unreadable"),
        (b"anna", "subject.unreadable"),
    ],
)
def test_an_id_that_is_none_is_refused(path: Path, external: Any, code: str) -> None:
    with opened(path) as oblio:
        assert told_nothing(lambda: oblio.subject(external), path) == code


@pytest.mark.parametrize("name", ["", " ", HUGE, "Acme", *UNREADABLE, None])
def test_a_tenant_that_is_none_is_refused(path: Path, name: Any) -> None:
    with opened(path) as oblio:
        assert told_nothing(lambda: oblio.tenant(name), path) == "tenant.bad_name"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HUGE, Reason.TOO_LONG),
        ("", Reason.UNREADABLE),
        (" \n ", Reason.UNREADABLE),
        (None, Reason.UNREADABLE),
        (b"bytes", Reason.UNREADABLE),
        *((text, Reason.UNREADABLE) for text in UNREADABLE),
    ],
)
def test_a_text_that_cannot_be_one_is_refused_on_every_way_in(path: Path, text: Any, reason: Reason) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        kept = remembered(anna, "Likes tea in the morning")
        for answer in (anna.remember(text), anna.correct(kept, text)):
            assert answer == Refused(reasons=(reason,))
            assert CANARY not in repr(answer)
        if text is not None:
            assert anna.derive("profile", sources=(kept,), text=text) == Refused(reasons=(reason,))
        assert [each.text for each in anna.memories()] == ["Likes tea in the morning"]
        assert list(anna.derived()) == []


def test_a_question_that_cannot_be_one_is_refused(path: Path) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        remembered(anna, "Likes tea in the morning")
        assert told_nothing(lambda: anna.recall(HUGE), path) == "recall.query_too_long"
        for query in ("", " \n", None, b"tea"):
            assert told_nothing(lambda query=query: anna.recall(query), path) == "recall.empty_query"  # type: ignore[misc]
        for limit in (0, -1, 10**9, True, "3"):
            assert told_nothing(lambda limit=limit: anna.recall("tea", limit=limit), path) == "recall.bad_limit"  # type: ignore[misc]
        # Strange characters are no harm in a question: nothing of it is kept.
        assert [each.text for query in UNREADABLE for each in anna.recall(query)] == ["Likes tea in the morning"] * 3


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"said_at": datetime(2026, 11, 30)}, "memory.bad_time"),  # noqa: DTZ001 -- the naive time is the point
        ({"said_at": "yesterday"}, "memory.bad_time"),
        ({"kind": "secret"}, "memory.no_such_kind"),
        ({"kind": CANARY}, "memory.no_such_kind"),
        ({"kind": ""}, "memory.no_such_kind"),
        ({"sources": ("nothing",)}, "item.bad_id"),
        ({"sources": (CANARY,)}, "item.bad_id"),
        ({"sources": (new_id(),)}, "item.unknown"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(path: Path, more: dict[str, Any], code: str) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        assert told_nothing(lambda: anna.remember(f"Likes {CANARY}", **more), path) == code
        assert list(anna.memories()) == []


@pytest.mark.parametrize("bad", ["", " ", HUGE, *UNREADABLE, None, "0" * 31, "g" * 32])
def test_an_item_or_request_that_cannot_be_one_is_refused(path: Path, bad: Any) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        kept = remembered(anna, "Likes tea in the morning")
        acts: list[Callable[[], object]] = [
            lambda: anna.forget(bad),
            lambda: anna.memory(bad),
            lambda: anna.trace(bad),
            lambda: anna.correct(bad, "Likes coffee"),
            lambda: oblio.retry(bad),
            lambda: oblio.receipt(bad),
            lambda: oblio.request(bad, recovery=bad),
        ]
        assert {told_nothing(act, path) for act in acts} == {"item.bad_id"}
        if bad is not None:
            assert told_nothing(lambda: anna.erase(plan=bad), path) == "erasure.plan_changed"
            assert told_nothing(lambda: oblio.request(new_id(), recovery=bad), path) == "erasure.unknown_request"
        assert [each.id for each in anna.memories()] == [kept]


@pytest.mark.parametrize("source", ["", "/nowhere/at/all", f"{CANARY}\0", f"{CANARY}\ud800"])
def test_a_source_that_cannot_be_read_is_refused(path: Path, source: str) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        assert told_nothing(lambda: oblio.import_(source, subject=anna), path) == "ingest.source_missing"


def test_a_hundred_thousand_sources_are_refused_at_once(path: Path) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        kept = remembered(anna, "Likes tea in the morning")
        many = [new_id() for _ in range(MANY)]
        for act in (
            lambda: anna.derive("profile", sources=many),
            lambda: anna.derive("profile", sources=[kept] * MANY),
            lambda: anna.remember("Likes tea", sources=many),
        ):
            assert told_nothing(act, path) == "provenance.too_many_sources"
        assert len(list(anna.memories())) == 1


def test_a_chain_that_is_too_long_is_refused_and_what_there_is_of_it_is_forgotten_whole(path: Path) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        root = link = remembered(anna, "Likes tea in the morning")
        links = 0

        def longer() -> str:
            made = anna.derive("profile", sources=(link,))
            assert isinstance(made, Kept)
            return made.id

        while links < 64:
            try:
                link = longer()
            except Exception:  # noqa: BLE001 -- looked at below
                break
            links += 1
        assert told_nothing(longer, path) == "provenance.too_deep"
        assert links > 10
        receipt = anna.forget(root)
        receipt.verify(oblio.public_key)
        assert list(anna.memories()) == []
        assert list(anna.derived()) == []


def test_a_long_chain_of_memories_is_forgotten_whole(path: Path) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        root = link = remembered(anna, "Likes tea in the morning")
        for number in range(300):
            link = remembered(anna, f"Likes tea with {number}", sources=(link,))
        anna.forget(root)
        assert list(anna.memories()) == []


def test_an_item_cannot_be_made_from_itself_and_a_forged_cycle_does_not_hold_up_an_erasure(path: Path) -> None:
    with opened(path) as oblio:
        anna = person(oblio)
        first, second = (remembered(anna, f"Likes tea number {number}") for number in range(2))
        made = anna.derive("profile", sources=(first, second))
        assert isinstance(made, Kept)
        # The only way to close a circle is a write to the database behind our back.
        with connected(path) as connection:
            for item, source in ((first, made.id), (made.id, made.id)):
                row = (bytes.fromhex(item), bytes.fromhex(source))
                connection.execute("INSERT INTO edges (item, source) VALUES (?, ?)", row)
        assert made.id in anna.trace(made.id).derived
        assert told_nothing(lambda: anna.forget(first), path) == "provenance.cycle"
        assert len(list(anna.memories())) == 2
        anna.erase().verify(oblio.public_key)
        assert list(oblio.subject("anna").memories()) == []


# -------------------------------------------------------------------------------------------------------------- files


def keys(path: Path) -> Path:
    return path.with_suffix(".keys")


def only(path: Path, pattern: str) -> Path:
    """Return the one file of a key place with such a name."""
    (found,) = keys(path).glob(pattern)
    return found


Break = Callable[[Path, Path], None]


def _cut(file: Path, size: int) -> None:
    with file.open("r+b") as opened_file:
        opened_file.truncate(size)


BROKEN: Final[dict[str, tuple[Break, set[str]]]] = {
    "epoch key of another store": (
        lambda path, other: _replace(only(path, "epoch.*.key"), only(other, "epoch.*.key")),
        {"vault.place_broken", "vault.key_foreign"},
    ),
    "store key of another store": (
        lambda path, other: _replace(keys(path) / "store.key", keys(other) / "store.key"),
        {"store.forged", "vault.ledger_forged", "vault.place_broken", "vault.wrong_store"},
    ),
    "whole key place of another store": (
        lambda path, other: _replace(keys(path), keys(other)),
        {"store.forged", "vault.wrong_store"},
    ),
    "missing key place": (lambda path, _: shutil.rmtree(keys(path)), {"vault.place_missing"}),
    "missing store key": (lambda path, _: (keys(path) / "store.key").unlink(), {"vault.place_missing"}),
    "missing signer key": (lambda path, _: (keys(path) / "signer.key").unlink(), {"vault.place_missing"}),
    "missing head": (lambda path, _: (keys(path) / "head").unlink(), {"vault.place_missing"}),
    "missing ledger": (lambda path, _: (keys(path) / "ledger").unlink(), {"vault.place_missing"}),
    "missing slot file": (lambda path, _: only(path, "slots.*").unlink(), {"vault.slot_file_missing"}),
    "missing epoch key": (
        lambda path, _: only(path, "epoch.*.key").unlink(),
        {"vault.epoch_gone", "vault.place_broken"},
    ),
    "slot file without slots": (lambda path, _: _cut(only(path, "slots.*"), 4096), {"vault.slot_file_truncated"}),
    "slot file cut in its header": (lambda path, _: _cut(only(path, "slots.*"), 100), {"vault.slot_file_truncated"}),
    "empty slot file": (lambda path, _: _cut(only(path, "slots.*"), 0), {"vault.slot_file_truncated"}),
    "empty store key": (lambda path, _: _cut(keys(path) / "store.key", 0), {"vault.format_unknown"}),
    "key place for the group": (lambda path, _: keys(path).chmod(0o750), {"vault.place_exposed"}),
    "store key for everybody": (lambda path, _: (keys(path) / "store.key").chmod(0o644), {"vault.place_exposed"}),
    "slot file for the group": (lambda path, _: only(path, "slots.*").chmod(0o640), {"vault.place_exposed"}),
    "database cut in half": (
        lambda path, _: _cut(path, path.stat().st_size // 2 // 4096 * 4096),
        {"storage.corrupt"},
    ),
    "database cut within a page": (lambda path, _: _cut(path, path.stat().st_size - 1000), {"storage.corrupt"}),
    "database cut to one page": (lambda path, _: _cut(path, 4096), {"storage.corrupt"}),
    "empty database": (lambda path, _: _cut(path, 0), {"store.database_lost"}),
    "no database": (lambda path, _: path.unlink(), {"store.database_lost"}),
    "not a database": (lambda path, _: _write(path, b"Likes the quokkasandwich. " * 900), {"storage.not_a_database"}),
    "database of another program": (lambda path, _: _foreign(path), {"storage.foreign_database"}),
}
"""What is done to the files, and the codes that may be the answer."""


def _replace(there: Path, by: Path) -> None:
    if by.is_dir():
        shutil.rmtree(there)
        shutil.copytree(by, there)
    else:
        shutil.copy(by, there)


def _write(path: Path, body: bytes) -> None:
    path.write_bytes(body)


def _foreign(path: Path) -> None:
    path.unlink()
    connection = dbapi2.connect(str(path))
    connection.execute("CREATE TABLE notes (body TEXT)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("erased", [False, True], ids=["new", "after an erasure"])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_and_nothing_is_lost_by_looking(
    path: Path, tmp_path: Path, name: str, *, erased: bool
) -> None:
    before = filled(path, forget=erased)
    aside = tmp_path / "aside"
    shutil.copytree(path.parent, aside)
    other = tmp_path / "other" / "agent.db"
    other.parent.mkdir()
    filled(other)
    breaking, codes = BROKEN[name]
    breaking(path, other)
    for _ in range(2):  # the first look must not mend it into an empty store
        assert told_nothing(lambda: texts(path), path) in codes
    for each in path.parent.glob("agent.db*"):
        each.unlink()
    shutil.rmtree(keys(path), ignore_errors=True)
    shutil.copytree(aside, path.parent, dirs_exist_ok=True)
    assert texts(path) == before


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"no-{CANARY}" / "agent.db"
    assert told_nothing(lambda: opened(path), path) in {"storage.not_writable", "vault.place_missing"}
    assert told_nothing(lambda: Oblio.open(path, settings=SETTINGS, create=False), path) == "store.missing"


def test_a_folder_in_the_place_of_the_database_is_named(path: Path) -> None:
    path.mkdir()
    assert told_nothing(lambda: opened(path), path) in {"storage.not_writable", "vault.place_missing"}


# -------------------------------------------------------------------------------------------------------------- disks


@needs_mounts
@pytest.mark.slow
def test_a_full_disk_loses_nothing_and_the_store_goes_on_when_there_is_room(tmp_path: Path) -> None:
    told = run("full", tmp_path)
    assert set(told["faults"].values()) <= {"storage.disk_full", "vault.place_full"}
    assert told["reopened"] in {"storage.disk_full", "vault.place_full", "none"}
    assert told["readable"] == told["kept"] == 12
    assert told["writes_again"]
    assert told["forgets_again"]
    assert told["bo_gone"]
    assert told["open_requests"] == 0
    assert told["log"]


@needs_mounts
@pytest.mark.slow
def test_a_read_only_folder_is_named_and_loses_nothing(tmp_path: Path) -> None:
    told = run("read_only", tmp_path)
    assert told["faults"] == {"open": "storage.not_writable", "create": "storage.not_writable"}
    assert told["kept"] == 12
