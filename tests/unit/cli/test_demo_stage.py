"""Tests of `oblio.cli.demo_stage`."""

import io

import pytest
from rich.console import Console

from oblio.cli.demo_stage import Stage
from oblio.errors.command import ClaimFailed


def made() -> tuple[Stage, io.StringIO]:
    out = io.StringIO()
    return Stage(console=Console(file=out, width=60)), out


def test_a_claim_that_holds_is_counted_and_one_that_does_not_ends_the_demo() -> None:
    stage, out = made()
    with stage.act("One"):
        stage.claim(True, "Water is wet.")  # noqa: FBT003
    with pytest.raises(ClaimFailed, match="Claim 2"), stage.act("Two"):
        stage.claim(False, "Water is dry.")  # noqa: FBT003
    assert stage.claims == ["Water is wet."]
    assert [act["title"] for act in stage.acts] == ["One"]
    assert "✓ Water is wet." in out.getvalue()
    assert "✗ Water is dry." in out.getvalue()


def test_a_long_quote_stays_right_of_who_said_it() -> None:
    stage, out = made()
    stage.quote("word " * 20, who="anna")
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[0].startswith("    anna  word")
    assert lines[1].startswith("          word")
