"""Tests of `oblio.cli.reference`."""

from pathlib import Path

from oblio.cli.reference import page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "command-line.md"


def test_the_page_says_what_the_commands_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m oblio.cli.reference > docs/guide/command-line.md"


def test_the_page_warns_that_arguments_are_seen() -> None:
    for name in ("remember", "recall", "correct", "scan"):
        section = page().split(f"\n## oblio {name}\n")[1].split("\n## ")[0]
        assert "arguments are seen in the process list" in section
