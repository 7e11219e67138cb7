"""Whatever holders do with their slots, the free slot is the smallest that is nobody's."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oblio.model.subject import Holder
from oblio.ports.tables import Holders
from oblio.storage.sqlite import SqliteStore, open_sqlite
from oblio.testing import rows

Act = Callable[[Holders, list[Holder], int], None]


def take(holders: Holders, live: list[Holder], _number: int) -> None:
    """A new holder takes the free slot."""
    row = rows.holder(slot=holders.free_slot())
    holders.add(row)
    live.append(row)


def jump(holders: Holders, live: list[Holder], number: int) -> None:
    """A new holder takes a slot beyond all others, as after a change of machines."""
    row = rows.holder(slot=holders.last_slot() + 1 + number)
    holders.add(row)
    live.append(row)


def rekey(holders: Holders, live: list[Holder], number: int) -> None:
    """A holder moves to the free slot and keeps the old one as retired, unless it has one."""
    at = number % len(live)
    if live[at].retired_slot is None:
        live[at] = replace(live[at], slot=holders.free_slot(), retired_slot=live[at].slot)
        holders.put(live[at])


def settle(holders: Holders, live: list[Holder], number: int) -> None:
    """A holder's retired slot is known to be zero."""
    at = number % len(live)
    live[at] = replace(live[at], retired_slot=None)
    holders.put(live[at])


def leave(holders: Holders, live: list[Holder], number: int) -> None:
    """A holder goes."""
    holders.delete(live.pop(number % len(live)).holder)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    with closing(open_sqlite(tmp_path_factory.mktemp("slots") / "agent.db")) as store:
        yield store


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    acts=st.lists(st.tuples(st.sampled_from([take, take, jump, rekey, settle, leave]), st.integers(0, 9)), max_size=25)
)
def test_the_free_slot_is_the_smallest_that_is_nobodys(store: SqliteStore, acts: list[tuple[Act, int]]) -> None:
    live: list[Holder] = []
    with store.write() as tx:
        for act, number in acts:
            if live or act in {take, jump}:
                act(tx.holders, live, number)
            taken = {slot for row in live for slot in (row.slot, row.retired_slot)} - {None}
            assert tx.holders.free_slot() == min(set(range(len(taken) + 1)) - taken)
            assert tx.holders.last_slot() == max((slot for slot in taken if slot is not None), default=-1)
        for row in live:
            tx.holders.delete(row.holder)
