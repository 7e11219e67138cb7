"""Tests of the settings: what the environment may say, and what is refused before it decides about files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oblio.errors.settings import BadSetting
from oblio.settings import Settings


def test_an_empty_environment_gives_the_defaults() -> None:
    assert Settings.from_environment({}) == Settings()
    assert Settings().keys is None
    assert Settings().rotate_after_hours == 24


def test_what_the_environment_says_is_taken() -> None:
    said = {"OBLIO_KEYS": "/keys/@:?#", "OBLIO_SQLITE": "pysqlite3", "OBLIO_EMBEDDER": "ngram", "OBLIO_OTHER": "x"}
    expected = Settings(keys=Path("/keys/@:?#"), sqlite_module="pysqlite3", embedder="ngram")
    assert Settings.from_environment(said) == expected
    assert Settings.from_environment({"OBLIO_KEYS": ""}).keys is None


def test_the_process_environment_is_read_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBLIO_EMBEDDER", "ngram")
    assert Settings.from_environment().embedder == "ngram"


@pytest.mark.parametrize("name", ["OBLIO_SQLITE", "OBLIO_EMBEDDER"])
@pytest.mark.parametrize("value", ["", "NGRAM", "secret-word"])
def test_a_value_that_is_not_allowed_is_refused_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as raised:
        Settings.from_environment({name: value})
    assert name in str(raised.value)
    assert "secret-word" not in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        {"sqlite_module": "sqlite"},
        {"embedder": "nano"},
        {"filter_mode": "Observe"},
        {"rotate_after_hours": 0},
        {"rotate_after_hours": True},
        {"rotate_after_hours": 1.5},
    ],
)
def test_an_argument_that_is_not_allowed_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        replace(Settings(), **change)
