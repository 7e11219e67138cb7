"""Sentences of the project's own, written before the rules saw them: floors per language that hold without other data.

`own_sentences.tsv` holds language, `store` or `block`, and the text; `{token}` stands for an access token, made here so
that no file looks like a leak. All persons are invented. The rules have been mended since with these sentences in
view: the floors guard against a step back and say nothing about unseen text.
"""

from pathlib import Path
from typing import Final

import pytest

from oblio.filter.gate import judge
from oblio.model.screening import Action

ROWS: Final = [
    line.split("\t") for line in (Path(__file__).parent / "own_sentences.tsv").read_text(encoding="utf-8").splitlines()
]
TOKEN: Final = "gl" + "pat-" + "Xy12Zw34Qr56Tu78Vb90"
FLOOR: Final = 0.97
CEILING: Final = 0.03


def _share_blocked(language: str, label: str) -> float:
    texts = [text for tongue, expected, text in ROWS if (tongue, expected) == (language, label)]
    return sum(judge(text.replace("{token}", TOKEN)).action is not Action.STORE for text in texts) / len(texts)


@pytest.mark.parametrize("language", ["en", "sv", "ru"])
def test_what_should_not_be_remembered_is_blocked(language: str) -> None:
    assert _share_blocked(language, "block") >= FLOOR


@pytest.mark.parametrize("language", ["en", "sv", "ru"])
def test_harmless_sentences_are_stored(language: str) -> None:
    assert _share_blocked(language, "store") <= CEILING
