"""Gone means gone: 0 bytes of what was erased in any file, on a SQLite build that does not overwrite by itself.

Every run proves its own probe: before an erasure all needles are found, and three ways of forgetting that are none
(plain deletes, a table of another shape, no erasure) are seen to leave something behind.
"""

import random
import shutil
from pathlib import Path

import pytest
from tests.e2e.attack import opens
from tests.e2e.populace import LINKED, QUESTIONS, SETTINGS, Populace, fill, seen
from tests.e2e.raw_store import Held, connected, secure_delete_default, wrap_needles

from oblio.errors.access import SubjectErased, SubjectLocked
from oblio.errors.erasure import ErasureNotFinal
from oblio.errors.vault import StoreIsOlder
from oblio.model.erasure import Outcome, Result, State
from oblio.model.memory import Kept
from oblio.service.oblio import Oblio
from oblio.testing.byte_probe import found_elsewhere, found_in

pytestmark = pytest.mark.slow

ROUNDS = 40


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Populace:
    assert secure_delete_default() == 0
    return fill(tmp_path_factory.mktemp("residue"))


@pytest.fixture
def store(filled: Populace, tmp_path: Path) -> Populace:
    return filled.copied(tmp_path / "store")


def found(store: Populace, needles: list[bytes]) -> int:
    """Count, in a process of its own, which needles are in any file of the store."""
    return len(found_elsewhere(store.folder, needles))


def whole_blobs(taken: Held) -> Held:
    """Leave out the recall block: it spans pages, so that a piece of it may be cut in two by a page's end."""
    rest = {unit: body for unit, body in taken.sealed.items() if unit != taken.block}
    return Held(sealed=rest, wraps=taken.wraps, slots=taken.slots, lookup=taken.lookup, block=None)


def block_needles(taken: Held) -> list[bytes]:
    assert taken.block is not None
    body = taken.sealed[taken.block]
    return [body[at : at + 32] for at in range(0, len(body) - 32, 500)]


def test_nothing_of_an_erased_person_is_in_any_file(store: Populace) -> None:
    clear = store.clear()
    with store.opened() as oblio:
        anna = oblio.subject(store.anna)
        first = store.held(anna)
        forgotten = next(iter(anna.memories()))
        anna.forget(forgotten.id)
        anna.recall(QUESTIONS[0])
        now, before = store.held(anna), seen(oblio, store.others)
        old = [needle for wrap in first.wraps.values() for needle in wrap_needles(wrap)] + first.keys()
        assert not set(first.wraps.values()) & set(now.wraps.values())
        live = [*whole_blobs(now).needles(), *now.keys(), now.lookup]
        assert found(store, old) == 0
        assert found(store, live) == len(live)
        assert found(store, block_needles(now)) > 0.9 * len(block_needles(now))
        assert found(store, clear) == 0
        receipt = anna.erase()
        receipt.verify(oblio.public_key)
        assert receipt.payload.result is Result.COMPLETE
        gone = [*live, *now.needles(), *block_needles(now), *old, *first.needles(), *clear]
        assert found(store, gone) == 0
        with pytest.raises(SubjectErased):
            anna.recall(QUESTIONS[0])
        assert list(oblio.subject(store.anna).memories()) == []
        assert seen(oblio, store.others) == before
    assert found(store, gone) == 0
    with store.opened() as oblio:
        assert seen(oblio, store.others) == before
        assert store.mark not in str([each.text for name in store.others for each in oblio.subject(name).derived()])
        assert oblio.verify_audit().entries
    assert found(store, gone) == 0


def test_fifty_memories_forgotten_one_by_one_leave_nothing(store: Populace) -> None:
    dead: set[bytes] = set()
    with store.opened() as oblio:
        anna = oblio.subject(store.anna)
        before = seen(oblio, store.others)
        memories = list(anna.memories())
        for count, each in enumerate(memories[:50]):
            taken = store.held(anna)
            anna.forget(each.id)
            left = store.held(anna)
            vanished = set(taken.sealed) - set(left.sealed)
            assert vanished
            dead |= set(whole_blobs(taken).needles([unit for unit in vanished if unit != taken.block]))
            dead |= {needle for wrap in taken.wraps.values() for needle in wrap_needles(wrap)} | set(taken.keys())
            if taken.block in vanished:
                dead |= set(block_needles(taken))
            if count % 10 == 0:
                assert found(store, sorted(dead)) == 0
                anna.recall(QUESTIONS[count % len(QUESTIONS)])
        assert len(dead) > 10_000
        assert found(store, sorted(dead)) == 0
        alive = [*whole_blobs(store.held(anna)).needles(), *store.held(anna).keys()]
        assert found(store, alive) == len(alive)
        assert {each.id for each in anna.memories()} == {each.id for each in memories[50:]}
        assert seen(oblio, store.others) == before
    assert found(store, sorted(dead)) == 0
    assert found(store, store.clear()) == 0


