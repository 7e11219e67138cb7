"""Tests of `oblio.audit.verify`: every kind of tampering is found, and it is said where."""

import pytest
from tests.unit.audit.conftest import ORIGIN, World, fact

from oblio.audit import tree
from oblio.audit.checkpoint import Checkpoint
from oblio.audit.signer import Signer
from oblio.audit.verify import LogReport, verify_log
from oblio.errors.audit import (
    CheckpointMissing,
    EntriesMissing,
    EntryChanged,
    HistoryRewritten,
    LogForked,
    NodeChanged,
    NodeMissing,
    NoteForged,
    NoteUnsigned,
    OriginForeign,
    TailRemoved,
    UnsignedTail,
)
from oblio.errors.receipt import DocumentKeyWrong
from oblio.model.audit import AuditAction, AuditEntry
from oblio.ports.audit import NodeKey

LARGE = 2_500  # more than two pages


def check(world: World) -> LogReport:
    return verify_log(world.tables, world.key, outside_note=world.place.note)


def rebuilt(world: World) -> None:
    """Make all hashes anew from the entries, as a forger with write access would."""
    bodies = [body or b"" for _, body in world.tables.entries(0, world.tables.size())]
    world.tables.hashes = {}
    world.tables.add_nodes(tree.grow(0, [tree.leaf_hash(body) for body in bodies], world.tables.nodes))


def resigned(world: World) -> None:
    """Make hashes and the last checkpoint anew, as a forger with the signing key would."""
    rebuilt(world)
    size = world.tables.size()
    head = Checkpoint(origin=ORIGIN, size=size, root=tree.root(size, world.tables.nodes))
    world.tables.checkpoints = {size: world.signer.sign_checkpoint(head).note}


def test_an_untouched_log_is_whole(grown: World) -> None:
    assert check(grown) == LogReport(entries=11, outside=11, documents=0, waiting=False)


def test_an_empty_log_is_whole(world: World) -> None:
    assert check(world) == LogReport(entries=0, outside=None, documents=0, waiting=False)


def test_facts_that_wait_are_reported_and_no_damage(grown: World) -> None:
    grown.log.record(grown.tables, fact())
    assert check(grown).waiting


def test_a_log_of_several_pages_is_read_whole(world: World) -> None:
    world.add(*range(1_000))
    world.add(*range(1_000, LARGE))
    while world.tables.pending:
        world.add()
    assert check(world).entries == LARGE
    world.tables.leaves[2_400] = fact(1).canonical()
    with pytest.raises(EntryChanged):
        check(world)


@pytest.mark.parametrize("index", range(11))
def test_one_flipped_bit_in_any_entry_is_found_and_named(grown: World, index: int) -> None:
    body = grown.tables.leaves[index] or b""
    grown.tables.leaves[index] = body[:-3] + bytes([body[-3] ^ 1]) + body[-2:]
    with pytest.raises(EntryChanged) as caught:
        check(grown)
    assert caught.value.facts == {"index": index}


def keys(size: int) -> list[NodeKey]:
    tables = World()
    tables.add(*range(size))
    return sorted(tables.tables.hashes)


@pytest.mark.parametrize("key", keys(11))
def test_one_flipped_bit_in_any_stored_hash_is_found_and_its_range_named(grown: World, key: NodeKey) -> None:
    value = grown.tables.hashes[key]
    grown.tables.hashes[key] = bytes([value[0] ^ 1]) + value[1:]
    level, index = key
    with pytest.raises((EntryChanged, NodeChanged)) as caught:
        check(grown)
    expected = {"index": index} if level == 0 else {"level": level, "first": index << level}
    assert expected.items() <= caught.value.facts.items()
    assert caught.value.facts.get("last", index) == (index + 1 << level) - 1


