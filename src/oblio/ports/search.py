"""Describing texts for search, as whoever writes them sees it."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What search keeps of one text, sealed together with it."""

    model: str
    """Id of the embedding model."""
    vector: bytes = field(repr=False)
    """Little-endian float16 numbers of length 1 in all."""
    lexical: bytes = field(repr=False)
    """Keyed 32-bit token hashes."""


class Describer(Protocol):
    """Describes texts. Holds no person's data between calls."""

    def describe(self, text: str, /, *, key: bytes) -> Description:
        """Return the description of a text; `key` is the person's index key, 32 bytes."""
        ...
