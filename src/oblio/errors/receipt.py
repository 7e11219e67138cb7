"""Faults of signed documents: why a statement, receipt or addendum does not verify."""

from oblio.errors.base import Fault


class DocumentMalformed(Fault):
    """A document does not have the published form."""

    code = "receipt.malformed"
    says = "The document does not have the published form ({part})."
    fix = "Fetch the document again; docs/spec/receipt.md describes the form."


class DocumentTypeWrong(Fault):
    """A document is of another type than the one asked for."""

    code = "receipt.type"
    says = "This document is of type {found}, not {wanted}."
    fix = "Only a receipt says that an erasure is finished; fetch the receipt."


class DocumentKeyWrong(Fault):
    """A document names another key than the given one."""

    code = "receipt.key"
    says = "The document was not signed by the given public key."
    fix = "Take the public key from the operator's published page, not from the document."


class DocumentSignatureWrong(Fault):
    """The signature over the payload is wrong."""

    code = "receipt.signature"
    says = "The document's signature does not match its content."
    fix = "Treat the document as altered and fetch it again."


class DocumentEntryWrong(Fault):
    """The log entry does not commit to this document."""

    code = "receipt.entry"
    says = "The log entry in the document does not commit to it ({part})."
    fix = "Treat the document as altered and fetch it again."


class DocumentOriginWrong(Fault):
    """The checkpoint in the document belongs to another log than the document says."""

    code = "receipt.origin"
    says = "The document's checkpoint belongs to another log."
    fix = "Treat the document as altered and fetch it again."
