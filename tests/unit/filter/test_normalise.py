"""Normal form: what is folded, and that every span leads back to the text as given."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oblio.filter.normalise import Normal, normalise, rebuilt

ODD = "\u200b\u00ad\u2011\u00a0\uff18\u0661\ufb01\u0301\u0130\u2460 aбå1-@\uff20"


@given(st.text())
def test_the_map_never_decreases_and_stays_inside_the_given_text(text: str) -> None:
    normal = normalise(text)
    if normal.origin is not None:
        assert list(normal.origin) == sorted(normal.origin)
        assert len(normal.origin) == len(normal.text)
        assert all(0 <= at < len(text) for at in normal.origin)


@given(st.text(alphabet=ODD), st.integers(0, 40), st.integers(1, 20))
def test_a_span_covers_the_given_characters_that_its_normal_form_came_from(text: str, at: int, size: int) -> None:
    normal = normalise(text)
    start, end = min(at, len(normal.text)), min(at + size, len(normal.text))
    if start < end:
        left, right = normal.back(start, end)
        assert 0 <= left < right <= len(text)
        assert normal.text[start:end] in normalise(text[left:right]).text


@given(st.text(alphabet=ODD))
def test_spans_that_follow_each_other_meet_without_a_gap(text: str) -> None:
    normal = normalise(text)
    if normal.origin is None or not normal.text:
        return
    ends = [normal.back(at, at + 1) for at in range(len(normal.text))]
    assert ends[-1][1] == len(text)
    assert all(right[0] <= left[1] for left, right in pairwise(ends))


@given(st.text())
def test_lower_case_keeps_the_length(text: str) -> None:
    normal = normalise(text).text
    assert len(normal.lower()) == len(normal)


@given(st.text(alphabet=st.characters(max_codepoint=0x7E)))
def test_plain_text_is_its_own_normal_form(text: str) -> None:
    assert normalise(text) == Normal(text, text)


def test_invisible_characters_go_and_dashes_spaces_and_digits_become_plain() -> None:
    assert normalise("87\u200b12\u00ad20\u2011\uff12\u0663\u00a04\uff20").text == "871220-23 4@"


def test_a_combining_mark_joins_its_letter() -> None:
    assert normalise("ha\u030all").text == "håll"


def test_a_further_view_maps_to_the_given_text_and_not_to_the_first_view() -> None:
    normal = normalise("\u200bp a s s")
    joined = rebuilt(normal, [("p", 0), ("a", 2), ("s", 4), ("s", 6)])
    assert joined.text == "pass"
    assert joined.back(0, 4) == (1, 8)
