"""What somebody with a database and a key place would try, without Oblio and without caring for authentication.

AES-GCM encrypts with AES in counter mode; leaving the tag aside, a key opens a text whatever it was bound to. So every
32 bytes that stand in a row in any key file are tried as epoch key, subject key and unit key.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from tests.e2e.raw_store import SLOT_BYTES, SLOT_START, WRAP_BYTES, Held, slot_files

KEY: Final = 32
NONCE: Final = 12
SAMPLES: Final = 2
"""Contents that are tried: one key opens all of a person's or none."""

PURPOSES: Final = ("lookup", "ledger", "store", "key set", "mac/source", "mac/import", "epoch", "slot")


def opens(taken: Held, keys: Path, known: bytes) -> bool:
    """Say whether anything in a key place makes `known`, a part of the person's texts, readable.

    Args:
        taken: ciphertext and wrapped unit keys, from any database.
        keys: the key place.
        known: bytes that stand in every text of the person.
    """
    units = [unit for unit in taken.sealed if unit != taken.block][-SAMPLES:]
    targets = [(taken.wraps[unit], taken.sealed[unit]) for unit in units]
    for key in _candidates(keys):
        for wrap, sealed in targets:
            if known in _content(key, sealed) or known in _content(_unwrapped(key, wrap), sealed):
                return True
    return False


def _candidates(keys: Path) -> Iterator[bytes]:
    """Yield everything that could be a key: raw, derived, and unwrapped from every slot with every raw one."""
    for file in sorted(keys.rglob("*")):
        if file.is_file():
            yield from _windows(file.read_bytes())
    raw = [window for file in sorted(keys.glob("*.key")) for window in _windows(file.read_bytes())]
    yield from (_derived(key, purpose) for key in raw for purpose in PURPOSES)
    slots = [slot for file in slot_files(keys) for slot in _slots(file.read_bytes())]
    yield from (_unwrapped(key, slot) for key in raw for slot in slots)


def _windows(body: bytes) -> Iterator[bytes]:
    return (body[at : at + KEY] for at in range(len(body) - KEY + 1) if any(body[at : at + KEY]))


def _slots(body: bytes) -> Iterable[bytes]:
    found = (body[at : at + WRAP_BYTES] for at in range(SLOT_START, len(body), SLOT_BYTES))
    return [slot for slot in found if any(slot)]


def _derived(secret: bytes, purpose: str) -> bytes:
    info = b"oblio/derived/1/" + purpose.encode()
    return HKDF(algorithm=SHA256(), length=KEY, salt=None, info=info).derive(secret)


def _unwrapped(key: bytes, wrap: bytes) -> bytes:
    return _decrypted(key, wrap[:NONCE], wrap[NONCE : NONCE + KEY])


def _content(key: bytes, sealed: bytes) -> bytes:
    return _decrypted(key, sealed[1 : 1 + NONCE], sealed[1 + NONCE :])


def _decrypted(key: bytes, nonce: bytes, body: bytes) -> bytes:
    decryptor = Cipher(AES(key), CTR(nonce + b"\0\0\0\2")).decryptor()
    return decryptor.update(body) + decryptor.finalize()
