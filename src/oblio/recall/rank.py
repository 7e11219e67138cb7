"""One score from meaning and words.

Meaning is a cosine, words are BM25 as a share of what the question could reach in this store, so both have a fixed
range and neither has to be scaled by what else was found. How much words weigh depends on how much of the store is in
the language of the question. In a store of one language words find what a small model misses. In a mixed store they
find the wrong memory: those in the question's language win by chance words over the one that means it. The guess of
the language weighs two sides of a ranking; it never hides a memory.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

LEAST: Final = 0.2
"""Weight of words, beside a cosine of weight 1, where nothing is in the language of the question: names and numbers."""
MOST: Final = 1.6
"""Weight of words where everything is in the language of the question."""

Floats = npt.NDArray[np.float32]


def weight_of_words(kin: float, /) -> float:
    """Return the weight of words for a store of which the share `kin`, 0 to 1, is in the language of the question."""
    return LEAST + (MOST - LEAST) * kin * kin


def fuse(dense: Floats, words: Floats, /, *, weight: float) -> Floats:
    """Return one score a memory, from 0 to 1.

    Args:
        dense: cosines, -1 to 1; 0 where there is no comparable vector, negative counts as 0.
        words: `lexical.share` of the same memories, 0 to 1.
        weight: weight of `words`, from `weight_of_words`; 0 ranks by meaning only.
    """
    scores = (np.clip(dense, 0, 1) + np.float32(weight) * words) / np.float32(1 + weight)
    return np.asarray(scores, dtype=np.float32)
