"""Tests of `oblio.audit.receipt`: a document verifies offline, as what it is and unchanged, or it raises."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.audit.conftest import CLASSES, NOW, ORIGIN, World, fact, payload

from oblio.audit.receipt import MAX_DOCUMENT_BYTES, Addendum, Document, Receipt, Statement
from oblio.audit.signer import Signer
from oblio.errors.audit import InclusionUnproven, KeyMalformed, NoteForged, NoteMalformed, NoteUnsigned
from oblio.errors.base import Fault
from oblio.errors.receipt import (
    DocumentEntryWrong,
    DocumentKeyWrong,
    DocumentMalformed,
    DocumentOriginWrong,
    DocumentSignatureWrong,
    DocumentTypeWrong,
)
from oblio.model.audit import ActorRole
from oblio.model.receipt import DocumentKind

STRANGER = Signer(ORIGIN, bytes(32))


@pytest.mark.parametrize("kind", DocumentKind)
def test_a_document_verifies_offline(grown: World, kind: DocumentKind) -> None:
    text = grown.document(kind).to_json()
    grown.tables.leaves.clear()
    document = CLASSES[kind].from_json(text)
    document.verify(grown.key)
    assert document.to_json() == text


def test_a_document_verifies_as_the_only_entry_of_a_log(world: World) -> None:
    receipt = world.document()
    assert receipt.log.proof == ()
    Receipt.from_json(receipt.to_json().encode()).verify(world.key)


def test_issuing_again_gives_the_same_bytes(grown: World) -> None:
    receipt = grown.document()
    again = Receipt.issue(receipt.payload, signer=grown.signer, proof=receipt.log)
    assert again.to_json() == receipt.to_json()


def test_a_later_proof_serves_the_same_signature(grown: World) -> None:
    receipt = grown.document()
    grown.add(30, 31, 32)
    later = replace(receipt, log=grown.log.inclusion(grown.tables, receipt.log.index))
    later.verify(grown.key)
    assert later.signature == receipt.signature
    assert later.log.checkpoint != receipt.log.checkpoint


def test_a_document_is_published_in_the_documented_form(grown: World) -> None:
    receipt = grown.document()
    facts = json.loads(receipt.to_json())
    assert facts["type"] == "oblio/receipt/1"
    assert grown.key.startswith(facts["key"] + "+")
    assert facts["log"]["index"] == 11
    assert base64.b64decode(facts["log"]["entry"]) == receipt.log.entry
    assert facts["log"]["checkpoint"].startswith(f"{ORIGIN}\n12\n")
    assert facts["payload"]["final"] is True


@pytest.mark.parametrize("made", DocumentKind)
@pytest.mark.parametrize("asked", DocumentKind)
def test_a_document_is_never_read_as_another_type(grown: World, made: DocumentKind, asked: DocumentKind) -> None:
    text = grown.document(made).to_json()
    if made is asked:
        assert CLASSES[asked].from_json(text).kind is made
        return
    with pytest.raises(DocumentTypeWrong) as caught:
        CLASSES[asked].from_json(text)
    assert caught.value.facts == {"found": made, "wanted": asked}
    with pytest.raises(DocumentMalformed):  # the type alone changed: the payload says what it is
        CLASSES[asked].from_json(text.replace(f'"{made}"', f'"{asked}"'))


def test_a_signature_and_an_entry_of_one_type_serve_no_other(grown: World) -> None:
    statement = grown.document(DocumentKind.STATEMENT)
    receipt = payload()
    since = grown.log.record(grown.tables, receipt.entry(actor=ActorRole.SYSTEM))
    grown.add()
    proof = grown.log.inclusion(grown.tables, since)
    forged = Receipt(payload=receipt, log=statement.log, signature=statement.signature, key=statement.key)
    with pytest.raises(DocumentSignatureWrong):
        forged.verify(grown.key)
    signed = grown.signer.sign_document(DocumentKind.RECEIPT, receipt.canonical())
    with pytest.raises(DocumentEntryWrong) as caught:
        replace(forged, signature=signed).verify(grown.key)
    assert caught.value.facts == {"part": "action"}
    replace(forged, signature=signed, log=proof).verify(grown.key)
    for kind in (DocumentKind.STATEMENT, DocumentKind.ADDENDUM):
        other = grown.signer.sign_document(kind, receipt.canonical())
        with pytest.raises(DocumentSignatureWrong):
            replace(forged, signature=other, log=proof).verify(grown.key)


def test_a_payload_of_another_kind_makes_no_document(grown: World) -> None:
    receipt = grown.document()
    for wrong in (Statement, Addendum):
        with pytest.raises(DocumentTypeWrong):
            wrong.issue(receipt.payload, signer=grown.signer, proof=receipt.log)


def test_nothing_is_issued_that_the_log_does_not_prove(grown: World) -> None:
    with pytest.raises(DocumentEntryWrong):
        Receipt.issue(payload(), signer=grown.signer, proof=grown.log.inclusion(grown.tables, 3))
    receipt = grown.document()
    with pytest.raises(NoteUnsigned):
        Receipt.issue(receipt.payload, signer=STRANGER, proof=receipt.log)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"document": "d1" * 16}, "digest"),
        ({"blanked": 4}, "digest"),
    ],
)
def test_the_entry_must_commit_to_this_very_payload(grown: World, changes: dict[str, Any], part: str) -> None:
    receipt = grown.document()
    other = replace(receipt.payload, **changes)
    with pytest.raises(DocumentEntryWrong) as caught:
        Receipt.issue(other, signer=grown.signer, proof=receipt.log)
    assert caught.value.facts == {"part": part}


@pytest.mark.parametrize("changes", [{"request": "e1" * 16}, {"time": NOW.replace(year=2027)}])
def test_an_entry_with_the_digest_and_other_facts_is_refused(grown: World, changes: dict[str, Any]) -> None:
    entry = replace(payload().entry(actor=ActorRole.SYSTEM), **changes)
    since = grown.log.record(grown.tables, entry)
    grown.add()
    with pytest.raises(DocumentEntryWrong) as caught:
        Receipt.issue(payload(), signer=grown.signer, proof=grown.log.inclusion(grown.tables, since))
    assert caught.value.facts == {"part": "facts"}


def changed(document: Document, *path: str, value: object) -> str:
    """Return the JSON of a document with one value replaced."""
    facts = json.loads(document.to_json())
    place = facts
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(facts)


OTHER_HASH = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("payload", "blanked"), 4, DocumentSignatureWrong),
        (("payload", "request"), "e1" * 16, DocumentSignatureWrong),
        (("payload", "horizon"), None, DocumentSignatureWrong),
        (("payload", "names"), [], DocumentSignatureWrong),
        (("payload", "final"), False, DocumentMalformed),
        (("payload", "steps"), [], DocumentMalformed),
        (("payload", "v"), 2, DocumentMalformed),
        (("payload", "v"), True, DocumentMalformed),
        (("payload", "blanked"), 3.0, DocumentMalformed),
        (("payload", "blanked"), float("nan"), DocumentMalformed),
        (("payload", "text"), "canary", DocumentMalformed),
        (("payload",), [], DocumentMalformed),
        (("log",), {}, DocumentMalformed),
        (("log",), [], DocumentMalformed),
        (("log", "origin"), "oblio.example/other", DocumentOriginWrong),
        (("log", "origin"), None, DocumentMalformed),
        (("log", "index"), 10, InclusionUnproven),
        (("log", "index"), 12, InclusionUnproven),
        (("log", "index"), -1, InclusionUnproven),
        (("log", "index"), "11", DocumentMalformed),
        (("log", "index"), True, DocumentMalformed),
        (("log", "entry"), base64.b64encode(fact().canonical()).decode(), DocumentEntryWrong),
        (("log", "entry"), base64.b64encode(b"{}").decode(), DocumentEntryWrong),
        (("log", "entry"), "{}", DocumentMalformed),
        (("log", "checkpoint"), "", NoteMalformed),
        (("log", "checkpoint"), "\ud800", NoteMalformed),
        (("log", "checkpoint"), 7, DocumentMalformed),
        (("log", "proof"), [], InclusionUnproven),
        (("log", "proof"), [OTHER_HASH], InclusionUnproven),
        (("log", "proof"), [OTHER_HASH] * 65, DocumentMalformed),
        (("log", "proof"), ["AAAA"], DocumentMalformed),
        (("log", "proof"), "AAAA", DocumentMalformed),
        (("log", "more"), 1, DocumentMalformed),
        (("signature",), base64.b64encode(bytes(64)).decode(), DocumentSignatureWrong),
        (("signature",), base64.b64encode(bytes(63)).decode(), DocumentMalformed),
        (("signature",), "ÖÖÖÖ", DocumentMalformed),
        (("key",), STRANGER.key.id, DocumentKeyWrong),
        (("key",), None, DocumentMalformed),
        (("more",), 1, DocumentMalformed),
        (("type",), "oblio/receipt/2", DocumentTypeWrong),
        (("type",), None, DocumentTypeWrong),
        (("type",), [], DocumentTypeWrong),
    ],
)
def test_a_changed_document_does_not_verify(
    grown: World, path: tuple[str, ...], value: object, fault: type[Fault]
) -> None:
    text = changed(grown.document(), *path, value=value)
    with pytest.raises(fault):
        Receipt.from_json(text).verify(grown.key)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda note: note.replace("\n12\n", "\n13\n"), NoteForged),
        (lambda note: note.replace(ORIGIN, "oblio.example/other", 1), NoteForged),
        (lambda note: note.replace("— " + ORIGIN, "— other"), NoteUnsigned),
        (lambda note: note + "\n", NoteMalformed),
    ],
)
def test_a_changed_checkpoint_does_not_verify(grown: World, change: Callable[[str], str], fault: type[Fault]) -> None:
    receipt = grown.document()
    text = changed(receipt, "log", "checkpoint", value=change(receipt.log.checkpoint.decode()))
    with pytest.raises(fault):
        Receipt.from_json(text).verify(grown.key)


def test_every_step_of_the_proof_is_needed(grown: World) -> None:
    receipt = grown.document()
    assert len(receipt.log.proof) == 3
    for position in range(3):
        steps = list(receipt.log.proof)
        steps[position] = bytes(32)
        with pytest.raises(InclusionUnproven):
            replace(receipt, log=replace(receipt.log, proof=tuple(steps))).verify(grown.key)


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("", KeyMalformed),
        (str(STRANGER.key), DocumentKeyWrong),
        (str(Signer("x", bytes(range(32))).key), DocumentKeyWrong),
    ],
)
def test_another_public_key_verifies_nothing(grown: World, key: str, fault: type[Fault]) -> None:
    with pytest.raises(fault):
        grown.document().verify(key)


def test_a_document_cannot_vouch_for_a_key_of_its_own(grown: World) -> None:
    forger = World(signer=STRANGER)
    forged = forger.document()
    forged.verify(str(STRANGER.key))
    with pytest.raises(DocumentKeyWrong):
        forged.verify(grown.key)
    with pytest.raises(DocumentSignatureWrong):
        replace(forged, key=grown.signer.key.id).verify(grown.key)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{", "[" * 50_000, b"\xff", '{"type":"oblio/receipt/1"}', " " * (MAX_DOCUMENT_BYTES + 1)],
    ids=["empty", "list", "null", "cut", "deep", "bytes", "bare", "large"],
)
def test_what_is_no_document_is_refused(text: str | bytes) -> None:
    with pytest.raises(DocumentMalformed):
        Receipt.from_json(text)


def test_a_repeated_key_is_refused_because_readers_would_disagree(grown: World) -> None:
    text = grown.document().to_json()
    with pytest.raises(DocumentMalformed) as caught:
        Receipt.from_json(text.replace('"blanked": 3', '"blanked": 9, "blanked": 3'))
    assert caught.value.facts == {"part": "json"}


def test_a_document_shows_no_proof_in_its_repr(grown: World) -> None:
    shown = repr(grown.document())
    assert "signature" not in shown
    assert "checkpoint=" not in shown
