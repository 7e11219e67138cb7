"""Others at work while somebody is erased: late writes are refused, erasers agree, readers see nothing afterwards."""

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.fault.world import FIRST, SECOND, SHARED, facts, faults, folder, furnish, opened, the
from tests.fault.zygote import ENDED, Order, Zygote

from oblio.errors.access import AlreadyThere, ErasedSource, SubjectErased, SubjectLocked, UnknownItem
from oblio.errors.provenance import DeriverFailed
from oblio.model.erasure import Result
from oblio.model.memory import ItemType
from oblio.service.oblio import Oblio
from oblio.wiring import Parts

pytestmark = pytest.mark.slow

REFUSED = (SubjectErased, SubjectLocked)


@pytest.fixture
def place() -> Iterator[Path]:
    here = folder()
    with opened(here) as (oblio, _parts):
        furnish(oblio, here)
    yield here
    shutil.rmtree(here)


@pytest.fixture
def store(place: Path) -> Iterator[tuple[Oblio, Parts]]:
    with opened(place) as found:
        yield found


@contextmanager
def busy(*deeds: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Repeat each deed in a thread of its own while the block runs; yield what waits until each was done once more."""
    stop, failed = threading.Event(), []
    counts, moved = [0] * len(deeds), threading.Condition()

    def repeat(number: int) -> None:
        try:
            while not stop.is_set():
                deeds[number]()
                with moved:
                    counts[number] += 1
                    moved.notify_all()
        except BaseException as error:  # noqa: BLE001 -- shown by the test
            failed.append(error)
            with moved:
                moved.notify_all()

    def once_more() -> None:
        with moved:
            before = list(counts)
            moved.wait_for(lambda: bool(failed) or all(a > b for a, b in zip(counts, before, strict=True)), timeout=60)

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(len(deeds))]
    with ExitStack() as ending:
        for thread in threads:
            ending.callback(thread.join)
        ending.callback(stop.set)
        for thread in threads:
            thread.start()
        once_more()
        yield once_more
    assert not failed


def test_writes_during_an_erasure_are_refused_and_leave_nothing(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna, theirs = oblio.subject("anna"), facts(oblio).people["bo"]["memories"]
    refused = threading.Event()

    def write() -> None:
        try:
            anna.remember("Prefers quiet rooms")
        except REFUSED:
            refused.set()

    def derive() -> None:
        try:
            anna.derive("summary", sources=[memory.id for memory in list(anna.memories())[:2]])
        except REFUSED:
            refused.set()

    anna.ticket()
    with busy(write, derive) as once_more:
        receipt = anna.erase()
        once_more()
    assert receipt.payload.result is Result.COMPLETE
    assert refused.is_set()
    assert list(oblio.subject("anna").memories()) == []
    assert facts(oblio).people["bo"]["memories"] == theirs
    assert faults(parts) == []


def test_a_source_that_is_being_forgotten_gets_no_new_descendants(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    item = the(oblio, "anna", FIRST)

    def derive() -> None:
        try:
            anna.derive("summary", sources=[item])
        except (ErasedSource, UnknownItem, DeriverFailed, AlreadyThere):
            return

    with busy(derive) as once_more:
        anna.forget(item)
        once_more()
    assert not [each for each in anna.derived() if FIRST in (each.text or "")]
    assert faults(parts, blank=True) == []


def test_two_erasers_in_threads_get_one_receipt(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    handles = [oblio.subject("anna") for _ in range(4)]
    for handle in handles:
        handle.ticket()
    with ThreadPoolExecutor(len(handles)) as pool:
        receipts = list(pool.map(lambda handle: handle.erase(), handles))
    assert len({receipt.payload.request for receipt in receipts}) == 1
    assert len({receipt.to_json() for receipt in receipts}) == 1
    assert len(facts(oblio).requests) == 1
    assert faults(parts) == []


def test_erasers_of_different_people_in_processes_all_complete(place: Path) -> None:
    with Zygote() as one, Zygote() as two, Zygote() as three:
        for zygote, life in ((one, "erase"), (two, "open"), (three, "open")):
            zygote.start(Order(life=life, path=str(place)))
        with opened(place) as (oblio, _parts):
            bo = oblio.subject("bo").erase()
        assert [zygote.ending() for zygote in (one, two, three)] == [ENDED] * 3
    with opened(place) as (oblio, parts):
        bo.verify(oblio.public_key)
        assert [found[:3] for found in facts(oblio).requests] == [("subject", "completed", Result.COMPLETE)] * 2
        assert faults(parts) == []


def test_no_recall_that_begins_after_a_forget_returned_finds_the_text(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna = oblio.subject("anna")
    item, forgotten, late = the(oblio, "anna", FIRST), threading.Event(), threading.Event()

    def recall() -> None:
        gone = forgotten.is_set()
        texts = {found.text for found in anna.recall("the northern coast")}
        assert SECOND in texts
        assert not (gone and FIRST in texts)
        if gone:
            late.set()

    with busy(recall, recall) as once_more:
        anna.forget(item)
        forgotten.set()
        once_more()
        once_more()
    assert late.is_set()
    assert faults(parts) == []


def test_a_block_written_during_a_forget_holds_no_erased_vector(store: tuple[Oblio, Parts]) -> None:
    oblio, parts = store
    anna, bo = oblio.subject("anna"), oblio.subject("bo")
    ticket = anna.ticket()
    assert ticket is not None

    def compact() -> None:
        parts.finder.compact(ticket, now=parts.clock())

    with busy(compact) as once_more:
        for text in (FIRST, SHARED):
            assert anna.forget(the(oblio, "anna", text)).payload.result is Result.COMPLETE
            assert text not in {memory.text for memory in anna.memories()}
        once_more()
    with parts.store.read() as tx:
        person = parts.fence.enter(tx, ticket)
        block = {row.unit for row in parts.finder._block(tx, person)}
        live = {row.unit for row in tx.items.of(ticket.subject, types=frozenset({ItemType.MEMORY}))}
    assert block
    assert block <= live
    assert SHARED in {found.text for found in bo.recall("units")}
    assert faults(parts) == []