@pytest.mark.parametrize("key", keys(11))
def test_a_missing_hash_is_named(grown: World, key: NodeKey) -> None:
    del grown.tables.hashes[key]
    with pytest.raises(NodeMissing) as caught:
        check(grown)
    assert caught.value.facts == {"level": key[0], "index": key[1]}


@pytest.mark.parametrize(("first", "last"), [(0, 0), (3, 5), (9, 9)])
def test_rows_removed_from_the_middle_are_named(grown: World, first: int, last: int) -> None:
    for index in range(first, last + 1):
        del grown.tables.leaves[index]
    with pytest.raises(EntriesMissing) as caught:
        check(grown)
    assert caught.value.facts == {"first": first, "last": last}


def test_a_gap_over_several_pages_is_one_range(world: World) -> None:
    world.add(*range(1_000))
    world.add(*range(1_000, 2_000))
    for index in range(50, 1_990):
        del world.tables.leaves[index]
    with pytest.raises(EntriesMissing) as caught:
        check(world)
    assert caught.value.facts == {"first": 50, "last": 1_989}


def test_rows_removed_from_the_middle_with_the_rest_moved_up_are_found(grown: World) -> None:
    moved = [body for index, body in sorted(grown.tables.leaves.items()) if index != 3]
    grown.tables.leaves = dict(enumerate(moved))
    rebuilt(grown)
    with pytest.raises(TailRemoved):
        check(grown)


def test_a_cut_tail_is_found_against_the_log_s_own_checkpoint(grown: World) -> None:
    del grown.tables.leaves[10]
    with pytest.raises(TailRemoved) as caught:
        verify_log(grown.tables, grown.key)
    assert caught.value.facts == {"first": 10, "last": 10}


def test_a_tail_cut_together_with_its_checkpoint_is_found_against_the_one_outside(grown: World) -> None:
    cut = World()
    cut.add(*range(4))
    cut.add(4)
    assert verify_log(cut.tables, cut.key).outside is None  # by itself it is a whole log
    with pytest.raises(TailRemoved) as caught:
        verify_log(cut.tables, cut.key, outside_note=grown.place.note)
    assert caught.value.facts == {"first": 5, "last": 10}


def test_a_log_emptied_altogether_is_found_against_the_one_outside(grown: World, world: World) -> None:
    assert world is grown
    with pytest.raises(TailRemoved) as caught:
        verify_log(World().tables, grown.key, outside_note=grown.place.note)
    assert caught.value.facts == {"first": 0, "last": 10}


def test_a_cut_tail_is_found_against_an_issued_receipt(grown: World) -> None:
    receipt = grown.document()
    cut = World()
    cut.add(*range(11))
    with pytest.raises(TailRemoved) as caught:
        verify_log(cut.tables, cut.key, receipts=[receipt])
    assert caught.value.facts == {"first": 11, "last": 11}


def test_a_history_rewritten_with_all_its_hashes_is_found_against_the_signature(grown: World) -> None:
    grown.tables.leaves[6] = fact(600).canonical()
    rebuilt(grown)
    with pytest.raises(HistoryRewritten) as caught:
        verify_log(grown.tables, grown.key)
    assert caught.value.facts == {"first": 0, "last": 10}


def test_receipts_narrow_down_where_the_history_was_rewritten(world: World) -> None:
    receipts = [world.document(document=f"{number:032x}") for number in range(4)]
    world.tables.leaves[2] = fact(600).canonical()
    rebuilt(world)
    with pytest.raises(HistoryRewritten) as caught:
        verify_log(world.tables, world.key, receipts=receipts[::-1])
    assert caught.value.facts == {"first": 2, "last": 2}


def test_a_history_rewritten_and_signed_anew_is_found_against_the_checkpoint_outside(grown: World) -> None:
    grown.tables.leaves[6] = fact(600).canonical()
    resigned(grown)
    assert verify_log(grown.tables, grown.key).entries == 11  # nothing inside can show it
    with pytest.raises(LogForked) as caught:
        check(grown)
    assert caught.value.facts == {"first": 0, "last": 10}


