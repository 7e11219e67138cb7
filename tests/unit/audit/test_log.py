"""Tests of `oblio.audit.log`: positions, signing, the copy outside, and what a crash leaves."""

from dataclasses import replace

import pytest
from tests.unit.audit.conftest import ORIGIN, World, fact

from oblio.audit import tree
from oblio.audit.checkpoint import Checkpoint, read_checkpoint
from oblio.audit.keys import PublicKey
from oblio.audit.log import AuditLog, commitment
from oblio.audit.signer import Signer
from oblio.errors.audit import (
    CheckpointMissing,
    EntryTooLarge,
    HistoryRewritten,
    KeyMalformed,
    LogBehind,
    LogForked,
    NodeMissing,
    OriginForeign,
    PositionUnknown,
    TailRemoved,
    UnsignedTail,
)
from oblio.model.audit import MAX_ENTRY_BYTES, AuditAction, AuditEntry

MARKER = fact(action=AuditAction.LOG_REPAIRED, count=None)


def dropped(index: int) -> AuditEntry:
    return fact(action=AuditAction.ENTRY_DROPPED, leaf=index, count=1)


def test_a_recorded_fact_waits_and_has_no_position(world: World) -> None:
    assert world.log.record(world.tables, fact(1)) == 0
    assert world.tables.size() == 0
    assert world.log.find(world.tables, fact(1)) is None


def test_sequencing_gives_positions_in_order_and_signs_the_root(world: World) -> None:
    head = world.add(3, 1, 2)
    assert [body for _, body in world.tables.entries(0, 9)] == [fact(n).canonical() for n in (3, 1, 2)]
    assert world.tables.pending == {}
    read = read_checkpoint(head.note, PublicKey.parse(world.log.public_key))
    assert read == head
    assert (head.size, head.root) == (3, tree.root(3, world.tables.nodes))


def test_a_batch_has_a_limit_and_the_rest_waits(world: World) -> None:
    for count in range(5):
        world.log.record(world.tables, fact(count))
    first = world.log.sequence(world.tables, limit=3)
    assert first
    assert (first.size, len(world.tables.pending)) == (3, 2)
    world.log.publish(first)
    second = world.log.sequence(world.tables, limit=3)
    assert second
    assert second.size == 5


def test_an_empty_log_has_no_checkpoint_and_an_idle_one_keeps_its_last(world: World) -> None:
    assert world.log.sequence(world.tables) is None
    head = world.add(1)
    assert world.log.sequence(world.tables) == head
    assert list(world.tables.checkpoints) == [1]


def test_two_checkpoints_are_consistent(world: World) -> None:
    old, new = world.add(1, 2, 3), world.add(4, 5)
    proof = tree.consistency_proof(old.size, new.size, world.tables.nodes)
    tree.verify_consistency(proof, old=old.size, old_root=old.root, new=new.size, new_root=new.root)


def test_an_entry_is_found_from_the_position_that_record_returned(world: World) -> None:
    world.add(*range(1_500))
    since = world.log.record(world.tables, fact(7))
    assert since == 1_000  # a lower bound: 500 facts wait before this one
    world.add()
    assert world.log.find(world.tables, fact(7)) == 7
    assert world.log.find(world.tables, fact(7), since=since) == 1_500
    assert world.log.find(world.tables, fact(1_499)) == 1_499
    assert world.log.find(world.tables, fact(9), since=10) is None


def test_every_entry_has_a_proof_against_the_last_checkpoint(grown: World) -> None:
    for index in range(11):
        proof = grown.log.inclusion(grown.tables, index)
        head = read_checkpoint(proof.checkpoint, grown.signer.key)
        leaf = tree.leaf_hash(proof.entry)
        tree.verify_inclusion(leaf, proof.proof, index=index, size=head.size, root=head.root)
        assert (proof.origin, proof.index, proof.entry) == (ORIGIN, index, fact(index).canonical())


def test_a_proof_of_what_does_not_exist_is_refused(grown: World) -> None:
    with pytest.raises(PositionUnknown):
        grown.log.inclusion(grown.tables, 11)
    with pytest.raises(PositionUnknown):
        grown.log.inclusion(grown.tables, -1)
    with pytest.raises(CheckpointMissing):
        World().log.inclusion(World().tables, 0)


def test_the_tree_refuses_positions_and_sizes_it_does_not_have(grown: World) -> None:
    for index, size in ((-1, 5), (5, 5), (0, 0)):
        with pytest.raises(PositionUnknown):
            tree.inclusion_proof(index, size, grown.tables.nodes)
    for old, new in ((0, 5), (6, 5)):
        with pytest.raises(PositionUnknown):
            tree.consistency_proof(old, new, grown.tables.nodes)
    with pytest.raises(NodeMissing):
        tree.root(12, grown.tables.nodes)


def test_a_leaf_has_a_largest_size() -> None:
    assert len(tree.leaf_hash(bytes(MAX_ENTRY_BYTES))) == tree.HASH_BYTES
    with pytest.raises(EntryTooLarge):
        tree.leaf_hash(bytes(MAX_ENTRY_BYTES + 1))


def test_a_crash_before_the_commit_leaves_the_facts_waiting(world: World) -> None:
    world.add(1)
    world.log.record(world.tables, fact(2))
    assert world.log.repair(world.tables, MARKER) is False
    assert world.add().size == 2


def test_a_crash_between_commit_and_copy_is_repaired_with_a_marker(world: World) -> None:
    world.add(1)
    world.log.record(world.tables, fact(2))
    head = world.log.sequence(world.tables)  # the commit came, the copy did not
    assert head
    assert world.log.repair(world.tables, MARKER) is True
    assert world.place.note == head.note
    assert world.log.repair(world.tables, MARKER) is False
    world.add()
    assert world.log.find(world.tables, MARKER) == 2


