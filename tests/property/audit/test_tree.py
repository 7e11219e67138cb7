"""The tree equals the recursive definition of RFC 6962, for every size up to 200 and for drawn batches."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oblio.audit import tree
from oblio.errors.audit import ConsistencyUnproven, InclusionUnproven
from oblio.testing.audit_tables import MemoryAuditTables

MOST = 200
BODIES = [b"entry %d" % index for index in range(MOST)]


def half(count: int) -> int:
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def naive_root(bodies: Sequence[bytes]) -> bytes:
    if not bodies:
        return sha256(b"").digest()
    if len(bodies) == 1:
        return sha256(b"\x00" + bodies[0]).digest()
    k = half(len(bodies))
    return sha256(b"\x01" + naive_root(bodies[:k]) + naive_root(bodies[k:])).digest()


def naive_path(index: int, bodies: Sequence[bytes]) -> list[bytes]:
    if len(bodies) == 1:
        return []
    k = half(len(bodies))
    if index < k:
        return [*naive_path(index, bodies[:k]), naive_root(bodies[k:])]
    return [*naive_path(index - k, bodies[k:]), naive_root(bodies[:k])]


def naive_subproof(old: int, bodies: Sequence[bytes], *, whole: bool) -> list[bytes]:
    if old == len(bodies):
        return [] if whole else [naive_root(bodies)]
    k = half(len(bodies))
    if old <= k:
        return [*naive_subproof(old, bodies[:k], whole=whole), naive_root(bodies[k:])]
    return [*naive_subproof(old - k, bodies[k:], whole=False), naive_root(bodies[:k])]


def grown(sizes: Sequence[int]) -> tuple[MemoryAuditTables, int]:
    tables, size = MemoryAuditTables(), 0
    for count in sizes:
        batch = [tree.leaf_hash(body) for body in BODIES[size : size + count]]
        tables.add_nodes(tree.grow(size, batch, tables.nodes))
        size += len(batch)
    return tables, size


@pytest.fixture(scope="module")
def tables() -> MemoryAuditTables:
    return grown([MOST])[0]


@pytest.fixture(scope="module")
def roots() -> list[bytes]:
    return [naive_root(BODIES[:size]) for size in range(MOST + 1)]


def test_every_size_has_the_root_of_the_definition(tables: MemoryAuditTables, roots: list[bytes]) -> None:
    assert [tree.root(size, tables.nodes) for size in range(MOST + 1)] == roots


@given(st.integers(0, MOST - 1), st.integers(1, MOST))
def test_paths_are_those_of_the_definition(index: int, size: int) -> None:
    index %= size
    tables = grown([MOST])[0]
    assert tree.inclusion_proof(index, size, tables.nodes) == naive_path(index, BODIES[:size])


@given(st.integers(1, MOST), st.integers(1, MOST))
def test_consistency_proofs_are_those_of_the_definition(one: int, two: int) -> None:
    old, new = min(one, two), max(one, two)
    tables = grown([MOST])[0]
    assert tree.consistency_proof(old, new, tables.nodes) == naive_subproof(old, BODIES[:new], whole=True)


def test_every_leaf_of_every_size_verifies(tables: MemoryAuditTables, roots: list[bytes]) -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = tree.inclusion_proof(index, size, tables.nodes)
            tree.verify_inclusion(tree.leaf_hash(BODIES[index]), proof, index=index, size=size, root=roots[size])


def test_every_pair_of_sizes_is_consistent(tables: MemoryAuditTables, roots: list[bytes]) -> None:
    for new in range(1, MOST + 1):
        for old in range(1, new + 1):
            proof = tree.consistency_proof(old, new, tables.nodes)
            tree.verify_consistency(proof, old=old, old_root=roots[old], new=new, new_root=roots[new])


@given(st.lists(st.integers(0, 40), max_size=8))
def test_the_size_of_the_batches_does_not_change_the_tree(sizes: list[int]) -> None:
    batched, size = grown(sizes)
    single, _ = grown([1] * size)
    assert batched.hashes == single.hashes
    assert tree.root(size, batched.nodes) == naive_root(BODIES[:size])


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_growing_writes_less_than_two_hashes_a_leaf(sizes: list[int]) -> None:
    tables, size = grown(sizes)
    assert size <= len(tables.hashes) < 2 * size


def variants(proof: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield a proof with one bit flipped in each step, each step left out, and one step too many."""
    for position, step in enumerate(proof):
        yield [*proof[:position], bytes([step[0] ^ 1, *step[1:]]), *proof[position + 1 :]]
        yield [*proof[:position], *proof[position + 1 :]]
    yield [*proof, bytes(32)]


@settings(max_examples=60)
@given(st.integers(0, MOST - 1), st.integers(1, MOST), st.integers(-1, MOST + 1), st.integers(0, MOST + 1))
def test_a_changed_path_or_position_proves_nothing(index: int, size: int, other: int, another: int) -> None:
    index %= size
    tables = grown([MOST])[0]
    proof, leaf = tree.inclusion_proof(index, size, tables.nodes), tree.leaf_hash(BODIES[index])
    root = naive_root(BODIES[:size])
    for wrong in variants(proof):
        with pytest.raises(InclusionUnproven):
            tree.verify_inclusion(leaf, wrong, index=index, size=size, root=root)
    if other != index:
        with pytest.raises(InclusionUnproven):
            tree.verify_inclusion(leaf, proof, index=other, size=size, root=root)
    with pytest.raises(InclusionUnproven):
        tree.verify_inclusion(tree.leaf_hash(b"other"), proof, index=index, size=size, root=root)
    if another != size:
        with pytest.raises(InclusionUnproven):
            tree.verify_inclusion(leaf, proof, index=index, size=another, root=naive_root(BODIES[:another]))


@settings(max_examples=60)
@given(st.integers(1, MOST), st.integers(1, MOST))
def test_a_changed_consistency_proof_proves_nothing(one: int, two: int) -> None:
    old, new = min(one, two), max(one, two)
    tables = grown([MOST])[0]
    proof = tree.consistency_proof(old, new, tables.nodes)
    old_root, new_root = naive_root(BODIES[:old]), naive_root(BODIES[:new])
    for wrong in variants(proof):
        with pytest.raises(ConsistencyUnproven):
            tree.verify_consistency(wrong, old=old, old_root=old_root, new=new, new_root=new_root)
    for left, right in ((bytes(32), new_root), (old_root, bytes(32))):
        with pytest.raises(ConsistencyUnproven):
            tree.verify_consistency(proof, old=old, old_root=left, new=new, new_root=right)