def test_a_history_rewritten_and_signed_anew_is_found_against_a_receipt(grown: World) -> None:
    receipt = grown.document()
    grown.add(20, 21)
    grown.tables.leaves[6] = fact(600).canonical()
    resigned(grown)
    with pytest.raises(LogForked) as caught:
        verify_log(grown.tables, grown.key, receipts=[receipt])
    assert caught.value.facts == {"first": 0, "last": 11}


def test_a_forked_tree_that_grew_on_is_found(grown: World) -> None:
    fork = World()
    fork.add(*range(5))
    fork.add(50, 60, 70, 80, 90, 100, 110, 120)
    with pytest.raises(LogForked) as caught:
        verify_log(fork.tables, fork.key, outside_note=grown.place.note)
    assert caught.value.facts == {"first": 0, "last": 10}


def test_an_older_checkpoint_outside_confirms_its_part(grown: World) -> None:
    note = grown.tables.checkpoints[4]
    assert verify_log(grown.tables, grown.key, outside_note=note).outside == 4


def test_rows_behind_the_last_checkpoint_are_named(grown: World) -> None:
    grown.tables.add_leaves([(11, fact().canonical()), (12, fact().canonical())])
    with pytest.raises(UnsignedTail) as caught:
        check(grown)
    assert caught.value.facts == {"first": 11, "last": 12}


def test_entries_without_any_checkpoint_are_refused(grown: World) -> None:
    grown.tables.checkpoints = {}
    with pytest.raises(CheckpointMissing):
        check(grown)


def test_a_checkpoint_of_another_log_is_refused(grown: World) -> None:
    head = Checkpoint(origin="oblio.example/other", size=4, root=bytes(32))
    with pytest.raises(OriginForeign):
        verify_log(grown.tables, grown.key, outside_note=grown.signer.sign_checkpoint(head).note)


def test_a_forged_checkpoint_is_refused(grown: World) -> None:
    note = grown.tables.checkpoints[11]
    grown.tables.checkpoints[11] = note.replace(b"\n11\n", b"\n10\n")
    with pytest.raises(NoteForged):
        check(grown)
    with pytest.raises(NoteUnsigned):
        verify_log(grown.tables, str(Signer(ORIGIN, bytes(32)).key), outside_note=note)


def test_documents_are_compared_with_the_log(grown: World) -> None:
    receipt = grown.document()
    assert verify_log(grown.tables, grown.key, receipts=[receipt]).documents == 1
    with pytest.raises(DocumentKeyWrong):
        verify_log(grown.tables, str(Signer(ORIGIN, bytes(32)).key), receipts=[receipt])


def test_a_receipt_whose_entry_was_dropped_still_agrees(grown: World) -> None:
    receipt = grown.document()
    grown.tables.drop_entry(receipt.log.index)
    report = verify_log(grown.tables, grown.key, receipts=[receipt])
    assert report.unexplained == (receipt.log.index,)


def test_dropped_bytes_are_listed_and_those_without_a_reason_apart(grown: World) -> None:
    def why(index: int) -> AuditEntry:
        return fact(action=AuditAction.ENTRY_DROPPED, leaf=index, count=1)

    grown.log.drop(grown.tables, 2, why)
    grown.add()
    grown.tables.drop_entry(7)
    report = check(grown)
    assert (report.dropped, report.unexplained) == ((2, 7), (7,))


@pytest.mark.parametrize("body", [b'{"v":2,"new":"form"}', b'{"v":1,"action":"entry_dropped","leaf":0,"new":"key"}'])
def test_an_entry_of_a_later_format_is_whole_if_its_hash_is_and_explains_nothing(world: World, body: bytes) -> None:
    world.add(1)
    world.tables.add_pending(body)
    world.add()
    world.tables.drop_entry(0)
    report = check(world)
    assert (report.entries, report.unexplained) == (2, (0,))