def test_deleting_rows_only_is_seen_to_leave_them(store: Populace) -> None:
    with store.opened() as oblio:
        taken = store.held(oblio.subject(store.anna))
    with connected(store.path, secure_delete=False) as connection:
        for unit in taken.sealed:
            connection.execute("DELETE FROM contents WHERE unit = ?", (unit,))
            connection.execute("DELETE FROM unit_keys WHERE unit = ?", (unit,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    needles = whole_blobs(taken).needles()
    assert len(found_in(store.folder, needles)) > len(needles) // 2


def test_a_table_of_another_shape_is_seen_to_leave_bytes(tmp_path: Path) -> None:
    """Random keys in the tree itself: rebalanced pages keep what was deleted although it is overwritten on delete."""
    left = 0
    for seed in range(ROUNDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        needles = _other_shape(folder / "x.db", random.Random(seed))
        left = len(found_in(folder, needles))
        if left:
            break
    assert left > 0


def _other_shape(path: Path, draw: random.Random) -> list[bytes]:
    needles: list[bytes] = []
    with connected(path, secure_delete=True) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (k BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID")
        rows = [(draw.randbytes(16), draw.randbytes(draw.randint(40, 900))) for _ in range(1200)]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.execute("COMMIT")
        for key, body in rows[::3]:
            connection.execute("DELETE FROM t WHERE k = ?", (key,))
            needles += [body[:24], body[-24:]]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return needles


def test_a_reader_delays_the_proof_and_not_the_death(store: Populace) -> None:
    with store.opened() as oblio:
        anna = oblio.subject(store.anna)
        taken = store.held(anna)
        with connected(store.path) as reader:
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM contents").fetchone()[0] > len(taken.sealed)
            with pytest.raises(ErasureNotFinal) as caught:
                anna.erase(wait=0.0)
            request = str(caught.value.facts["request"])
            row, steps = oblio.steps(request)
            assert row.state is State.IN_PROGRESS
            assert {(step.outcome, step.reason) for step in steps} == {
                (Outcome.ERASED, None),
                (Outcome.PENDING, "reader_active"),
            }
            with pytest.raises((SubjectErased, SubjectLocked)):
                list(anna.memories())
            assert found(store, taken.keys()) == 0
            assert not opens(taken, store.keys, store.mark.encode())
            reader.execute("ROLLBACK")
        oblio.retry(request)
        receipt = anna.erase()
        receipt.verify(oblio.public_key)
        assert receipt.payload.request == request
        assert receipt.payload.result is Result.COMPLETE
        assert found(store, [*whole_blobs(taken).needles(), *taken.keys()]) == 0
        with connected(store.path) as reader:
            assert reader.execute("SELECT count(*) FROM receipts").fetchone()[0] == 1


def test_an_old_database_beside_the_keys_of_today_opens_nothing(store: Populace, tmp_path: Path) -> None:
    with store.opened() as oblio:
        taken = store.held(oblio.subject(store.anna))
        theirs = store.held(oblio.subject(store.others[-1]))
    old = tmp_path / "old.db"
    shutil.copy(store.path, old)
    together = store.copied(tmp_path / "together")
    # A raw copy of both from before is readable: the limit that receipts name, and the proof that the attack works.
    assert opens(taken, together.keys, store.mark.encode())
    with store.opened() as oblio:
        oblio.subject(store.anna).erase()
    shutil.copy(old, store.path)
    with pytest.raises(StoreIsOlder):
        store.opened()
    assert not opens(taken, store.keys, store.mark.encode())
    assert opens(theirs, store.keys, b"The ")
    assert found(store, taken.keys()) == 0


def test_after_the_replay_an_old_database_is_whole_without_the_erased_person(store: Populace, tmp_path: Path) -> None:
    apart = store.others[LINKED:]
    with store.opened() as oblio:
        taken, before = store.held(oblio.subject(store.anna)), seen(oblio, apart)
    old = tmp_path / "old.db"
    shutil.copy(store.path, old)
    with store.opened() as oblio:
        oblio.subject(store.anna).erase()
        later = oblio.subject(apart[0]).remember("Said after the copy was made")
        assert isinstance(later, Kept)
    shutil.copy(old, store.path)
    done = Oblio.restore(store.path, settings=SETTINGS)
    assert done is not None
    # Who shared a text with her was given a new key when she went: the copy holds nothing that it opens.
    assert (done.erased_subjects, done.unreadable_subjects) == (1, LINKED)
    assert Oblio.restore(store.path, settings=SETTINGS) is None
    with store.opened() as oblio:
        assert seen(oblio, apart) == before
        assert list(oblio.subject(store.anna).memories()) == []
        assert later.id not in {each.id for each in oblio.subject(apart[0]).memories()}
        assert oblio.subject(apart[0]).remember("Said after the replay")
        assert found(store, [*whole_blobs(taken).needles(), *taken.keys(), taken.lookup, *store.clear()]) == 0
    assert found(store, [*whole_blobs(taken).needles(), *taken.keys(), taken.lookup, *store.clear()]) == 0


def test_a_copy_of_the_database_alone_is_dead_after_a_forgotten_memory(store: Populace) -> None:
    with store.opened() as oblio:
        anna = oblio.subject(store.anna)
        taken = store.held(anna)
        anna.forget(next(iter(anna.memories())).id)
        assert not opens(taken, store.keys, store.mark.encode())
        assert opens(store.held(anna), store.keys, store.mark.encode())


def test_a_copy_of_database_and_keys_from_before_stays_readable_and_the_receipt_says_so(
    store: Populace, tmp_path: Path
) -> None:
    copy = store.copied(tmp_path / "copy")
    with store.opened() as oblio:
        receipt = oblio.subject(store.anna).erase()
    assert "keys_beside_data" in receipt.payload.limits
    with Oblio.open(copy.path, settings=SETTINGS) as oblio:
        assert any(store.mark in each.text for each in oblio.subject(store.anna).memories())
