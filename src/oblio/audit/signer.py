"""The log's private key: it signs checkpoints and documents, and nothing else."""

import base64
from dataclasses import replace
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oblio.audit.checkpoint import Checkpoint
from oblio.audit.keys import PublicKey, document_message
from oblio.errors.audit import KeyMalformed
from oblio.model.receipt import DocumentKind

SEED_BYTES: Final = 32


class Signer:
    """Signs under one name with one Ed25519 key. Its repr shows the public key's id only."""

    __slots__ = ("_private", "key")

    def __init__(self, name: str, seed: bytes, /) -> None:
        """Make the key from its seed.

        Args:
            name: key name, by custom the log's origin; printable ASCII without space and `+`.
            seed: 32 random bytes, kept in the key place.

        Raises:
            KeyMalformed: the name is not allowed or the seed has another size.
        """
        if len(seed) != SEED_BYTES:
            raise KeyMalformed(part="seed")
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key: Final = PublicKey(name, self._private.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"Signer({self.key.id})"

    def sign_note(self, text: str, /) -> bytes:
        """Return the signed note of a text that ends with a newline."""
        signature = self.key.hash + self._private.sign(text.encode())
        return f"{text}\n— {self.key.name} {base64.b64encode(signature).decode()}\n".encode()

    def sign_checkpoint(self, head: Checkpoint, /) -> Checkpoint:
        """Return `head` with its signed note."""
        return replace(head, note=self.sign_note(head.text()))

    def sign_document(self, kind: DocumentKind, body: bytes, /) -> bytes:
        """Return the 64-byte signature of a document's canonical payload; it holds for this type only."""
        return self._private.sign(document_message(kind, body))
