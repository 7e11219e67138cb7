"""What every `Store` must do about transactions; `contract_keys` and `contract_records` say the rest.

Subclass the contracts together and give the class a fixture `store`. A claim is a method `test_*` that takes an empty
store. What a backend does not have is named in `lacks`, from the list below, by whoever subclasses: it is never found
out by trying, so a forgotten method fails.

* `settle`: the log is not ours to empty; `settle` must then return false.
* `sizes`: sizes of wrapped keys are not checked.
* `zero`: a zero character in a token is not refused.
* `ids`: what is no id is not refused.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import ClassVar

from oblio.model.subject import Holder
from oblio.ports.store import Store
from oblio.testing import rows
from oblio.testing.claims import refused, same, true


class TransactionContract:
    """Commit, rollback, isolation, threads, and the physical side."""

    lacks: ClassVar[frozenset[str]] = frozenset()

    def test_what_was_committed_is_read_by_every_kind_of_view(self, store: Store) -> None:
        """Claim it."""
        row = _add_holder(store)
        for view in (store.read, store.fresh, store.write):
            with view() as tx:
                same(tx.holders.get(row.holder), row)

    def test_a_block_that_raises_leaves_nothing(self, store: Store) -> None:
        """Claim it."""
        row = rows.holder(slot=0)
        with refused("a block that raises"), store.write() as tx:
            tx.holders.add(row)
            tx.contents.add(rows.unit_id(), b"sealed")
            raise ValueError
        with store.read() as tx:
            same(tx.holders.get(row.holder), None)
            same(tx.holders.free_slot(), 0)

    def test_the_store_is_usable_after_a_refused_write(self, store: Store) -> None:
        """Claim it."""
        row = _add_holder(store)
        with refused("the same holder twice"), store.write() as tx:
            tx.holders.add(row)
        with store.write() as tx:
            tx.holders.add(rows.holder())
        with store.read() as tx:
            same(len(tx.holders.page(after=None, limit=10)), 2)

    def test_a_view_does_not_see_what_is_committed_after_its_first_query(self, store: Store) -> None:
        """Claim it."""
        row = _add_holder(store)
        with store.read() as before:
            same(before.holders.get(row.holder), row)
            _in_thread(lambda: _put(store, replace(row, version=99)))
            same(before.holders.get(row.holder), row)
        with store.read() as after:
            same(after.holders.get(row.holder), replace(row, version=99))

    def test_a_view_does_not_see_an_open_write(self, store: Store) -> None:
        """Claim it."""
        row = rows.holder()
        with store.write() as tx:
            tx.holders.add(row)
            same(_in_thread(lambda: _get(store, row)), None)
        same(_get(store, row), row)

    def test_writing_through_a_view_is_refused(self, store: Store) -> None:
        """Claim it."""
        row = rows.holder()
        for view in (store.read, store.fresh):
            with refused("a write through a view"), view() as tx:
                tx.holders.add(row)
        same(_get(store, row), None)

    def test_a_write_inside_a_write_of_the_same_thread_is_refused_at_once(self, store: Store) -> None:
        """Claim it."""
        with store.write(), refused("a second write"), store.write():
            pass

    def test_two_threads_that_count_lose_no_count(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            tx.singletons.create(rows.store_row(), rows.vault_row())

        def count(_: int) -> None:
            with store.write() as tx:
                row = tx.singletons.vault()
                tx.singletons.put_vault(replace(row, counter=row.counter + 1))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(40)))
        with store.read() as tx:
            same(tx.singletons.vault().counter, 40)

    def test_many_threads_read_while_one_writes(self, store: Store) -> None:
        """Claim it."""
        row = _add_holder(store)
        ready = threading.Barrier(5, timeout=30)

        def look(_: int) -> Holder | None:
            with store.read() as tx:
                ready.wait()
                return tx.holders.get(row.holder)

        with ThreadPoolExecutor(4) as pool, store.write() as tx:
            tx.holders.add(rows.holder())
            looks = pool.map(look, range(4))
            ready.wait()
            same(list(looks), [row] * 4)

    def test_settling_an_idle_store_works_or_says_that_it_cannot(self, store: Store) -> None:
        """Claim it."""
        _add_holder(store)
        same(store.settle(), "settle" not in self.lacks, "the answer of settle")

    def test_compacting_keeps_every_row(self, store: Store) -> None:
        """Claim it."""
        row = _add_holder(store)
        store.compact()
        same(_get(store, row), row)

    def test_the_size_counts_content(self, store: Store) -> None:
        """Claim it."""
        before = store.size()
        with store.write() as tx:
            tx.contents.add(rows.unit_id(), os.urandom(1_000_000))
        true(store.size() >= before + 900_000, "a megabyte of ciphertext makes the store larger")

    def test_closing_twice_is_quiet(self, store: Store) -> None:
        """Claim it."""
        store.close()
        store.close()


class SingletonsContract:
    """The two one-row tables."""

    def test_a_new_store_has_no_row_and_says_so(self, store: Store) -> None:
        """Claim it."""
        with store.read() as tx:
            same(tx.singletons.store(), None)
        with refused("the vault row before it is there"), store.read() as tx:
            tx.singletons.vault()

    def test_both_rows_come_back_as_they_went_in(self, store: Store) -> None:
        """Claim it."""
        row, vault = rows.store_row(), rows.vault_row()
        later = replace(
            vault,
            new=2,
            progress=7,
            retiring=1,
            counter=9,
            rotation_started_at=rows.EARLY,
            rotation_finished_at=rows.AT,
        )
        with store.write() as tx:
            tx.singletons.create(row, vault)
            same(tx.singletons.vault(), vault)
            tx.singletons.put_vault(later)
        with store.read() as tx:
            same((tx.singletons.store(), tx.singletons.vault()), (row, later))

    def test_a_store_is_created_once(self, store: Store) -> None:
        """Claim it."""
        with store.write() as tx:
            tx.singletons.create(rows.store_row(), rows.vault_row())
        with refused("a second creation"), store.write() as tx:
            tx.singletons.create(rows.store_row(), rows.vault_row())


def _in_thread(act: Callable[[], object], /) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result(timeout=30)


def _add_holder(store: Store, /) -> Holder:
    row = rows.holder()
    with store.write() as tx:
        tx.holders.add(row)
    return row


def _put(store: Store, row: Holder, /) -> None:
    with store.write() as tx:
        tx.holders.put(row)


def _get(store: Store, row: Holder, /) -> Holder | None:
    with store.read() as tx:
        return tx.holders.get(row.holder)
