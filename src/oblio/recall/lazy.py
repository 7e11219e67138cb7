"""An embedder that loads its model when the first text needs it, so that listing or erasing never waits for a model."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final

from oblio.ports.recall import Embedder


class LazyEmbedder:
    """Stands for an embedder that is not loaded yet. Several threads may use it."""

    def __init__(self, make: Callable[[], Embedder], /, *, model: str, dimensions: int) -> None:
        """Nothing is loaded here.

        Args:
            make: loads the embedder; called at most once, unless it fails.
            model: what the made embedder will state as its model.
            dimensions: what it will state as the size of its vectors.
        """
        self.model: Final = model
        self.dimensions: Final = dimensions
        self._make = make
        self._made: Embedder | None = None
        self._lock = Lock()

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._made is not None

    def embed_texts(self, texts: Sequence[str], /) -> Sequence[bytes]:
        """Return the vectors of texts, in order.

        Raises:
            EmbedderMissing, EmbedderBroken: the model does not load.
        """
        return self._embedder().embed_texts(texts)

    def embed_query(self, text: str, /) -> bytes:
        """Return the vector of a question.

        Raises:
            EmbedderMissing, EmbedderBroken: the model does not load.
        """
        return self._embedder().embed_query(text)

    def _embedder(self) -> Embedder:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made
