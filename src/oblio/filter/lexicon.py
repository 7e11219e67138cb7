"""Word lists of the rules: loaded once from the data files beside this module, looked up word by word.

File format: `#` comments (origin and licence stand in the head), `[tag]` opens a list, entries are parted by commas.
An entry is a word, `stem*`, `*ending`, or a phrase of such parts. All lower case.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final, NamedTuple

from oblio.errors.filter import LexiconUnreadable

_NONE: Final[tuple[str, ...]] = ()
_KEY: Final = 3


class Phrase(NamedTuple):
    """The rest of a phrase after its first part, and the tag it gives."""

    rest: tuple[str, ...]
    tag: str


_NO_PHRASES: Final[tuple[Phrase, ...]] = ()


@dataclass(slots=True)
class Lexicon:
    """All lists in one table, so that a word costs the same however many lists there are."""

    exact: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stems: dict[str, tuple[str, ...]] = field(default_factory=dict)
    openings: dict[str, tuple[Phrase, ...]] = field(default_factory=dict)
    """Phrases whose first part is a stem, by that stem."""
    endings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: dict[str, tuple[Phrase, ...]] = field(default_factory=dict)
    stem_sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Sizes of the stems, those of phrases included, by their first three letters: most words have none to try."""
    ending_sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Sizes of the endings by their last three letters."""

    def look(self, word: str, /) -> tuple[tuple[str, ...], tuple[Phrase, ...]]:
        """Tags of one lower-case word, by itself, its stems and its endings; and the phrases that it may begin."""
        tags = self.exact.get(word, _NONE)
        begun = self.phrases.get(word, _NO_PHRASES)
        if (sizes := self.stem_sizes.get(word[:_KEY])) is not None:
            for cut in sizes:
                head = word[:cut]
                if len(head) < cut:
                    break
                tags += self.stems.get(head, _NONE)
                begun += self.openings.get(head, _NO_PHRASES)
        if (sizes := self.ending_sizes.get(word[-_KEY:])) is not None:
            for cut in sizes:
                if cut < len(word):
                    tags += self.endings.get(word[-cut:], _NONE)
        return tags, begun


def part_matches(part: str, word: str, /) -> bool:
    """Whether one part of a phrase stands for the word."""
    return word.startswith(part[:-1]) if part.endswith("*") else part == word


def _entries(text: str) -> Iterator[tuple[str, str]]:
    tag = ""
    for line in text.splitlines():
        body = line.partition("#")[0].strip()
        if body.startswith("["):
            tag = body.strip("[]")
        else:
            for entry in filter(None, (piece.strip() for piece in body.split(","))):
                yield tag, entry


def _add(lexicon: Lexicon, tag: str, entry: str) -> None:
    first, *rest = entry.split()
    if rest:
        begun = lexicon.openings if first.endswith("*") else lexicon.phrases
        first = first.removesuffix("*")
        begun[first] = (*begun.get(first, ()), Phrase(tuple(rest), tag))
        return
    table, key = lexicon.exact, entry
    if entry.endswith("*"):
        table, key = lexicon.stems, entry[:-1]
    elif entry.startswith("*"):
        table, key = lexicon.endings, entry[1:]
    if tag not in table.get(key, ()):
        table[key] = (*table.get(key, ()), tag)


def _sizes(keys: dict[str, str]) -> dict[str, tuple[int, ...]]:
    """Group the sizes of parts by their key letters; a part shorter than the key could not be found and is an error."""
    grouped: dict[str, set[int]] = {}
    for part, key in keys.items():
        if len(part) < _KEY:
            raise LexiconUnreadable(size=len(part))
        grouped.setdefault(key, set()).add(len(part))
    return {key: tuple(sorted(sizes)) for key, sizes in grouped.items()}


def build(texts: Sequence[str], /) -> Lexicon:
    """Build one table from the texts of several files."""
    lexicon = Lexicon()
    for text in texts:
        for tag, entry in _entries(text):
            _add(lexicon, tag, entry)
    lexicon.stem_sizes = _sizes({stem: stem[:_KEY] for stem in (*lexicon.stems, *lexicon.openings)})
    lexicon.ending_sizes = _sizes({ending: ending[-_KEY:] for ending in lexicon.endings})
    return lexicon


def _shipped() -> list[str]:
    folder = files("oblio.filter") / "lexicons"
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".txt")), key=lambda item: item.name)
    return [item.read_text(encoding="utf-8") for item in found]


LEXICON: Final = build(_shipped())
