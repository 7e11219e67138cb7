"""Tests of `oblio.audit.page`: honest words, nothing active, nothing loaded."""

from html.parser import HTMLParser

import pytest
from tests.unit.audit.conftest import World

from oblio.audit import page
from oblio.audit.page import render_html
from oblio.model.erasure import Outcome, Result
from oblio.model.receipt import LIMITS, DocumentKind, FilterMode

VOID = {"meta"}


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("kind", DocumentKind)
def test_a_page_is_whole_has_no_script_and_loads_nothing(grown: World, kind: DocumentKind) -> None:
    html = render_html(grown.document(kind))
    reader = read(html)
    assert html.startswith("<!doctype html>")
    assert not reader.tags & {"script", "link", "img", "iframe", "a", "form"}
    assert not reader.attributes & {"src", "href", "action", "onclick", "style"}
    assert "url(" not in html
    assert "color-scheme:light dark" in html


def test_a_receipt_lists_steps_limits_and_how_to_check_it(grown: World) -> None:
    receipt = grown.document()
    text = read(render_html(receipt)).text
    for said in ("Erasure receipt", "Completed with limits", "qdrant", "could not be read again (busy)", "entry 11"):
        assert said in text
    assert LIMITS["exported_copies"] in text
    assert "This page is a view." in text
    assert "2026-11-30 12:00:00" in text


@pytest.mark.parametrize("result", [None, Result.PARTIALLY_HELD, Result.NEEDS_ATTENTION])
def test_an_interim_statement_says_not_finished_and_never_complete(grown: World, result: Result | None) -> None:
    text = read(render_html(grown.document(DocumentKind.STATEMENT, result=result))).text
    assert "Interim statement" in text
    assert "Not finished" in text
    assert "not known yet" in text
    assert "legal_claim" in text
    assert "omplete" not in text


def test_an_addendum_says_what_has_happened_and_names_its_receipt(grown: World) -> None:
    text = read(render_html(grown.document(DocumentKind.ADDENDUM))).text
    assert "horizon_reached" in text
    assert "a0" * 16 in text


@pytest.mark.parametrize("mode", FilterMode)
def test_a_trial_store_is_named_as_such(grown: World, mode: FilterMode) -> None:
    text = read(render_html(grown.document(filter_mode=mode))).text
    assert (LIMITS["trial_store"] in text) == (mode is FilterMode.OBSERVE)


def test_every_result_outcome_and_kind_has_words() -> None:
    assert set(page._RESULTS) == set(Result)
    assert set(page._OUTCOMES) == set(Outcome)
    assert set(page._TITLES) == set(DocumentKind)
