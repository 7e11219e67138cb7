"""Public keys of the log and what they check.

Invariants:

* a key is written as `name+hash+base64`, where the hash is recomputed when it is read;
* a check raises, it never returns a verdict;
* what is signed for a document begins with a zero byte and the document's type. A signed note cannot hold a control
  character, so no note signature is a document signature, and none of one type serves another.

Source: C2SP signed-note 1.0.0 (`vkey`, key hash, signature type 0x01), RFC 8032.
"""

import base64
import binascii
import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from oblio.errors.audit import KeyMalformed
from oblio.model.receipt import DocumentKind

KEY_BYTES: Final = 32
KEY_HASH_BYTES: Final = 4
SIGNATURE_BYTES: Final = 64
_ED25519: Final = b"\x01"
_NAME: Final = re.compile(r"[!-*,-~]{1,255}")
"""Printable ASCII without space and plus: narrower than the source, which also allows other scripts."""


def unbase64(text: str, /) -> bytes:
    """Decode standard base64 in its one canonical spelling.

    Raises:
        ValueError: any other spelling (RFC 4648 section 3.5).
    """
    value = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(value).decode() != text:
        message = "not canonical base64"
        raise ValueError(message)
    return value


def document_message(kind: DocumentKind, body: bytes, /) -> bytes:
    """Return the bytes that a document signature covers."""
    return b"\x00" + kind.value.encode("ascii") + b"\x00" + body


def checked_name(name: str, /) -> str:
    """Return `name` if it can name a key or a log.

    Raises:
        KeyMalformed: empty, longer than 255 characters, or not printable ASCII without space and `+`.
    """
    if not _NAME.fullmatch(name):
        raise KeyMalformed(part="name")
    return name


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A named Ed25519 public key. Make one with `parse`, or take it from a `Signer`."""

    name: str
    raw: bytes
    """32 bytes."""

    def __post_init__(self) -> None:
        """Check name and size.

        Raises:
            KeyMalformed: the name is not allowed or the key has not 32 bytes.
        """
        checked_name(self.name)
        if len(self.raw) != KEY_BYTES:
            raise KeyMalformed(part="size")

    @classmethod
    def parse(cls, text: str, /) -> Self:
        """Read `name+hash+base64`.

        Raises:
            KeyMalformed: another form, another key type, or a hash that is not this key's.
        """
        name, _, rest = text.partition("+")
        found, _, encoded = rest.partition("+")
        try:
            material = unbase64(encoded)
        except (binascii.Error, UnicodeEncodeError, ValueError):
            raise KeyMalformed(part="base64") from None  # the original message may show the text
        if material[:1] != _ED25519:
            raise KeyMalformed(part="type")
        key = cls(name, material[1:])
        if not hmac.compare_digest(key.hash.hex().encode(), found.encode()):
            raise KeyMalformed(part="hash")
        return key

    @property
    def hash(self) -> bytes:
        """The first four bytes of the SHA-256 over name, newline, type and key."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.raw).digest()[:KEY_HASH_BYTES]

    @property
    def id(self) -> str:
        """The written name of the key without the key itself: `name+hash`."""
        return f"{self.name}+{self.hash.hex()}"

    def __str__(self) -> str:
        return f"{self.id}+{base64.b64encode(_ED25519 + self.raw).decode()}"

    def check(self, signature: bytes, message: bytes, /) -> None:
        """Check one signature.

        Raises:
            InvalidSignature: of `cryptography`; callers turn it into a fault that says what was signed.
        """
        Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
