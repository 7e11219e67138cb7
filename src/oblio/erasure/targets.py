"""What one request must remember until it is proven, sealed under the request's own key.

Needles are the nonces, ciphertext heads and wrapped keys that a byte check looks for. They are taken in the
transaction that locks, kept so that a restart can verify, and die with the request key before the receipt.
"""

from dataclasses import dataclass, field
from typing import Final, Self

from oblio.errors.memory import ItemUnreadable

FORMAT: Final = 1
_TOKEN_BYTES: Final = 16
_LONGEST: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The sealed part of a request."""

    token: str = field(repr=False)
    """Audit token of the subject, 32 hexadecimal digits; empty once the request key is dead."""
    needles: tuple[bytes, ...] = field(repr=False)

    def encode(self) -> bytes:
        """Return the bytes to seal: version, token, then each needle after its length in one byte.

        Raises:
            ValueError: a needle is longer than 255 bytes.
        """
        if any(len(needle) > _LONGEST for needle in self.needles):
            message = "a needle has at most 255 bytes"
            raise ValueError(message)
        parts = (bytes([len(needle)]) + needle for needle in self.needles)
        return bytes([FORMAT]) + bytes.fromhex(self.token) + b"".join(parts)

    @classmethod
    def decode(cls, body: bytes, /) -> Self:
        """Read what `encode` wrote.

        Raises:
            ItemUnreadable: another format version.
        """
        if body[:1] != bytes([FORMAT]):
            raise ItemUnreadable(format=body[0] if body else 0)
        needles: list[bytes] = []
        at = 1 + _TOKEN_BYTES
        while at < len(body):
            size = body[at]
            needles.append(body[at + 1 : at + 1 + size])
            at += 1 + size
        return cls(token=body[1 : 1 + _TOKEN_BYTES].hex(), needles=tuple(needles))
