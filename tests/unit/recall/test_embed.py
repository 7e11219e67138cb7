"""Tests of `oblio.recall.embed`."""

import hashlib

import numpy as np
import pytest

from oblio.ports.recall import Embedder
from oblio.recall import embed, scan
from oblio.recall.embed import HashedNgramEmbedder, default_embedder


def near(one: str, other: str) -> float:
    first, second = HashedNgramEmbedder().embed_texts([one, other])
    return float(scan.unpack(first) @ scan.unpack(second))


def test_vectors_have_the_stated_size_and_length_one() -> None:
    embedder: Embedder = HashedNgramEmbedder()
    vectors = embedder.embed_texts(["Katten sover", "кошка", "a"])
    assert {len(vector) for vector in vectors} == {2 * embedder.dimensions}
    assert [np.linalg.norm(scan.unpack(vector)) for vector in vectors] == pytest.approx([1, 1, 1], abs=2e-3)


def test_the_same_text_gives_the_same_bytes_in_every_process() -> None:
    vector = HashedNgramEmbedder().embed_query("Mormors katt heter Vera")
    assert hashlib.sha256(vector).hexdigest() == "41bcd6f2e293ad27791cc511ecf6bfcb25101e3a67812b6f11c3063a59c789f6"


def test_nothing_to_embed_is_a_vector_of_zeros() -> None:
    assert HashedNgramEmbedder().embed_query("  !") == bytes(768)
    assert HashedNgramEmbedder().embed_texts([]) == []


@pytest.mark.parametrize(
    ("question", "meant", "other"),
    [
        ("tandläkaren", "Tandläkartiden är på måndag", "Bilen är röd"),
        ("о собаке", "У Веры есть собака", "Вера любит чай"),
        ("my ALLERGY", "has allergies to nuts", "works in Malmö"),
    ],
)
def test_inflected_and_compounded_words_are_found(question: str, meant: str, other: str) -> None:
    assert near(question, meant) > near(question, other) + 0.1


def test_the_default_is_the_fallback_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "find_spec", lambda _: None)
    assert default_embedder().model == "hash-ngram/1"
