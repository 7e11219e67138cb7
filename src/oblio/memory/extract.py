"""Finds statements worth remembering in what a person wrote, without a model.

Rules on sentences: a clause must begin in the first person with a verb of taste, aim, trouble or circumstance. The
words stay the person's own; nothing is rewritten, joined or concluded. It would rather miss a statement than make one
up: questions, requests, suppositions, negations, quotations and code are passed over. Whether a statement may be
stored is for the write filter; statements that it will refuse are found here like any other.
"""
# ruff: noqa: RUF001 -- text in Cyrillic script and typographic quotation marks

import re
from dataclasses import dataclass, field
from typing import Final

from oblio.memory import phrases

TEXT_CHARS: Final = 100_000
"""Longer texts are documents, not something said in a conversation; only their beginning is looked at."""

SENTENCE_CHARS: Final = 400
"""A longer sentence is not one statement."""

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_QUOTATION: Final = re.compile(r"[\"“”„«][^\"“”„«»\n]{0,400}[\"“”»]")
_END: Final = re.compile(
    r"(?<!\bt\.ex\.)(?<!\bbl\.a\.)(?<!\bd\.v\.s\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bdr\.)(?<!\bmr\.)(?<!\bmrs\.)"
    r"(?<!\bca\.)(?<!\bт\.е\.)(?<!\bг\.)(?<!\bул\.)(?<=[.!?…])[\"”»)]*\s+|\n+",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_STRAIGHT: Final = str.maketrans({"’": "'", "ʼ": "'", "\u00a0": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence in the person's own words, with the kind it looks like."""

    text: str = field(repr=False)
    kind: str


def statements(text: str, /) -> tuple[Statement, ...]:
    """Return the lasting statements that a person makes about themselves in a message, in order, each once.

    Args:
        text: one message of a person, in Swedish, Russian or English, also mixed.
    """
    plain = _QUOTED_LINE.sub("", _CODE.sub("\n", text[:TEXT_CHARS]))
    found: dict[str, Statement] = {}
    for piece in _END.split(plain):
        sentence = _BULLET.sub("", piece).strip()
        if sentence and len(sentence) <= SENTENCE_CHARS and (kind := _kind(sentence)) is not None:
            found.setdefault(sentence, Statement(text=sentence, kind=kind))
    return tuple(found.values())


def _kind(sentence: str) -> str | None:
    folded = _QUOTATION.sub("", sentence.translate(_STRAIGHT).lower())
    if "?" in folded or phrases.ASKING.search(phrases.LEAD_IN.sub("", folded, count=1)):
        return None
    if phrases.PASSING.search(folded) or phrases.POINTING.search(folded):
        return None
    if phrases.UNCERTAIN.search(phrases.IDIOMS.sub("", folded)):
        return None
    for clause in _clauses(folded):
        kind = _clause_kind(clause)
        if kind is not None:
            return kind
    return None


def _clauses(folded: str) -> list[str]:
    """Return what follows each place where a clause can begin, up to the next clause mark of a new subject."""
    begins = [0, *(mark.end() for mark in phrases.CLAUSES.finditer(folded))]
    return [phrases.LEAD_IN.sub("", folded[begin:], count=1) for begin in begins]


def _clause_kind(clause: str) -> str | None:
    own = phrases.CLAUSES.split(clause, maxsplit=1)[0]
    if phrases.NEGATED.search(phrases.IDIOMS.sub("", own)):
        return None
    for kind, pattern in phrases.STARTS.items():
        if pattern.match(clause):
            return kind
    for kind, pattern in phrases.INVERTED.items():
        found = pattern.search(own)
        if found is not None and found.start() > 0:
            return kind
    return None
