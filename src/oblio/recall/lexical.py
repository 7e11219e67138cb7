"""The word side of recall: keyed token hashes and BM25 over them.

A memory's words are kept as 32-bit keyed hashes, in the order of the text, repeats included. Without the key a hash
says nothing about the word; with the key a dictionary attack works, so the hashes are sealed like the text itself.
The first hash is no word: it stands for the language that the text seems to be in (`words.language`), zero when none
can be told. It says how far the words of a question and of a store can meet at all.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from oblio.errors.recall import RowsMisshaped
from oblio.recall.words import language, tokens

HASH_BYTES: Final = 4
"""Bytes of one token hash: little-endian unsigned 32 bit."""
LANGUAGE_MARK: Final = "~"
"""Begins the token of a language; no word has it."""
K1: Final = 0.9
B: Final = 0.3
"""BM25 constants. Memories are one or two sentences, so length counts less than in the usual 0.75."""

_PERSON: Final = b"oblio.tokens"

Floats = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """The token hashes of many texts, one after the other."""

    hashes: Hashes = field(repr=False)
    ends: npt.NDArray[np.int64]
    """Where the hashes of each text end."""

    def __len__(self) -> int:
        return int(self.ends.size)

    def doc(self, row: int, /) -> bytes:
        """Return the hashes of one text, as `hashes` made them."""
        return self.hashes[self.ends[row - 1] if row else 0 : self.ends[row]].tobytes()


def hashes(text: str, key: bytes, /) -> bytes:
    """Return the keyed hashes of the language mark and the tokens of `text`: `HASH_BYTES` each, repeats kept.

    Args:
        text: a memory or a question.
        key: 16 to 64 secret bytes, the same for all texts that are compared.
    Source: RFC 7693 (BLAKE2b, keyed).
    """
    told = language(text)
    mark = _token_hash(LANGUAGE_MARK + told, key) if told else bytes(HASH_BYTES)
    return mark + b"".join(_token_hash(token, key) for token in tokens(text))


def _token_hash(token: str, key: bytes) -> bytes:
    encoded = token.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=HASH_BYTES, key=key, person=_PERSON).digest()


def gather(docs: Sequence[bytes], /) -> Corpus:
    """Put the hashes of many texts into one array.

    Raises:
        RowsMisshaped: a text's hashes are not a multiple of `HASH_BYTES`.
    """
    whole = sum(len(doc) % HASH_BYTES == 0 for doc in docs)
    if whole != len(docs):
        raise RowsMisshaped(count=whole, expected=len(docs))
    lengths = np.array([len(doc) // HASH_BYTES for doc in docs], dtype=np.int64)
    return Corpus(hashes=np.frombuffer(b"".join(docs), dtype="<u4"), ends=np.cumsum(lengths))


def bm25(docs: Corpus | Sequence[bytes], query: bytes, /) -> list[float]:
    """Score each document against the query, as returned by `hashes`. Zero when they share no token."""
    scores, _ = _scores(docs if isinstance(docs, Corpus) else gather(docs), query)
    return [float(score) for score in scores]


def share(docs: Corpus, query: bytes, /) -> Floats:
    """Return BM25 as a share of the score of a document that holds every query token many times, 0 to 1.

    A question in another language shares at most a name or a number with a memory; its other words are unknown to
    the store, weigh most, and keep the share low. That is what stops chance matches from outranking meaning.
    """
    scores, ceiling = _scores(docs, query)
    return scores / np.float32(ceiling) if ceiling else scores


def _scores(docs: Corpus, query: bytes) -> tuple[Floats, float]:
    count = len(docs)
    scores, ceiling = np.zeros(count, dtype=np.float32), 0.0
    damping = _damping(docs)
    for term in sorted(set(np.frombuffer(query, dtype="<u4")[1:].tolist())):
        rows = np.searchsorted(docs.ends, np.flatnonzero(docs.hashes == np.uint32(term)), side="right")
        times = np.bincount(rows, minlength=count).astype(np.float32)
        present = np.count_nonzero(times)
        rarity = math.log1p((count - present + 0.5) / (present + 0.5))
        ceiling += rarity * (K1 + 1)
        if present:
            scores += np.float32(rarity * (K1 + 1)) * times / (times + damping)
    return scores, ceiling


def _damping(docs: Corpus) -> Floats:
    lengths = np.diff(docs.ends, prepend=0)
    mean = max(float(docs.ends[-1]) / len(docs), 1.0) if len(docs) else 1.0
    return (K1 * (1 - B) + K1 * B / mean * lengths).astype(np.float32)


def kin(docs: Corpus, query: bytes, /) -> float:
    """Return the share of texts in the language of the query, 0 to 1, of those whose language could be told.

    1 when the language of the query cannot be told, such as a bare name, or when no text's can.
    """
    lengths = np.diff(docs.ends, prepend=0)
    marks = docs.hashes[(docs.ends - lengths)[lengths > 0]]
    told = int(np.count_nonzero(marks))
    mark = int.from_bytes(query[:HASH_BYTES], "little")
    return float(np.count_nonzero(marks == mark)) / told if mark and told else 1.0
