"""How content and keys are sealed: AES-256-GCM, and what each sealed thing is bound to (rule K8).

* Content: format byte 1, nonce 12, ciphertext and tag. Bound to tenant, owner, unit, item, version, type and format.
* Wrapped key: nonce 12, ciphertext 32, tag 16. Bound to what the caller says.

A unit key seals exactly one content, so its nonce could be fixed; a random one lets a byte check find the ciphertext.
Bytes that do not begin with the format byte are refused, never read as plain text.

Source: NIST SP 800-38D; the limit of 2**32 random nonces a key is far above what one holder or epoch wraps.
"""

import secrets
import struct
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import ContentForged, FormatUnknown
from oblio.model.ids import HolderId, UnitId, raw
from oblio.ports.keys import Binding

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
WRAPPED_BYTES: Final = NONCE_BYTES + KEY_BYTES + TAG_BYTES
CONTENT_FORMAT: Final = 1

_HEAD: Final = 1 + NONCE_BYTES


def new_key() -> bytes:
    """Return 32 random bytes."""
    return secrets.token_bytes(KEY_BYTES)


def joined(*parts: bytes) -> bytes:
    """Return the parts, each with its length in front, so that no two lists give the same bytes."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def wrap(cipher: AESGCM, key: bytes, bound_to: bytes, /) -> bytes:
    """Return a key sealed by another one, 60 bytes."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, key, bound_to)


def unwrap(cipher: AESGCM, wrapped: bytes, bound_to: bytes, /) -> bytes:
    """Return the 32 bytes of a wrapped key.

    Raises:
        ContentForged: it does not authenticate, or has another size.
    """
    if len(wrapped) != WRAPPED_BYTES:
        raise ContentForged
    return _decrypted(cipher, wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], bound_to)


def bound_unit_key(unit: UnitId, holder: HolderId, key_no: int, /) -> bytes:
    """Return what a wrapped unit key is bound to: unit, holder, and the number of the holder's key."""
    return b"oblio/unit/1" + raw(unit) + raw(holder) + struct.pack(">Q", key_no)


def seal(key: bytes, body: bytes, binding: Binding, /) -> bytes:
    """Return content sealed under its unit key."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return bytes((CONTENT_FORMAT,)) + nonce + AESGCM(key).encrypt(nonce, body, _bound_content(binding))


def unseal(key: bytes, sealed: bytes, binding: Binding, /) -> bytes:
    """Return the content that `seal` was given.

    Raises:
        FormatUnknown: the first byte is not a format of ours.
        ContentForged: it does not authenticate for this binding.
    """
    if len(sealed) < _HEAD + TAG_BYTES:
        raise ContentForged
    if sealed[0] != CONTENT_FORMAT:
        raise FormatUnknown(version=sealed[0])
    return _decrypted(AESGCM(key), sealed[1:_HEAD], sealed[_HEAD:], _bound_content(binding))


def needle(sealed: bytes, /) -> bytes:
    """Return what a byte check looks for: the nonce and the first bytes of the ciphertext, 28 bytes."""
    return sealed[1 : _HEAD + TAG_BYTES]


def _bound_content(binding: Binding) -> bytes:
    return joined(
        b"oblio/content",
        bytes((CONTENT_FORMAT,)),
        binding.tenant.encode(),
        raw(binding.owner),
        raw(binding.unit),
        raw(binding.item),
        struct.pack(">Q", binding.version),
        binding.type.encode(),
    )


def _decrypted(cipher: AESGCM, nonce: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    try:
        return cipher.decrypt(nonce, sealed, bound_to)
    except InvalidTag as error:
        raise ContentForged from error
