"""A text as the rules see it: normal form, words with their tags, and numbers; each made once per text.

All offsets are of the normal form. Word folding (look-alike letters, digits inside words) changes words only for the
look-up and never a length.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from oblio.filter.lexicon import LEXICON, Lexicon, part_matches
from oblio.filter.normalise import Normal
from oblio.filter.numbers import Number, numbers_in

_WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_SENTENCE_END: Final = re.compile(r"[.!?;]\s|\n")
_HAS_LATIN: Final = re.compile(r"[a-z]")
_HAS_CYRILLIC: Final = re.compile(r"[а-яё]")
_QUOTED: Final = re.compile(
    r"«[^«»\n]{1,120}»|»[^«»\n]{1,120}«|‹[^‹›\n]{1,120}›|\"[^\"\n]{1,120}\"|[“”„][^“”„\n]{1,120}[“”]"
    r"|(?<!\w)[‚'](?:[^'\n]|(?<=\w)'(?=\w)){1,120}'(?!\w)"  # single marks; an apostrophe inside a word ends nothing
)
_DIGIT: Final = re.compile(r"[0-9]")
_LEADING: Final = frozenset({"health.condition"})
_LONGEST_LABEL: Final = 80
_LATIN: Final = "aceopxyukmtbhni"
_CYRILLIC: Final = "асеорхуикмтвнпі"
_TO_LATIN: Final = str.maketrans(_CYRILLIC, _LATIN)
_TO_CYRILLIC: Final = str.maketrans(_LATIN, _CYRILLIC)
_LEET: Final = str.maketrans("013457", "oieast")


class Token(NamedTuple):
    """One word: span and folded lower-case form."""

    start: int
    end: int
    word: str


class Tagged(NamedTuple):
    """Tokens `first` to `last` (inclusive) that carry one tag."""

    first: int
    last: int


def _same_script(word: str) -> str:
    latin = sum("a" <= char <= "z" for char in word)
    return word.translate(_TO_LATIN if latin * 2 > len(word) else _TO_CYRILLIC)


def _folded(word: str) -> str:
    if word.isascii():
        return word.translate(_LEET) if word[0].isalpha() and not word.isalpha() and word[-1].isalpha() else word
    return _same_script(word) if _HAS_LATIN.search(word) and _HAS_CYRILLIC.search(word) else word


class Reading:
    """One view of a text."""

    def __init__(self, normal: Normal, /, *, lexicon: Lexicon = LEXICON) -> None:
        self.normal: Final = normal
        self.lexicon: Final = lexicon

    @cached_property
    def text(self) -> str:
        """The normal form."""
        return self.normal.text

    @cached_property
    def low(self) -> str:
        """The normal form in lower case, the same length."""
        return self.normal.text.lower()

    @cached_property
    def tokens(self) -> list[Token]:
        """All words, in order."""
        made = []
        for found in _WORD.finditer(self.low):
            word = found.group()
            plain = word.isascii() and word.isalpha()
            made.append(Token(*found.span(), word if plain else _folded(word)))
        return made

    @cached_property
    def tags(self) -> dict[str, list[Tagged]]:
        """Where each tag of the lexicon occurs."""
        found: dict[str, list[Tagged]] = {}
        tokens, look = self.tokens, self.lexicon.look
        for index, (_, _, word) in enumerate(tokens):
            tags, begun = look(word)
            if not tags and "-" in word:
                tags = self._compound(word)
            if tags:
                place = Tagged(index, index)
                for tag in tags:
                    found.setdefault(tag, []).append(place)
            if begun and index + 1 < len(tokens):
                following = tokens[index + 1].word
                for rest, tag in begun:
                    if (rest[0] == following or rest[0][-1] == "*") and self._follows(index, rest):
                        found.setdefault(tag, []).append(Tagged(index, index + len(rest)))
        return found

    def _compound(self, word: str) -> tuple[str, ...]:
        """Tags of a word with hyphens: those of its last part, and an illness that it begins with."""
        tags, _ = self.lexicon.look(word.rpartition("-")[2])
        first, _ = self.lexicon.look(word.partition("-")[0])
        return (*tags, *(tag for tag in first if tag in _LEADING))

    def _follows(self, index: int, rest: tuple[str, ...]) -> bool:
        """Whether the rest of a phrase stands behind the token."""
        following = self.tokens[index + 1 : index + 1 + len(rest)]
        return len(following) == len(rest) and all(map(part_matches, rest, (token.word for token in following)))

    @cached_property
    def marked(self) -> dict[int, set[str]]:
        """Tags by token index."""
        found: dict[int, set[str]] = {}
        for tag, places in self.tags.items():
            for place in places:
                for index in range(place.first, place.last + 1):
                    found.setdefault(index, set()).add(tag)
        return found

    @cached_property
    def numbers(self) -> list[Number]:
        """Runs of digits of 6 to 20 digits, joined over short gaps in every way."""
        return numbers_in(self.text)

    @cached_property
    def quotes(self) -> list[tuple[int, int]]:
        """What stands in quotation marks of any sort, the marks included, in order."""
        return [found.span() for found in _QUOTED.finditer(self.text)]

    @cached_property
    def _sentences(self) -> list[int]:
        """Offsets at which a sentence ends."""
        return [found.start() for found in _SENTENCE_END.finditer(self.text)]

    def sentence(self, index: int, /) -> int:
        """Which sentence of the text a token stands in."""
        return bisect_right(self._sentences, self.tokens[index].start)

    def beside(self, place: Tagged, /, *, before: int, after: int) -> Iterator[int]:
        """Tokens at most so many words ahead of a place or behind it, nearest first, within its sentence."""
        for index in range(place.first - 1, max(place.first - 1 - before, -1), -1):
            if self.sentence(index) != self.sentence(place.first):
                break
            yield index
        for index in range(place.last + 1, min(place.last + 1 + after, len(self.tokens))):
            if self.sentence(index) != self.sentence(place.last):
                break
            yield index

    @cached_property
    def _by_size(self) -> dict[int, list[Number]]:
        found: dict[int, list[Number]] = {}
        for number in self.numbers:
            found.setdefault(len(number.digits), []).append(number)
        return found

    def sized(self, *sizes: int) -> Iterator[Number]:
        """Numbers with one of so many digits."""
        for size in sizes:
            yield from self._by_size.get(size, ())

    @cached_property
    def has_digit(self) -> bool:
        """Whether any digit occurs."""
        return _DIGIT.search(self.text) is not None

    def has(self, *tags: str) -> bool:
        """Whether any of the tags occurs."""
        return any(tag in self.tags for tag in tags)

    def where(self, *tags: str) -> Iterator[Tagged]:
        """Every place of the tags."""
        for tag in tags:
            yield from self.tags.get(tag, ())

    def tagged(self, index: int, *tags: str) -> bool:
        """Whether the token at `index` carries one of the tags; False outside the text."""
        return any(tag in self.marked.get(index, ()) for tag in tags)

    def near(self, *tags: str, start: int, end: int, before: int = 40, after: int = 0) -> Iterator[Tagged]:
        """Places of the tags that end at most `before` characters ahead of a span, or begin at most `after` behind it.

        A sentence end in between cuts the tie.
        """
        for place in self._around(*tags, low=start - before - _LONGEST_LABEL, high=end + after):
            left, right = self.tokens[place.first].start, self.tokens[place.last].end
            if right <= start:
                gap = self.text[right:start] if start - right <= before else None
            elif left >= end:
                gap = self.text[end:left] if left - end <= after else None
            else:
                gap = ""
            if gap is not None and _SENTENCE_END.search(gap) is None:
                yield place

    def _around(self, *tags: str, low: int, high: int) -> Iterator[Tagged]:
        """Places that begin between two offsets; found by bisection, so that many labels and numbers stay linear."""
        for tag in tags:
            places = self.tags.get(tag)
            if places:
                first = bisect_left(places, low, key=self._offset)
                yield from places[first : bisect_right(places, high, lo=first, key=self._offset)]

    def _offset(self, place: Tagged) -> int:
        return self.tokens[place.first].start

    def labelled(self, *tags: str, start: int, end: int, before: int = 40, after: int = 0) -> bool:
        """Whether one of the tags stands near the span (see `near`)."""
        return next(self.near(*tags, start=start, end=end, before=before, after=after), None) is not None

    def capital(self, index: int, /) -> bool:
        """Whether the token exists and begins with a capital letter."""
        return 0 <= index < len(self.tokens) and self.text[self.tokens[index].start].isupper()

    def word(self, index: int, /) -> str:
        """The folded word at `index`, empty outside the text."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def span(self, first: int, last: int, /) -> tuple[int, int]:
        """Characters covered by two tokens and everything between them."""
        return self.tokens[first].start, self.tokens[last].end

    def at_character(self, offset: int, /) -> int:
        """Index of the first token that ends after the offset; the number of tokens when there is none."""
        low, high = 0, len(self.tokens)
        while low < high:
            middle = (low + high) // 2
            if self.tokens[middle].end <= offset:
                low = middle + 1
            else:
                high = middle
        return low
