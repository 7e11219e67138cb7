"""Keys derived from the one secret of a key place, a separate one for each purpose.

Source: HKDF, RFC 5869; the purpose is its `info`.
"""

import hmac
import struct
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from oblio.vault.envelope import KEY_BYTES, joined

MAC_BYTES: Final = 32


class Derived:
    """The secret of a key place and what is derived from it. Stays the same over all rotations."""

    def __init__(self, secret: bytes, /) -> None:
        self._secret = secret
        self._keys: dict[str, bytes] = {}

    def key(self, purpose: str, /) -> bytes:
        """Return the 32-byte key of a purpose."""
        found = self._keys.get(purpose)
        if found is None:
            info = b"oblio/derived/1/" + purpose.encode()
            found = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(self._secret)
            self._keys[purpose] = found
        return found

    def mac(self, purpose: str, /, *parts: bytes) -> bytes:
        """Return HMAC-SHA256 of the parts under the key of a purpose, 32 bytes; parts cannot run into each other."""
        return hmac.new(self.key(purpose), struct.pack(">I", len(parts)) + joined(*parts), sha256).digest()
