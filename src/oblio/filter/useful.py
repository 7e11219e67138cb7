"""Whether what stands outside the cut spans still says something: a verb or a taste, and two telling words."""

from typing import Final

from oblio.filter.reading import Reading

_CONTENT: Final = 2
_LABELS: Final = (
    "label.national_id", "label.inn", "label.passport", "label.licence", "label.phone", "label.email", "label.secret",
    "label.pin", "label.payment", "label.address", "word.empty",
)  # fmt: skip
_SHORTEST: Final = 3


def useful_memory_remains(reading: Reading, spans: list[tuple[int, int]], /) -> bool:
    """Count words outside spans and labels; `spans` are of the normal form."""
    verb = False
    content = 0
    for index, token in enumerate(reading.tokens):
        if any(start < token.end and token.start < end for start, end in spans):
            continue
        if reading.tagged(index, "word.verb"):
            verb = True
        elif len(token.word) >= _SHORTEST and token.word.isalpha() and not reading.tagged(index, *_LABELS):
            content += 1
    return verb and content >= _CONTENT
