"""How words are folded for matching, and in which language a text seems to be.

Words are folded the same way whatever their language: case, stress marks, known irregular forms, and one ending per
word from a list chosen by script (`lexicon.toml`). That serves Swedish, Russian and English; other languages match on
whole words.
"""

import functools
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

STEM_PREFIX: Final = 5
"""Letters of the extra token that long words leave, so that compounds and rare endings meet."""
LONG_WORD: Final = 8
"""Letters from which a word leaves such a token."""

_WORD: Final = re.compile(r"[^\W_]+")
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")
_STRESS: Final = re.compile("[\u0300\u0301]")
_SWEDISH: Final = frozenset("\u00e5\u00e4\u00f6")
_IO: Final = str.maketrans("\u0451", "\u0435")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lexicon:
    stop: frozenset[str]
    telling: Mapping[str, frozenset[str]]
    """Stop words of each language that no other language here has."""
    irregular: Mapping[str, str]
    endings: Mapping[str, tuple[str, ...]]
    """Of each script, longest first."""
    shortest: Mapping[str, int]
    """Letters that cutting an ending must leave, of each script."""


@functools.cache
def _lexicon() -> _Lexicon:
    data: dict[str, Any] = tomllib.loads(files("oblio.recall").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    lines = [line.split() for forms in data["irregular"].values() for line in forms.splitlines()]
    stop = {language: frozenset(text.split()) for language, text in data["stop"].items()}
    return _Lexicon(
        stop=frozenset().union(*stop.values()),
        telling={name: own.difference(*(stop[other] for other in stop if other != name)) for name, own in stop.items()},
        irregular={form: line[0] for line in lines for form in line[1:]},
        endings={
            script: tuple(sorted(set(data[script]["endings"].split()), key=lambda end: (-len(end), end)))
            for script in ("latin", "cyrillic")
        },
        shortest={script: int(data[script]["shortest"]) for script in ("latin", "cyrillic")},
    )


def fold(text: str, /) -> str:
    """Return `text` in the form in which words are compared: NFKC, no case, no stress marks, one letter for yo."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _STRESS.sub("", decomposed)).translate(_IO)


def stem(word: str, /) -> str:
    """Return the base of a known irregular form, then without its ending and without a doubled last letter.

    `word` is folded. Words with digits come back unchanged.
    """
    if any(letter.isdigit() for letter in word):
        return word
    lexicon = _lexicon()
    base = lexicon.irregular.get(word, word)
    script = "cyrillic" if _CYRILLIC.search(base) else "latin"
    shortest = lexicon.shortest[script]
    for ending in lexicon.endings[script]:
        if base.endswith(ending) and len(base) - len(ending) >= shortest:
            base = base[: -len(ending)]
            break
    doubled = len(base) > shortest and base[-1] == base[-2]
    return base[:-1] if doubled else base


def words(text: str, /) -> list[str]:
    """Return the folded words of `text` without stop words, in order. All words when nothing else is left."""
    stop = _lexicon().stop
    found = _split(text)
    return [word for word in found if word not in stop] or found


def tokens(text: str, /) -> list[str]:
    """Return what is hashed for `text`: a stem a word, and for long stems also their beginning, marked by `^`."""
    result: list[str] = []
    for word in words(text):
        cut = stem(word)
        result.append(cut)
        if len(word) >= LONG_WORD and cut.isalpha():
            result.append("^" + cut[:STEM_PREFIX])
    return result


def language(text: str, /) -> str:
    """Return `sv`, `ru` or `en`, or an empty text when nothing tells.

    A guess from the script, the letters and the small words of a text. It weighs two sides of a ranking and decides
    nothing else.
    """
    found = _split(text)
    cyrillic = sum(1 for word in found if _CYRILLIC.search(word))
    if 2 * cyrillic > len(found):
        return "ru"
    telling = _lexicon().telling
    swedish = sum(word in telling["sv"] or not _SWEDISH.isdisjoint(word) for word in found)
    english = sum(word in telling["en"] for word in found)
    if swedish == english:
        return ""
    return "sv" if swedish > english else "en"


def _split(text: str) -> list[str]:
    return _WORD.findall(fold(text))
