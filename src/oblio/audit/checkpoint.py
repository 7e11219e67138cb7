"""Checkpoints: the signed head of the log, as a note that other tools of the field can read.

A note is text, an empty line, and one line for each signature. The text of a checkpoint has three lines: the origin
(name of the log), the number of entries, the root hash in base64. We neither write nor accept extension lines.

Source: C2SP tlog-checkpoint 1.0.0 and signed-note 1.0.0.
"""

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidSignature

from oblio.audit.keys import KEY_HASH_BYTES, PublicKey, checked_name, unbase64
from oblio.audit.tree import HASH_BYTES
from oblio.errors.audit import KeyMalformed, NoteForged, NoteMalformed, NoteUnsigned

MAX_NOTE_BYTES: Final = 65_536
MAX_SIGNATURES: Final = 64
"""The source asks for at least 16: a log's own and those of witnesses."""

_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,15}")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_SIGNATURE: Final = re.compile(r"— ([^\s+]+) (\S+)")
_LINES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What the log was at one moment."""

    origin: str
    size: int
    """Number of entries."""
    root: bytes
    """32 bytes."""
    note: bytes = field(default=b"", repr=False)
    """The signed form; empty before it is signed."""

    def text(self) -> str:
        """Return the text that is signed, with its final newline."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def read_checkpoint(note: bytes, key: PublicKey, /) -> Checkpoint:
    """Read a signed note and check the signature of `key`. Signatures of other keys are ignored.

    Raises:
        NoteMalformed: the form is wrong.
        NoteUnsigned: no signature by `key`.
        NoteForged: a signature claims `key` and does not match.
    """
    text, signatures = _split(note)
    own = [value for name, value in signatures if name == key.name and value[:KEY_HASH_BYTES] == key.hash]
    if not own:
        raise NoteUnsigned(signatures=len(signatures))
    for value in own:
        try:
            key.check(value[KEY_HASH_BYTES:], text.encode())
        except InvalidSignature:
            raise NoteForged from None
    return _parse(text, note)


def _split(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the signed text and (key name, key hash and signature) of each line below it."""
    if len(note) > MAX_NOTE_BYTES:
        raise NoteMalformed(part="size")
    try:
        whole = note.decode("utf-8")
    except UnicodeDecodeError:
        raise NoteMalformed(part="encoding") from None
    text, gap, below = whole.rpartition("\n\n")
    if not gap or not below.endswith("\n") or _CONTROL.search(whole):
        raise NoteMalformed(part="lines")
    lines = below[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise NoteMalformed(part="signatures")
    return text + "\n", [_signature(line) for line in lines]


def _signature(line: str) -> tuple[str, bytes]:
    found = _SIGNATURE.fullmatch(line)
    try:
        value = unbase64(found[2]) if found else b""
    except (binascii.Error, UnicodeEncodeError, ValueError):
        value = b""
    if not found or len(value) <= KEY_HASH_BYTES:
        raise NoteMalformed(part="signature")
    return found[1], value


def _parse(text: str, note: bytes) -> Checkpoint:
    lines = text[:-1].split("\n")
    if len(lines) != _LINES:
        raise NoteMalformed(part="text")
    origin, size, encoded = lines
    try:
        checked_name(origin)
        root = unbase64(encoded)
    except (KeyMalformed, binascii.Error, UnicodeEncodeError, ValueError):
        raise NoteMalformed(part="text") from None
    if not _SIZE.fullmatch(size) or len(root) != HASH_BYTES:
        raise NoteMalformed(part="text")
    return Checkpoint(origin=origin, size=int(size), root=root, note=note)
