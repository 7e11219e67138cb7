"""The Merkle tree of RFC 6962 over stored hashes of complete subtrees.

Invariants:

* a leaf is hashed with the prefix 0x00 and an inner node with 0x01, so neither can pass for the other;
* only complete subtrees are stored, and a stored hash never changes: growing the tree only adds hashes, at most two for
  each leaf on average;
* the functions are pure. They read hashes through `Fetch`, once per call, and a missing hash is a fault, never a guess.

Source: RFC 6962 section 2.1; the checking algorithms are those of RFC 9162 sections 2.1.3.2 and 2.1.4.2.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

from oblio.errors.audit import ConsistencyUnproven, EntryTooLarge, InclusionUnproven, NodeMissing, PositionUnknown
from oblio.model.audit import MAX_ENTRY_BYTES
from oblio.ports.audit import NodeKey, NodeRow

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256().digest()
"""The root of a tree without leaves."""

Fetch: TypeAlias = Callable[[Sequence[NodeKey]], Mapping[NodeKey, bytes]]
"""Returns those of the asked subtree hashes that are stored."""

Span: TypeAlias = tuple[int, int]
"""First leaf and the leaf after the last."""


def leaf_hash(entry: bytes, /) -> bytes:
    """Return the 32 bytes under which an entry stands at the bottom of the tree.

    Raises:
        EntryTooLarge: the entry is longer than the log takes, `MAX_ENTRY_BYTES`.
    """
    size = len(entry)
    if size > MAX_ENTRY_BYTES:
        raise EntryTooLarge(size=size, limit=MAX_ENTRY_BYTES)
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes, /) -> bytes:
    """Hash two subtrees into their parent."""
    return sha256(b"\x01" + left + right).digest()


def peaks(size: int, /) -> list[NodeKey]:
    """Return the complete subtrees that make up a tree of `size` leaves, largest first."""
    return [(level, (size >> level) - 1) for level in reversed(range(size.bit_length())) if size >> level & 1]


def grow(size: int, leaves: Sequence[bytes], fetch: Fetch, /) -> list[NodeRow]:
    """Return the subtree hashes that become complete when `leaves` (hashes) follow the first `size`.

    Raises:
        NodeMissing: a peak of the present tree is not stored.
    """
    found = _fetched(peaks(size), fetch)
    level, start, hashes = 0, size, list(leaves)
    rows: list[NodeRow] = []
    while hashes:
        rows.extend((level, start + offset, value) for offset, value in enumerate(hashes))
        if start & 1:
            hashes.insert(0, found[level, start - 1])
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=False)]
        level, start = level + 1, start >> 1
    return rows


def root(size: int, fetch: Fetch, /) -> bytes:
    """Return the root of the first `size` leaves.

    Raises:
        NodeMissing: a needed hash is not stored.
    """
    return _hashes([(0, size)], fetch)[0] if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, fetch: Fetch, /) -> list[bytes]:
    """Return the audit path of one leaf within the first `size`, from the leaf up.

    Raises:
        PositionUnknown: not `0 <= index < size`.
        NodeMissing: a needed hash is not stored.
    """
    if not 0 <= index < size:
        raise PositionUnknown(index=index, size=size)
    spans: list[Span] = []
    first, end = 0, size
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((first, middle))
            first = middle
    return _hashes(spans[::-1], fetch)


def consistency_proof(old: int, new: int, fetch: Fetch, /) -> list[bytes]:
    """Return the proof that the first `old` leaves are the beginning of the first `new`. Empty when equal.

    Raises:
        PositionUnknown: not `1 <= old <= new`; nothing can be proven about an empty tree.
        NodeMissing: a needed hash is not stored.
    """
    if not 1 <= old <= new:
        raise PositionUnknown(index=old, size=new)
    spans: list[Span] = []
    first, end, whole = 0, new, True
    while old != end:
        middle = first + _split(end - first)
        if old <= middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((first, middle))
            first, whole = middle, False
    if not whole:
        spans.append((first, end))
    return _hashes(spans[::-1], fetch)


def verify_inclusion(leaf: bytes, proof: Sequence[bytes], /, *, index: int, size: int, root: bytes) -> None:
    """Check an audit path. Needs nothing but its arguments.

    Raises:
        InclusionUnproven: the path has the wrong length or leads to another root, or `index` is not below `size`.
    """
    fault = InclusionUnproven(index=index, size=size)
    if not 0 <= index < size:
        raise fault
    node, last, value = index, size - 1, leaf
    for step in proof:
        if not last:
            raise fault
        if node & 1 or node == last:
            value = node_hash(step, value)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            value = node_hash(value, step)
        node, last = node >> 1, last >> 1
    if last or not hmac.compare_digest(value, root):
        raise fault


def verify_consistency(proof: Sequence[bytes], /, *, old: int, old_root: bytes, new: int, new_root: bytes) -> None:
    """Check that a tree is the beginning of a larger one. Needs nothing but its arguments.

    Raises:
        ConsistencyUnproven: the proof has the wrong length or leads to another root, or not `1 <= old <= new`.
    """
    fault = ConsistencyUnproven(old=old, new=new)
    if not 1 <= old <= new or bool(proof) != (old < new):
        raise fault
    if old == new:
        if not hmac.compare_digest(old_root, new_root):
            raise fault
        return
    path = list(proof) if old & (old - 1) else [old_root, *proof]
    node, last = old - 1, new - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    earlier = later = path[0]
    for step in path[1:]:
        if not last:
            raise fault
        if node & 1 or node == last:
            earlier, later = node_hash(step, earlier), node_hash(step, later)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            later = node_hash(later, step)
        node, last = node >> 1, last >> 1
    if last or not hmac.compare_digest(earlier, old_root) or not hmac.compare_digest(later, new_root):
        raise fault


def _split(width: int) -> int:
    """Return the largest power of two below `width` (at least 2)."""
    return 1 << (width - 1).bit_length() - 1


def _keys(span: Span) -> list[NodeKey]:
    """Return the complete subtrees of a span, largest first.

    The first leaf is a multiple of the largest power of two within the span, as RFC 6962 splits guarantee.
    """
    first, end = span
    return [(level, (first >> level) + index) for level, index in peaks(end - first)]


def _hashes(spans: Sequence[Span], fetch: Fetch) -> list[bytes]:
    """Return the hash of each span, reading all stored hashes at once."""
    keys = [_keys(span) for span in spans]
    found = _fetched([key for group in keys for key in group], fetch)
    return [_fold([found[key] for key in group]) for group in keys]


def _fold(hashes: list[bytes]) -> bytes:
    value = hashes.pop()
    while hashes:
        value = node_hash(hashes.pop(), value)
    return value


def _fetched(keys: list[NodeKey], fetch: Fetch) -> Mapping[NodeKey, bytes]:
    found = fetch(keys) if keys else {}
    for level, index in keys:
        if (level, index) not in found:
            raise NodeMissing(level=level, index=index)
    return found
