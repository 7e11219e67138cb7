"""Signed documents: statement, receipt, addendum, each with the proof that the log holds it.

Invariants:

* the signature and the log entry both commit to the canonical payload, the signature also to the type, so no document
  passes for one of another type;
* `verify` needs the document and the public key, no database and no network; it raises, it never returns a verdict;
* a document that does not verify is never handed out by `issue`;
* reading is strict: unknown or repeated keys and other spellings of a value are refused.

The form is published in docs/spec/receipt.md. Sources: RFC 6962, C2SP tlog-checkpoint and signed-note 1.0.0.
"""

import base64
import binascii
import json
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

from cryptography.exceptions import InvalidSignature

from oblio.audit import tree
from oblio.audit.checkpoint import Checkpoint, read_checkpoint
from oblio.audit.keys import SIGNATURE_BYTES, PublicKey, document_message, unbase64
from oblio.audit.log import LogProof
from oblio.audit.signer import Signer
from oblio.errors.receipt import (
    DocumentEntryWrong,
    DocumentKeyWrong,
    DocumentMalformed,
    DocumentOriginWrong,
    DocumentSignatureWrong,
    DocumentTypeWrong,
)
from oblio.model.audit import AuditEntry, canonical_json, distinct
from oblio.model.receipt import ACTIONS, DocumentKind, Payload

