"""The front of recall without storage: describe a text when it is written, rank descriptions when asked."""

from collections.abc import Sequence

import numpy as np

from oblio.errors.recall import VectorMisshaped
from oblio.model.ids import UnitId
from oblio.ports.recall import Embedder
from oblio.ports.search import Description
from oblio.recall import lexical, scan
from oblio.recall.block import SCORE_DIGITS, Row, best
from oblio.recall.rank import Floats, fuse, weight_of_words


class Ranker:
    """Ranks one person's memories for a question. Keeps nothing between calls."""

    def __init__(self, embedder: Embedder, /) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """Embedding model of what is described from now on."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Numbers in one vector."""
        return self._embedder.dimensions

    def describe(self, text: str, /, *, key: bytes) -> Description:
        """Return the description of one text.

        Args:
            text: what is stored, after the filter.
            key: the subject's key for word hashes, 16 to 64 bytes.
        """
        return self.describe_all([text], key=key)[0]

    def describe_all(self, texts: Sequence[str], /, *, key: bytes) -> list[Description]:
        """Return the descriptions of many texts in order; one call of the model for many is cheaper than many calls.

        Raises:
            VectorMisshaped: the embedder returned a vector of another size than it states.
        """
        vectors = self._embedder.embed_texts(texts)
        self._check(vectors)
        return [
            Description(model=self.model, vector=vector, lexical=lexical.hashes(text, key))
            for text, vector in zip(texts, vectors, strict=True)
        ]

    def rank(self, query: str, rows: Sequence[Row], /, *, key: bytes, limit: int) -> list[tuple[UnitId, float]]:
        """Return the `limit` best of `rows` with scores from 0 to 1, best first; ties in the order of their ids.

        A row whose vector is of another model competes with its words only.

        Raises:
            VectorMisshaped: a vector of this model has another size than the model states.
        """
        if not rows:
            return []
        model = self.model
        known = [number for number, row in enumerate(rows) if row.model == model]
        dense = np.zeros(len(rows), dtype=np.float32)
        if known:
            vectors = [rows[number].vector for number in known]
            self._check(vectors)
            joined = b"".join(vectors)
            matrix = np.frombuffer(joined, dtype="<f2").reshape(len(known), self.dimensions)
            dense[known] = scan.inner(matrix, self._question(query))
        corpus = lexical.gather([row.lexical for row in rows])
        return best(_scores(dense, corpus, lexical.hashes(query, key)), limit, unit=lambda number: rows[number].unit)

    def _question(self, query: str) -> Floats:
        vector = self._embedder.embed_query(query)
        self._check([vector])
        return scan.unpack(vector)

    def _check(self, vectors: Sequence[bytes]) -> None:
        expected = 2 * self.dimensions
        for vector in vectors:
            if len(vector) != expected:
                raise VectorMisshaped(size=len(vector), expected=expected)


def _scores(dense: Floats, corpus: lexical.Corpus, query: bytes) -> Floats:
    weight = weight_of_words(lexical.kin(corpus, query))
    return np.round(fuse(dense, lexical.share(corpus, query), weight=weight), SCORE_DIGITS)
