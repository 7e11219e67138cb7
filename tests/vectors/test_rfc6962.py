"""The tree and the notes agree with what other implementations of the same formats publish."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

from oblio.audit import tree
from oblio.audit.checkpoint import read_checkpoint
from oblio.audit.keys import PublicKey, unbase64
from oblio.audit.signer import Signer
from oblio.testing.audit_tables import MemoryAuditTables

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("rfc6962.json").read_text(encoding="ascii"))
LEAVES = [tree.leaf_hash(bytes.fromhex(leaf)) for leaf in VECTORS["leaves"]]
ROOTS = [bytes.fromhex(root) for root in VECTORS["roots"]]

# The key and note in the documentation of Go's sumdb/note, the first implementation of the format.
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_SEED = unbase64("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def grown() -> MemoryAuditTables:
    tables = MemoryAuditTables()
    tables.add_nodes(tree.grow(0, LEAVES, tables.nodes))
    return tables


def test_the_empty_tree_has_the_published_root() -> None:
    assert tree.root(0, grown().nodes).hex() == VECTORS["empty_root"]


@pytest.mark.parametrize("size", range(1, 9))
def test_every_size_has_the_published_root(size: int) -> None:
    assert tree.root(size, grown().nodes) == ROOTS[size - 1]


@pytest.mark.parametrize("case", VECTORS["inclusion"])
def test_inclusion_proofs_are_the_published_ones(case: dict[str, Any]) -> None:
    proof = tree.inclusion_proof(case["index"], case["size"], grown().nodes)
    assert [step.hex() for step in proof] == case["proof"]
    root = ROOTS[case["size"] - 1]
    tree.verify_inclusion(LEAVES[case["index"]], proof, index=case["index"], size=case["size"], root=root)


@pytest.mark.parametrize("case", VECTORS["consistency"])
def test_consistency_proofs_are_the_published_ones(case: dict[str, Any]) -> None:
    old, new = case["old"], case["new"]
    proof = tree.consistency_proof(old, new, grown().nodes)
    assert [step.hex() for step in proof] == case["proof"]
    tree.verify_consistency(proof, old=old, old_root=ROOTS[old - 1], new=new, new_root=ROOTS[new - 1])


def test_the_key_of_the_first_implementation_is_read_and_written() -> None:
    assert str(PublicKey.parse(GO_KEY)) == GO_KEY
    assert str(Signer("PeterNeumann", GO_SEED).key) == GO_KEY


def test_the_note_of_the_first_implementation_is_made_byte_by_byte() -> None:
    assert Signer("PeterNeumann", GO_SEED).sign_note(GO_TEXT) == f"{GO_TEXT}\n{GO_LINE}".encode()


def test_the_signature_of_the_first_implementation_verifies_and_covers_every_byte() -> None:
    key = PublicKey.parse(GO_KEY)
    signature = unbase64(GO_LINE.split(" ")[2].strip())
    assert signature[:4] == key.hash
    key.check(signature[4:], GO_TEXT.encode())
    with pytest.raises(InvalidSignature):
        key.check(signature[4:], GO_TEXT.replace("C", "c").replace("think", "thinK").encode())


def test_a_checkpoint_has_the_published_lines() -> None:
    signer = Signer("example.com/log", GO_SEED)
    root = base64.b64encode(ROOTS[7]).decode()
    note = signer.sign_note(f"example.com/log\n8\n{root}\n")
    head = read_checkpoint(note, signer.key)
    assert (head.origin, head.size, head.root) == ("example.com/log", 8, ROOTS[7])
    assert head.text() == f"example.com/log\n8\n{root}\n"