MAX_DOCUMENT_BYTES: Final = 16 * 1024 * 1024
"""Larger input is refused before it is parsed."""
MAX_PROOF: Final = 64
"""A path in a tree of 2**64 entries."""
_KEYS: Final = frozenset({"type", "payload", "log", "signature", "key"})
_LOG_KEYS: Final = frozenset({"origin", "index", "entry", "checkpoint", "proof"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What all three documents share. Use `Receipt`, `Statement` or `Addendum`."""

    kind: ClassVar[DocumentKind]

    payload: Payload
    log: LogProof
    signature: bytes = field(repr=False)
    key: str
    """Name and hash of the signing key, never the key itself: a document cannot vouch for its own key."""

    def __post_init__(self) -> None:
        """Refuse a payload of another kind.

        Raises:
            DocumentTypeWrong: the payload was made for another kind of document.
        """
        if self.payload.kind is not self.kind:
            raise DocumentTypeWrong(found=self.payload.kind, wanted=self.kind)

    @classmethod
    def issue(cls, payload: Payload, /, *, signer: Signer, proof: LogProof) -> Self:
        """Sign a payload that the log already holds. The same arguments give the same bytes.

        Raises:
            DocumentTypeWrong: the payload was made for another kind of document.
            Fault: `proof` does not prove the entry of this payload; see `verify`.
        """
        signature = signer.sign_document(cls.kind, payload.canonical())
        document = cls(payload=payload, log=proof, signature=signature, key=signer.key.id)
        document.verify(str(signer.key))
        return document

    def verify(self, public_key: str, /) -> None:
        """Check the document offline. Returning at all means that everything below holds.

        Args:
            public_key: `name+hash+base64`, from a source other than the document.

        Raises:
            KeyMalformed: `public_key` has another form.
            DocumentKeyWrong: the document names another key.
            DocumentSignatureWrong: the payload is not what was signed for this type.
            DocumentEntryWrong: the log entry does not commit to the payload.
            DocumentOriginWrong: the checkpoint is of another log.
            NoteMalformed, NoteUnsigned, NoteForged: the checkpoint is not the log's.
            InclusionUnproven: the entry is not in the signed tree.
        """
        key = PublicKey.parse(public_key)
        if self.key != key.id:
            raise DocumentKeyWrong
        try:
            key.check(self.signature, document_message(self.kind, self.payload.canonical()))
        except InvalidSignature:
            raise DocumentSignatureWrong from None
        self._check_entry()
        head = self.checkpoint(key)
        leaf = tree.leaf_hash(self.log.entry)
        tree.verify_inclusion(leaf, self.log.proof, index=self.log.index, size=head.size, root=head.root)

    def checkpoint(self, key: PublicKey, /) -> Checkpoint:
        """Return the checkpoint in the document after checking its signature and origin.

        Raises:
            NoteMalformed, NoteUnsigned, NoteForged: the checkpoint is not signed by `key`.
            DocumentOriginWrong: it is of another log than the document says.
        """
        head = read_checkpoint(self.log.checkpoint, key)
        if head.origin != self.log.origin:
            raise DocumentOriginWrong
        return head

    def _check_entry(self) -> None:
        try:
            entry = AuditEntry.from_canonical(self.log.entry)
        except ValueError:
            raise DocumentEntryWrong(part="form") from None
        if entry.action is not ACTIONS[self.kind]:
            raise DocumentEntryWrong(part="action")
        if entry.digest != self.payload.digest:
            raise DocumentEntryWrong(part="digest")
        if (entry.request, entry.time) != (self.payload.request, self.payload.issued):
            raise DocumentEntryWrong(part="facts")

    def to_json(self) -> str:
        """Return the published form: readable JSON, ASCII, keys sorted."""
        return json.dumps(
            {
                "type": self.kind.value,
                "payload": self.payload.facts(),
                "log": {
                    "origin": self.log.origin,
                    "index": self.log.index,
                    "entry": base64.b64encode(self.log.entry).decode(),
                    "checkpoint": self.log.checkpoint.decode(),
                    "proof": [base64.b64encode(step).decode() for step in self.log.proof],
                },
                "signature": base64.b64encode(self.signature).decode(),
                "key": self.key,
            },
            indent=2,
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, text: str | bytes, /) -> Self:
        """Read the published form. Nothing is believed yet: call `verify`.

        Raises:
            DocumentMalformed: not the published form.
            DocumentTypeWrong: a document of another type.
        """
        if len(text) > MAX_DOCUMENT_BYTES:
            raise DocumentMalformed(part="size")
        try:
            facts = json.loads(text, object_pairs_hook=distinct)
        except (ValueError, RecursionError):
            raise DocumentMalformed(part="json") from None
        if not isinstance(facts, dict) or facts.keys() != _KEYS:
            raise DocumentMalformed(part="keys")
        cls._check_type(facts["type"])
        return cls(
            payload=cls._read_payload(facts["payload"]),
            log=_read_log(facts["log"]),
            signature=_read_bytes(facts["signature"], "signature", size=SIGNATURE_BYTES),
            key=_read_text(facts["key"], "key"),
        )

    @classmethod
    def _check_type(cls, found: object) -> None:
        if found == cls.kind.value:
            return
        known = next((kind for kind in DocumentKind if kind.value == found), "unknown")
        raise DocumentTypeWrong(found=known, wanted=cls.kind)

    @classmethod
    def _read_payload(cls, facts: object) -> Payload:
        if not isinstance(facts, dict):
            raise DocumentMalformed(part="payload")
        try:
            return Payload.from_canonical(cls.kind, canonical_json(facts))
        except (ValueError, RecursionError):
            raise DocumentMalformed(part="payload") from None


class Statement(Document):
    """How a request stands now. It never says that anything is finished."""

    __slots__ = ()
    kind = DocumentKind.STATEMENT


class Receipt(Document):
    """The one final document of a completed request."""

    __slots__ = ()
    kind = DocumentKind.RECEIPT


class Addendum(Document):
    """A later fact about a receipt: the horizon was reached, a restore was replayed."""

    __slots__ = ()
    kind = DocumentKind.ADDENDUM


def _read_log(facts: Any) -> LogProof:  # noqa: ANN401 -- JSON: every value is checked below
    if not isinstance(facts, dict) or facts.keys() != _LOG_KEYS:
        raise DocumentMalformed(part="log")
    index, proof = facts["index"], facts["proof"]
    if type(index) is not int or not isinstance(proof, list) or len(proof) > MAX_PROOF:
        raise DocumentMalformed(part="log")
    return LogProof(
        origin=_read_text(facts["origin"], "origin"),
        index=index,
        entry=_read_bytes(facts["entry"], "entry"),
        checkpoint=_read_text(facts["checkpoint"], "checkpoint").encode("utf-8", "replace"),
        proof=tuple(_read_bytes(step, "proof", size=tree.HASH_BYTES) for step in proof),
    )


def _read_text(value: object, part: str) -> str:
    if not isinstance(value, str):
        raise DocumentMalformed(part=part)
    return value


def _read_bytes(value: object, part: str, *, size: int | None = None) -> bytes:
    try:
        found = unbase64(_read_text(value, part))
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise DocumentMalformed(part=part) from None
    if size is not None and len(found) != size:
        raise DocumentMalformed(part=part)
    return found
