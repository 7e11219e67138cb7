"""The forms of a text are what a careless store would leave behind."""

import base64
import json
from urllib.parse import quote

import pytest

from oblio.erasure.forms import SHORTEST_BYTES, forms

TEXT = 'Flyttar till Örebro i "mars"'


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
@pytest.mark.parametrize("after", ["", "z", "zz"])
def test_base64_is_found_whatever_stands_around_the_text(before: str, after: str) -> None:
    hay = base64.b64encode((before + TEXT + after).encode())
    assert any(each in hay for each in forms(TEXT)["base64"])


def test_each_encoding_gives_its_own_form() -> None:
    found = forms(TEXT)
    assert TEXT.encode() in found["utf-8"]
    assert TEXT.lower().encode() in found["utf-8 lower-cased"]
    assert {TEXT.encode("utf-16-le"), TEXT.encode("utf-16-be")} == set(found["utf-16"])
    assert found["json"][0] in json.dumps({"text": TEXT}).encode()
    assert found["percent"][0] in f"/search?q={quote(TEXT)}".encode()


def test_a_form_that_could_occur_by_chance_is_left_out() -> None:
    assert not any(forms("tea").values())
    assert all(len(each) >= SHORTEST_BYTES for many in forms("a tea pot").values() for each in many)
