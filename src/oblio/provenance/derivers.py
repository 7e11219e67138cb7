"""Derivers: functions from texts to one text, registered under a name and a version.

A deriver sees the texts of the sources that exist when it runs and nothing else; in particular never the text that it
made before. `digest` is built in: it picks whole sentences, so its output never says what no source says.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from oblio.errors.access import UnknownDeriver
from oblio.errors.provenance import BadName

Deriver = Callable[[Sequence[str]], str]

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,31}")
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
DIGEST_SENTENCES: Final = 12
"""Most sentences of a digest; with fewer sources each of them is represented."""


def token(value: str, /) -> str:
    """Return a checked name or version: it is stored in clear text, so it cannot be a place for content.

    Raises:
        BadName: not 1 to 32 lower-case letters, digits, dots, hyphens or underscores.
    """
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise BadName
    return value


def digest(texts: Sequence[str], /) -> str:
    """Join the first sentence of each text, spread evenly when there are more than fit. Deterministic, offline."""
    firsts = [_SENTENCE.split(text.strip(), maxsplit=1)[0].strip() for text in texts]
    kept = [first for first in dict.fromkeys(firsts) if first]
    if len(kept) > DIGEST_SENTENCES:
        step = len(kept) / DIGEST_SENTENCES
        kept = [kept[int(index * step)] for index in range(DIGEST_SENTENCES)]
    return " ".join(sentence if sentence[-1] in ".!?…" else f"{sentence}." for sentence in kept)


@dataclass(frozen=True, slots=True)
class Derivers:
    """The registry of one open store."""

    _known: dict[str, tuple[str, Deriver]] = field(default_factory=lambda: {"digest": ("1", digest)})

    def register(self, name: str, function: Deriver, /, *, version: str) -> None:
        """Register `function`; a newer version replaces the one registered before.

        Raises:
            BadName: name or version is no token.
        """
        self._known[token(name)] = (token(version), function)

    def get(self, name: str, /) -> tuple[str, Deriver]:
        """Return version and function.

        Raises:
            UnknownDeriver: nothing is registered under `name`.
        """
        try:
            return self._known[name]
        except KeyError:
            raise UnknownDeriver from None
