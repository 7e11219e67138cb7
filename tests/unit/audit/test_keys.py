"""Tests of `oblio.audit.keys` and `oblio.audit.signer`."""

import base64

import pytest
from cryptography.exceptions import InvalidSignature

from oblio.audit.checkpoint import Checkpoint, read_checkpoint
from oblio.audit.keys import PublicKey, document_message, unbase64
from oblio.audit.signer import Signer
from oblio.errors.audit import KeyMalformed
from oblio.model.receipt import DocumentKind

SIGNER = Signer("oblio.example/log", bytes(range(32)))
TEXT = str(SIGNER.key)


def test_a_public_key_is_written_and_read_back() -> None:
    assert PublicKey.parse(TEXT) == SIGNER.key
    assert TEXT.startswith(SIGNER.key.id + "+")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "type"),
        ("name", "type"),
        (TEXT.replace("oblio", "other"), "hash"),
        (TEXT + "=", "base64"),
        (TEXT[:-1] + "ö", "base64"),
        (TEXT[:-1] + "5", "hash"),
        (TEXT.replace("+A", "+B"), "type"),
        ("+" + TEXT.partition("+")[2], "name"),
        ("a b+" + TEXT.partition("+")[2], "name"),
        ("n+00000000+" + base64.b64encode(b"\x01" + bytes(31)).decode(), "size"),
    ],
)
def test_a_malformed_key_is_refused_without_being_shown(text: str, part: str) -> None:
    with pytest.raises(KeyMalformed) as caught:
        PublicKey.parse(text)
    assert caught.value.facts == {"part": part}


@pytest.mark.parametrize("text", ["YR==", "YQ", "YQ==\n", "YQ=="[:3], "Y Q=="])
def test_base64_has_one_spelling(text: str) -> None:
    assert unbase64("YQ==") == b"a"
    with pytest.raises(ValueError, match=r"."):
        unbase64(text)


def test_a_signer_shows_neither_seed_nor_key() -> None:
    assert repr(SIGNER) == f"Signer({SIGNER.key.id})"
    assert not hasattr(SIGNER, "__dict__")


@pytest.mark.parametrize(("name", "size"), [("log", 31), ("log", 33), ("a+b", 32), ("", 32)])
def test_a_signer_needs_a_name_and_a_seed_of_32_bytes(name: str, size: int) -> None:
    with pytest.raises(KeyMalformed):
        Signer(name, bytes(size))


@pytest.mark.parametrize("signed", DocumentKind)
@pytest.mark.parametrize("asked", DocumentKind)
def test_a_signature_of_one_document_type_holds_for_no_other(signed: DocumentKind, asked: DocumentKind) -> None:
    signature = SIGNER.sign_document(signed, b"{}")
    message = document_message(asked, b"{}")
    if signed is asked:
        SIGNER.key.check(signature, message)
        return
    with pytest.raises(InvalidSignature):
        SIGNER.key.check(signature, message)


@pytest.mark.parametrize("kind", DocumentKind)
def test_what_is_signed_for_a_document_can_never_be_a_note(kind: DocumentKind) -> None:
    assert document_message(kind, b"{}")[0] == 0  # a note cannot hold a control character but the newline
    note = SIGNER.sign_note(f"{kind}\n1\n{base64.b64encode(bytes(32)).decode()}\n")
    signature = unbase64(note.decode().split(" ")[-1].strip())[4:]
    text = note.rpartition(b"\n\n")[0] + b"\n"
    SIGNER.key.check(signature, text)
    with pytest.raises(InvalidSignature):
        SIGNER.key.check(signature, document_message(kind, text))


def test_a_signature_of_another_size_is_wrong_rather_than_an_error_of_its_own() -> None:
    with pytest.raises(InvalidSignature):
        SIGNER.key.check(b"short", b"message")
    with pytest.raises(InvalidSignature):
        PublicKey("n", b"\xff" * 32).check(bytes(64), b"message")


def test_signing_a_checkpoint_keeps_its_facts() -> None:
    head = Checkpoint(origin="log", size=3, root=bytes(32))
    signed = SIGNER.sign_checkpoint(head)
    assert signed == read_checkpoint(signed.note, SIGNER.key)
    assert signed.text() == head.text()
