"""The word side of recall: keyed token hashes and BM25 over them.

A memory's words are kept as 32-bit keyed hashes, in the order of the text, repeats included. Without the key a hash
says nothing about the word; with the key a dictionary attack works, so the hashes are sealed like the text itself.

Words are folded the same way whatever their language: case, stress marks, and one ending per word from a list chosen
by script (`lexicon.toml`). That serves Swedish, Russian and English; other languages match on whole words.
"""

import functools
import hashlib
import math
import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from oblio.errors.recall import RowsMisshaped

HASH_BYTES: Final = 4
"""Bytes of one token hash: little-endian unsigned 32 bit."""
STEM_PREFIX: Final = 5
"""Letters of the extra token that long words leave, so that compounds and rare endings meet."""
LONG_WORD: Final = 8
"""Letters from which a stem leaves such a token."""
K1: Final = 1.2
B: Final = 0.4
"""BM25 constants. Memories are one or two sentences, so length counts less than in the usual 0.75."""

_WORD: Final = re.compile(r"[^\W_]+")
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")
_STRESS: Final = re.compile("[\u0300\u0301]")
_IO: Final = str.maketrans("\u0451", "\u0435")
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


@functools.cache
def _lexicon() -> tuple[frozenset[str], dict[str, tuple[str, ...]], dict[str, int]]:
    data: dict[str, Any] = tomllib.loads(files("oblio.recall").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    stop = frozenset(word for words in data["stop"].values() for word in words.split())
    endings = {
        script: tuple(sorted(set(data[script]["endings"].split()), key=lambda end: (-len(end), end)))
        for script in ("latin", "cyrillic")
    }
    return stop, endings, {script: int(data[script]["shortest"]) for script in endings}


def fold(text: str, /) -> str:
    """Return `text` in the form in which words are compared: NFKC, no case, no stress marks, one letter for yo."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _STRESS.sub("", decomposed)).translate(_IO)


def stem(word: str, /) -> str:
    """Cut one ending off a folded word, then one of two equal letters at its end. Words with digits stay."""
    if any(letter.isdigit() for letter in word):
        return word
    _, endings, shortest = _lexicon()
    script = "cyrillic" if _CYRILLIC.search(word) else "latin"
    for ending in endings[script]:
        if word.endswith(ending) and len(word) - len(ending) >= shortest[script]:
            word = word[: -len(ending)]
            break
    doubled = len(word) > shortest[script] and word[-1] == word[-2]
    return word[:-1] if doubled else word


def words(text: str, /) -> list[str]:
    """Return the folded words of `text` without stop words, in order. All words when nothing else is left."""
    stop, _, _ = _lexicon()
    found = _WORD.findall(fold(text))
    return [word for word in found if word not in stop] or found


def tokens(text: str, /) -> list[str]:
    """Return what is hashed for `text`: a stem a word, and for long stems also their beginning, marked by `^`."""
    result: list[str] = []
    for word in words(text):
        cut = stem(word)
        result.append(cut)
        if len(word) >= LONG_WORD and cut.isalpha():
            result.append("^" + cut[:STEM_PREFIX])
    return result


def hashes(text: str, key: bytes, /) -> bytes:
    """Return the keyed hashes of the tokens of `text`: `HASH_BYTES` each, repeats kept.

    Args:
        text: a memory or a question.
        key: 16 to 64 secret bytes, the same for all texts that are compared.
    Source: RFC 7693 (BLAKE2b, keyed).
    """
    return b"".join(_token_hash(token, key) for token in tokens(text))


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
    for term in sorted(set(np.frombuffer(query, dtype="<u4").tolist())):
        rows = np.searchsorted(docs.ends, np.flatnonzero(docs.hashes == np.uint32(term)), side="right")
        present = 0
        if rows.size:
            held, times = np.unique(rows, return_counts=True)
            present = held.size
        rarity = math.log1p((count - present + 0.5) / (present + 0.5))
        ceiling += rarity * (K1 + 1)
        if present:
            scores[held] += rarity * (K1 + 1) * times / (times + damping[held])
    return scores, ceiling


def _damping(docs: Corpus) -> Floats:
    lengths = np.diff(docs.ends, prepend=0)
    mean = max(float(docs.ends[-1]) / len(docs), 1.0) if len(docs) else 1.0
    return (K1 * (1 - B) + K1 * B / mean * lengths).astype(np.float32)
