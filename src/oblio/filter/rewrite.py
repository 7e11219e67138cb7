"""What is left of a text when findings are cut out or replaced by marks."""

import re
from collections import Counter
from dataclasses import replace
from typing import Final

from oblio.filter.policy import Marks
from oblio.model.screening import Reason, Span

_LONGEST_MARK: Final = 40
_MARK: Final = re.compile(r"\[[a-z][a-z0-9_-]{2,38}\]")


class TextMarks:
    """Marks that are stable within one text, for a caller that keeps no mapping."""

    def __init__(self) -> None:
        self._known: dict[tuple[Reason, str], str] = {}
        self._count: Counter[Reason] = Counter()

    def mark(self, category: Reason, value: str, /) -> str:
        """Number the values of a category in the order in which they are met."""
        if (category, value) not in self._known:
            self._count[category] += 1
            self._known[category, value] = f"{category}-{self._count[category]}"
        return self._known[category, value]


def _merged(spans: list[Span]) -> list[Span]:
    """Spans in order, overlapping ones joined under the category of the longest."""
    out: list[Span] = []
    for span in sorted(spans, key=lambda item: (item.start, -item.end)):
        if out and span.start < out[-1].end:
            out[-1] = replace(out[-1], end=max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def rewritten(text: str, spans: list[Span], marks: Marks, /, *, marked: frozenset[Reason]) -> str:
    """The text with each span replaced by `[category]`, or by its own mark where the category is in `marked`."""
    pieces: list[str] = []
    at = 0
    for span in _merged(spans):
        plain = span.category not in marked
        name = str(span.category) if plain else marks.mark(span.category, text[span.start : span.end])
        pieces += text[at : span.start], f"[{name}]"
        at = span.end
    return "".join((*pieces, text[at:]))


def is_mark(text: str, span: Span, /) -> bool:
    """Whether a span of a rewritten text touches one of its marks."""
    around = text[max(span.start - _LONGEST_MARK, 0) : span.end + _LONGEST_MARK]
    shift = max(span.start - _LONGEST_MARK, 0)
    return any(
        found.start() + shift < span.end and span.start < found.end() + shift for found in _MARK.finditer(around)
    )


def without_marks(text: str, /) -> str:
    """The text, the same length, with its marks made unreadable: "[phone]" is no label of what stands behind it."""
    return _MARK.sub(lambda found: "_" * len(found.group()), text)
