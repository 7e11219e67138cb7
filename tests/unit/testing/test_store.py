"""The in-memory store: transactions behave like those of a database."""

import pytest

from oblio.model.ids import HolderId, UnitId, new_id
from oblio.model.subject import Holder
from oblio.ports.store import Store
from oblio.ports.tables import UnitKeyRow
from oblio.testing.store import MemoryStore


def holder(slot: int | None = None) -> Holder:
    return Holder(holder=HolderId(new_id()), slot=slot)


def test_what_a_failed_write_did_is_undone() -> None:
    store: Store = MemoryStore()

    def cut_off() -> None:
        with store.write() as tx:
            tx.holders.add(holder(0))
            raise LookupError

    with pytest.raises(LookupError):
        cut_off()
    with store.read() as tx:
        assert tx.holders.last_slot() == -1


def test_a_reader_keeps_its_snapshot_while_a_writer_commits() -> None:
    store = MemoryStore()
    with store.read() as before:
        with store.write() as tx:
            tx.holders.add(holder(0))
        assert before.holders.last_slot() == -1
    with store.fresh() as after:
        assert after.holders.last_slot() == 0


def test_writing_through_a_read_transaction_raises() -> None:
    store = MemoryStore()
    with pytest.raises(RuntimeError, match="written to"), store.read() as tx:
        tx.contents.add(UnitId(new_id()), b"x")


def test_a_second_write_inside_a_write_raises() -> None:
    store = MemoryStore()
    with store.write(), pytest.raises(RuntimeError, match="open in this thread"), store.write():
        pass


def test_a_retired_slot_is_not_free_and_not_anybody_elses() -> None:
    store = MemoryStore()
    first = Holder(holder=HolderId(new_id()), slot=1, retired_slot=0)
    with store.write() as tx:
        tx.holders.add(first)
        assert tx.holders.free_slot() == 2
        assert [row.holder for row in tx.holders.retired()] == [first.holder]
        with pytest.raises(ValueError, match="slot"):
            tx.holders.add(holder(0))


def test_numbers_of_unit_keys_are_never_given_twice() -> None:
    store = MemoryStore()
    unit, who = UnitId(new_id()), HolderId(new_id())
    row = UnitKeyRow(unit=unit, holder=who, key_no=1, wrapped=bytes(60))
    with store.write() as tx:
        tx.unit_keys.add([row])
        tx.unit_keys.delete([unit])
        tx.unit_keys.add([row])
        assert [found.seq for found in tx.unit_keys.of(who, after=0, limit=9)] == [2]


def test_an_image_put_back_is_the_older_store() -> None:
    store = MemoryStore()
    image = store.image()
    with store.write() as tx:
        tx.holders.add(holder(0))
    store.put_back(image)
    with store.read() as tx:
        assert tx.holders.page(after=None, limit=9) == []