def test_a_lost_copy_is_written_again(grown: World) -> None:
    grown.place.note = None
    assert grown.log.repair(grown.tables, MARKER) is True
    assert grown.place.note == grown.tables.last_checkpoint()


def test_repair_takes_a_marker_only(world: World) -> None:
    assert world.log.repair(world.tables, MARKER) is False
    with pytest.raises(ValueError, match="log_repaired"):
        world.log.repair(world.tables, fact())


def test_the_copy_never_goes_backwards(world: World) -> None:
    old = world.add(1)
    new = world.add(2)
    world.log.publish(old)
    assert world.place.note == new.note
    world.log.publish(new)
    assert world.place.note == new.note


def test_a_copy_of_the_same_size_and_another_root_is_a_fork(world: World) -> None:
    world.add(1, 2)
    other = World()
    with pytest.raises(LogForked) as caught:
        world.log.publish(other.add(1, 3))
    assert caught.value.facts == {"first": 0, "last": 1}


def test_a_rolled_back_database_is_found_and_nothing_is_signed(world: World) -> None:
    world.add(1)
    before = dict(world.tables.leaves), dict(world.tables.hashes), dict(world.tables.checkpoints)
    world.add(2, 3)
    world.tables.leaves, world.tables.hashes, world.tables.checkpoints = before
    world.log.record(world.tables, fact(4))
    for act in (world.log.sequence, lambda tables: world.log.repair(tables, MARKER)):
        with pytest.raises(LogBehind) as caught:
            act(world.tables)
        assert caught.value.facts == {"known": 3, "size": 1}
    assert world.tables.size() == 1


def test_a_database_that_went_on_without_the_copy_is_a_fork(world: World) -> None:
    world.add(1, 2)
    other = World(place=world.place)
    other.place.note = None
    other.add(1, 3, 4)
    with pytest.raises(LogBehind):
        world.log.sequence(world.tables)
    twin = World()
    twin.add(1, 9, 4, 5)
    twin.place.note = other.tables.last_checkpoint()
    with pytest.raises(LogForked):
        twin.log.sequence(twin.tables)


def test_nothing_is_signed_on_top_of_damage(grown: World) -> None:
    checkpoint = grown.tables.checkpoints.pop(11)
    with pytest.raises(LogBehind):
        grown.log.sequence(grown.tables)
    grown.place.note = None
    with pytest.raises(UnsignedTail) as tail:
        grown.log.sequence(grown.tables)
    assert tail.value.facts == {"first": 5, "last": 10}
    grown.tables.checkpoints = {}
    with pytest.raises(CheckpointMissing):
        grown.log.sequence(grown.tables)
    grown.tables.checkpoints = {11: checkpoint}
    grown.tables.hashes[3, 0] = bytes(32)
    with pytest.raises(HistoryRewritten):
        grown.log.sequence(grown.tables)
    del grown.tables.leaves[10]
    with pytest.raises(TailRemoved) as cut:
        grown.log.sequence(grown.tables)
    assert cut.value.facts == {"first": 10, "last": 10}


def test_a_checkpoint_of_another_log_is_not_taken_for_ours(grown: World) -> None:
    stranger = AuditLog(grown.signer, origin="oblio.example/other", place=grown.place)
    with pytest.raises(OriginForeign):
        stranger.sequence(grown.tables)
    with pytest.raises(KeyMalformed):
        AuditLog(grown.signer, origin="two words", place=grown.place)


def test_the_name_of_the_key_and_of_the_log_may_differ(world: World) -> None:
    log = AuditLog(Signer("oblio.example/key", bytes(32)), origin=ORIGIN, place=world.place)
    log.record(world.tables, fact())
    head = log.sequence(world.tables)
    assert head
    assert head.origin == ORIGIN


def test_dropping_the_bytes_of_an_entry_keeps_the_tree_and_is_recorded(grown: World) -> None:
    grown.log.drop(grown.tables, 4, dropped)
    head = grown.add()
    assert grown.tables.entry(4) is None
    assert head.size == 12
    assert grown.log.find(grown.tables, dropped(4)) == 11
    proof = tree.inclusion_proof(4, head.size, grown.tables.nodes)
    leaf = tree.leaf_hash(fact(4).canonical())
    tree.verify_inclusion(leaf, proof, index=4, size=head.size, root=head.root)
    with pytest.raises(PositionUnknown):
        grown.log.drop(grown.tables, 4, dropped)
    with pytest.raises(PositionUnknown):
        grown.log.inclusion(grown.tables, 4)


@pytest.mark.parametrize("why", [lambda _: fact(), lambda index: replace(dropped(0), leaf=index + 1)])
def test_dropping_must_name_what_it_drops(grown: World, why: object) -> None:
    assert callable(why)
    with pytest.raises(ValueError, match="entry_dropped"):
        grown.log.drop(grown.tables, 3, why)
    assert grown.tables.entry(3) == fact(3).canonical()


def test_a_new_log_can_commit_to_the_last_known_checkpoint(grown: World) -> None:
    digest = commitment(grown.place.note or b"")
    entry = fact(action=AuditAction.LOG_CONTINUED, digest=digest, count=11)
    assert AuditEntry.from_canonical(entry.canonical()).digest == digest
    assert commitment(b"another note") != digest


def test_a_checkpoint_shows_no_note_in_its_repr(grown: World) -> None:
    head = grown.add()
    assert isinstance(head, Checkpoint)
    assert "note" not in repr(head)
    assert "entry" not in repr(grown.log.inclusion(grown.tables, 0))
