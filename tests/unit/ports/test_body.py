"""Tests of the plain form of a text item."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oblio.errors.memory import ItemUnreadable
from oblio.ports.body import FORMAT, TextBody

BODIES = st.builds(
    TextBody,
    text=st.text(),
    model=st.text(st.characters(codec="ascii"), max_size=64),
    vector=st.binary(max_size=40),
    lexical=st.binary(max_size=40),
)


@given(BODIES)
def test_what_is_encoded_is_decoded(body: TextBody) -> None:
    assert TextBody.decode(body.encode()) == body


@given(BODIES, BODIES)
def test_two_bodies_are_never_the_same_bytes(one: TextBody, other: TextBody) -> None:
    assert (one.encode() == other.encode()) == (one == other)


@given(BODIES)
def test_the_first_byte_is_the_format(body: TextBody) -> None:
    assert body.encode()[0] == FORMAT


@pytest.mark.parametrize("body", [b"", b"\0", b"\2" + TextBody(text="tea").encode()[1:]])
def test_another_format_is_refused(body: bytes) -> None:
    with pytest.raises(ItemUnreadable):
        TextBody.decode(body)


def test_a_body_shows_nothing_of_its_content() -> None:
    assert repr(TextBody(text="Likes tea", model="m/1", vector=b"tea", lexical=b"tea")) == "TextBody(model='m/1')"
