"""All findings of all rules in one text."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from oblio.filter.normalise import Normal, normalise, rebuilt
from oblio.filter.reading import Reading
from oblio.filter.rules.base import AT_SIGN, DIGIT, LONG, SIGN, Hit, Rule
from oblio.filter.rules.catalogue import ALL, IDENTIFIERS, NAMES
from oblio.filter.rules.exemption import is_title
from oblio.filter.views import views
from oblio.model.screening import Span

_GLUE: Final = str.maketrans("-_.", "   ")
_LONG: Final = re.compile(r"\S{15}")
_HUMP: Final = re.compile(r"(?<=[a-zß-ÿа-яё])(?=[A-ZÀ-ÞА-ЯЁ])")


def _features(reading: Reading) -> set[str]:
    found = set(reading.tags)
    found.add("")
    if "@" in reading.text:
        found.add(AT_SIGN)
    if reading.has_digit:
        found.add(DIGIT)
    if ":" in reading.text or "=" in reading.text:
        found.add(SIGN)
    if _LONG.search(reading.text) is not None:
        found.add(LONG)
    return found


def _hits(reading: Reading, rules: tuple[Rule, ...]) -> list[Hit]:
    features = _features(reading)
    return [Hit(*span, rule) for rule in rules if not features.isdisjoint(rule.needs) for span in rule.find(reading)]


def _quotations(reading: Reading) -> Iterator[Reading]:
    """What is quoted, each as a text of its own, titles of works aside; one quoted word says nothing by itself."""
    for start, end in reading.quotes:
        inner = reading.text[start + 1 : end - 1]
        if " " in inner.strip() and not is_title(reading, (start, end)):
            yield Reading(rebuilt(reading.normal, [(inner, start + 1)]))


def findings(reading: Reading, /) -> list[tuple[Hit, Span]]:
    """Every finding with its span in the text as given, from the text, its quotations and its second views."""
    found = [(hit, reading) for hit in _hits(reading, ALL)]
    for quotation in _quotations(reading):
        found.extend((hit, quotation) for hit in _hits(quotation, ALL))
    for view in views(reading):
        found.extend((hit, view) for hit in _hits(view, IDENTIFIERS))
    return [(hit, Span(*view.normal.back(hit.start, hit.end), hit.rule.category)) for hit, view in found]


def name_findings(text: str, /) -> list[tuple[Hit, Span]]:
    """Findings in a technical name, also read with its parts apart and, for names of persons, with capitals."""
    normal = normalise(text)
    found = findings(Reading(normal))
    parts = _apart(normal)
    if parts.text != normal.text:
        found += findings(Reading(parts))
    titled = Reading(Normal(_capitals(parts.text), text, parts.origin))
    found += [(hit, Span(*titled.normal.back(hit.start, hit.end), hit.rule.category)) for hit in _hits(titled, NAMES)]
    return found


def _apart(normal: Normal) -> Normal:
    """The parts of a name with spaces between: at `-`, `_`, `.` and where a capital follows a small letter."""
    text = normal.text.translate(_GLUE)
    cuts = [0, *(found.start() for found in _HUMP.finditer(text)), len(text)]
    pieces = [piece for left, right in pairwise(cuts) for piece in ((text[left:right], left), (" ", right - 1))]
    return rebuilt(normal, pieces[:-1])


def _capitals(text: str) -> str:
    """The text with a capital at the start of each word and the same length."""
    before = " "
    out: list[str] = []
    for char in text:
        upper = char.upper()
        out.append(upper if before == " " and len(upper) == 1 else char)
        before = char
    return "".join(out)
