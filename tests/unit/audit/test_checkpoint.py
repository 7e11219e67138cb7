"""Tests of `oblio.audit.checkpoint`: strict reading, and only the expected key counts."""

import base64

import pytest

from oblio.audit.checkpoint import MAX_NOTE_BYTES, MAX_SIGNATURES, read_checkpoint
from oblio.audit.signer import Signer
from oblio.errors.audit import NoteForged, NoteMalformed, NoteUnsigned

SIGNER = Signer("oblio.example/log", bytes(range(32)))
OTHER = Signer("oblio.example/log", bytes(32))
WITNESS = Signer("witness.example", bytes(range(32)))
ROOT = base64.b64encode(bytes(32)).decode()
TEXT = f"oblio.example/log\n7\n{ROOT}\n"
NOTE = SIGNER.sign_note(TEXT)


def line(signer: Signer, text: str = TEXT) -> bytes:
    return signer.sign_note(text).rpartition(b"\n\n")[2]


def test_a_signed_checkpoint_is_read() -> None:
    head = read_checkpoint(NOTE, SIGNER.key)
    assert (head.origin, head.size, head.root, head.note) == ("oblio.example/log", 7, bytes(32), NOTE)


def test_an_empty_log_has_size_zero() -> None:
    assert read_checkpoint(SIGNER.sign_note(f"o\n0\n{ROOT}\n"), SIGNER.key).size == 0


@pytest.mark.parametrize("signer", [OTHER, WITNESS])
def test_signatures_of_unknown_keys_are_ignored_even_when_name_or_key_is_shared(signer: Signer) -> None:
    wrong = line(signer, TEXT.replace("7", "8"))
    assert read_checkpoint(NOTE + wrong, SIGNER.key).size == 7
    with pytest.raises(NoteUnsigned) as caught:
        read_checkpoint(signer.sign_note(TEXT), SIGNER.key)
    assert caught.value.facts == {"signatures": 1}


def test_one_wrong_signature_of_the_known_key_spoils_the_note() -> None:
    with pytest.raises(NoteForged):
        read_checkpoint(NOTE + line(SIGNER, TEXT.replace("7", "8")), SIGNER.key)


@pytest.mark.parametrize(("old", "new"), [(b"\n7\n", b"\n8\n"), (b"oblio.example/log\n", b"oblio.example/fog\n")])
def test_a_changed_text_is_forged(old: bytes, new: bytes) -> None:
    with pytest.raises(NoteForged):
        read_checkpoint(NOTE.replace(old, new), SIGNER.key)


@pytest.mark.parametrize(
    ("note", "part"),
    [
        (b"", "lines"),
        (b"\xff" + NOTE, "encoding"),
        (NOTE + b"x" * MAX_NOTE_BYTES, "size"),
        (NOTE[:-1], "lines"),
        (NOTE.replace(b"\n\n", b"\n"), "lines"),
        (NOTE.replace(b"\n7\n", b"\n7\r\n"), "lines"),
        (NOTE.replace(b"\n7\n", b"\n\x007\n"), "lines"),
        (NOTE + b"\xe2\x80\x94 a b c\n", "signature"),
        (NOTE + b"- witness.example AAAAAAAA\n", "signature"),
        (NOTE + b"\xe2\x80\x94 witness.example AAAA\n", "signature"),
        (NOTE + b"\xe2\x80\x94 witness.example AAAAAAA\n", "signature"),
        (NOTE + "— witness.example AAAAAAÖÖ\n".encode(), "signature"),
        (NOTE + b"\xe2\x80\x94 wit+ness AAAAAAAA\n", "signature"),
        (NOTE + line(WITNESS) * MAX_SIGNATURES, "signatures"),
    ],
)
def test_a_malformed_note_is_refused(note: bytes, part: str) -> None:
    with pytest.raises(NoteMalformed) as caught:
        read_checkpoint(note, SIGNER.key)
    assert caught.value.facts == {"part": part}


@pytest.mark.parametrize(
    "text",
    [
        "o\n7\n",
        f"o\n7\n{ROOT}\nextension\n",
        f"\n7\n{ROOT}\n",
        f"o p\n7\n{ROOT}\n",
        f"ö\n7\n{ROOT}\n",
        f"o\n07\n{ROOT}\n",
        f"o\n-7\n{ROOT}\n",
        f"o\n٧\n{ROOT}\n",
        f"o\n{10**16}\n{ROOT}\n",
        f"o\n7\n{ROOT[:-1]}\n",
        f"o\n7\n{ROOT[:-4]}\n",
        "o\n7\nÖÖÖÖ\n",
    ],
)
def test_a_signed_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteMalformed) as caught:
        read_checkpoint(SIGNER.sign_note(text), SIGNER.key)
    assert caught.value.facts == {"part": "text"}


def test_sixteen_signatures_are_accepted_as_the_format_asks() -> None:
    assert read_checkpoint(NOTE + line(WITNESS) * 15, SIGNER.key).size == 7
