# ruff: noqa: INP001 -- a program, not a package
"""Check an Oblio receipt offline, without Oblio: python verify_receipt.py receipt.json PUBLIC_KEY.

Written from docs/spec/receipt.md alone. Needs `cryptography`, for Ed25519 only.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def need(ok: bool, what: str) -> None:  # noqa: FBT001 -- a condition, read aloud
    """End with status 1 unless `ok`."""
    if not ok:
        sys.exit(f"NOT VALID: {what}")


def bytes_of(text: str) -> bytes:
    """Decode base64 in its one canonical spelling."""
    value = b64decode(text, validate=True)
    need(b64encode(value).decode() == text, "base64")
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a JSON object with a repeated key."""
    need(len(dict(pairs)) == len(pairs), "repeated key")
    return dict(pairs)


def root_of(leaf: bytes, index: int, size: int, proof: list[bytes]) -> bytes:
    """Return the root that the path leads to (RFC 6962 section 2.1.1)."""
    need(type(index) is int and 0 <= index < size, "position")
    if size == 1 and not proof:
        return leaf
    half = 1 << (size - 1).bit_length() - 1  # the largest power of two below size
    if index < half:
        pair = root_of(leaf, index, half, proof[:-1]) + proof[-1]
    else:
        pair = proof[-1] + root_of(leaf, index - half, size - half, proof[:-1])
    return hashlib.sha256(b"\x01" + pair).digest()


def verify(document: dict[str, Any], public_key: str) -> None:
    """Check everything that docs/spec/receipt.md lists."""
    name, key_hash, material = public_key.split("+", 2)
    raw = bytes_of(material)
    tag = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    need(raw[0] == 1 and tag.hex() == key_hash, "public key")
    key = Ed25519PublicKey.from_public_bytes(raw[1:])
    need(set(document) == {"type", "payload", "log", "signature", "key"}, "keys")
    need(document["type"] == "oblio/receipt/1" and document["payload"]["final"] is True, "type")
    need(document["key"] == f"{name}+{key_hash}", "key name")
    payload = json.dumps(document["payload"], sort_keys=True, separators=(",", ":")).encode()
    key.verify(bytes_of(document["signature"]), b"\x00oblio/receipt/1\x00" + payload)
    log = document["log"]
    need(set(log) == {"origin", "index", "entry", "checkpoint", "proof"}, "keys of the log")
    entry = json.loads(bytes_of(log["entry"]), object_pairs_hook=unique)
    need(entry["v"] == 1 and entry["action"] == "receipt_issued", "entry")
    need(entry["digest"] == hashlib.sha256(payload).hexdigest(), "digest in the entry")
    text, _, lines = log["checkpoint"].rpartition("\n\n")
    signatures = [(who, bytes_of(value)) for _, who, value in (line.split(" ") for line in lines.splitlines())]
    own = [value for who, value in signatures if who == name and value[:4] == tag]
    need(bool(own), "checkpoint without the key's signature")
    for value in own:
        key.verify(value[4:], (text + "\n").encode())
    origin, size, root = text.split("\n")
    need(origin == log["origin"], "origin")
    leaf = hashlib.sha256(b"\x00" + bytes_of(log["entry"])).digest()
    found = root_of(leaf, log["index"], int(size), [bytes_of(step) for step in log["proof"]])
    need(found == bytes_of(root), "proof")


if __name__ == "__main__":
    try:
        verify(json.loads(Path(sys.argv[1]).read_bytes(), object_pairs_hook=unique), sys.argv[2])
    except Exception as error:  # noqa: BLE001 -- whatever it is, the receipt is not valid
        sys.exit(f"NOT VALID: {type(error).__name__}")
    sys.stdout.write("VALID: signed, logged, unchanged\n")
