"""Tests of `oblio.testing.audit_tables`: the fake keeps the promises of the port."""

import pytest

from oblio.testing.audit_tables import MemoryAuditTables, MemoryCheckpointPlace


def test_pending_rows_are_taken_in_order_and_dropped_by_number_only() -> None:
    tables = MemoryAuditTables()
    for body in (b"a", b"b", b"c"):
        tables.add_pending(body)
    assert tables.take_pending(2) == [(1, b"a"), (2, b"b")]
    tables.drop_pending([2])
    assert tables.take_pending(9) == [(1, b"a"), (3, b"c")]
    tables.add_pending(b"d")
    assert tables.take_pending(9)[-1] == (4, b"d")


def test_leaves_and_nodes_are_written_once() -> None:
    tables = MemoryAuditTables()
    tables.add_leaves([(0, b"a")])
    tables.add_nodes([(0, 0, bytes(32))])
    with pytest.raises(ValueError, match="1 row"):
        tables.add_leaves([(0, b"b"), (1, b"c")])
    with pytest.raises(ValueError, match="1 row"):
        tables.add_nodes([(0, 0, bytes(32))])
    assert (tables.size(), tables.entry(0), tables.entry(1)) == (1, b"a", None)
    assert tables.nodes([(0, 0), (1, 0)]) == {(0, 0): bytes(32)}


def test_entries_skip_gaps_and_show_dropped_bytes_as_none() -> None:
    tables = MemoryAuditTables()
    tables.add_leaves([(0, b"a"), (1, b"b"), (9, b"c")])
    tables.drop_entry(1)
    tables.drop_entry(5)
    assert tables.entries(0, 2) == [(0, b"a"), (1, None)]
    assert tables.entries(1, 2) == [(1, None), (9, b"c")]
    assert tables.entries(10, 2) == []
    assert tables.size() == 10
    for start, limit in ((-1, 1), (0, 0)):
        with pytest.raises(ValueError, match="at least"):
            tables.entries(start, limit)


def test_the_last_checkpoint_is_the_largest() -> None:
    tables, place = MemoryAuditTables(), MemoryCheckpointPlace()
    assert (tables.last_checkpoint(), place.last()) == (None, None)
    tables.save_checkpoint(10, b"ten")
    tables.save_checkpoint(9, b"nine")
    place.save(b"nine")
    assert (tables.last_checkpoint(), place.last()) == (b"ten", b"nine")


def test_a_restarted_log_is_empty() -> None:
    tables = MemoryAuditTables()
    tables.add_pending(b"a")
    tables.add_leaves([(0, b"a")])
    tables.add_nodes([(0, 0, bytes(32))])
    tables.save_checkpoint(1, b"one")
    tables.restart()
    assert (tables.take_pending(9), tables.size(), tables.last_checkpoint()) == ([], 0, None)
    assert tables.nodes([(0, 0)]) == {}
