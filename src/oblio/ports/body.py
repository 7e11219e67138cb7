"""The plain form of a text item before it is sealed: text, and what recall needs to find it.

Layout: format version 1 byte; then four parts, each a 4-byte little-endian length and its bytes: the id of the
embedding model (ASCII), the vector (little-endian float16), the keyed token hashes (little-endian u32), the text
(UTF-8). Vector and hashes live and die with the text, under the same key.
"""

import struct
from dataclasses import dataclass, field
from typing import Final, Self

from oblio.errors.memory import ItemUnreadable
from oblio.model.screening import Screened

FORMAT: Final = 1
_LENGTH: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBody:
    """A text with its search data; `model` is empty where the text is not searched."""

    text: str = field(repr=False)
    model: str = ""
    vector: bytes = field(default=b"", repr=False)
    lexical: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, screened: Screened, /, *, model: str = "", vector: bytes = b"", lexical: bytes = b"") -> Self:
        """Make the body of a text that the filter let through; there is no other way to write one."""
        return cls(text=screened.text, model=model, vector=vector, lexical=lexical)

    def encode(self) -> bytes:
        """Return the bytes to seal."""
        parts = (self.model.encode("ascii"), self.vector, self.lexical, self.text.encode())
        return bytes([FORMAT]) + b"".join(_LENGTH.pack(len(part)) + part for part in parts)

    @classmethod
    def decode(cls, body: bytes, /) -> Self:
        """Read what `encode` wrote.

        Raises:
            ItemUnreadable: another format version.
        """
        if body[:1] != bytes([FORMAT]):
            raise ItemUnreadable(format=body[0] if body else 0)
        parts: list[bytes] = []
        at = 1
        for _ in range(4):
            (size,) = _LENGTH.unpack_from(body, at)
            at += _LENGTH.size
            parts.append(body[at : at + size])
            at += size
        model, vector, lexical, text = parts
        return cls(text=text.decode(), model=model.decode("ascii"), vector=vector, lexical=lexical)
