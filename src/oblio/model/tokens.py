"""How many tokens of a language model a text takes, estimated without any model's tokenizer.

The estimate errs upwards for the tokenizers in use (byte-pair encodings of 100,000 pieces or more), because a budget
that is kept matters more than one that is used up. It is no exact count for any of them.
"""

import re
from typing import Final

LATIN_LETTERS: Final = 3
"""Letters of a plain Latin word in one token, at the low end."""
OTHER_LETTERS: Final = 2
"""Letters of a word in another script, or of a run with accents, in one token, at the low end."""
DIGITS: Final = 2

_PIECE: Final = re.compile(r"(?P<latin>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<other>[^\W\d_]+)|(?P<mark>\S)|\n")
_PER_TOKEN: Final = {"latin": LATIN_LETTERS, "digits": DIGITS, "other": OTHER_LETTERS}


def estimate(text: str, /) -> int:
    """Return the estimated number of tokens of `text`; 0 for an empty one."""
    return sum(_tokens(piece) for piece in _PIECE.finditer(text))


def _tokens(piece: re.Match[str]) -> int:
    return -(-len(piece.group()) // _PER_TOKEN.get(piece.lastgroup or "", 1))
