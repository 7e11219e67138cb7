"""What becomes of derived items, over random graphs and by the definition."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oblio.model.ids import ItemId
from oblio.model.provenance import Cascade, cascade, topological

NAMES = [ItemId(f"{number:02x}" * 16) for number in range(10)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[frozenset[ItemId], dict[ItemId, frozenset[ItemId]]]:
    """Items of which each may be made from earlier ones, and some of them erased."""
    sources = {}
    for number, item in enumerate(NAMES[3:], start=3):
        mine = draw(st.sets(st.sampled_from(NAMES[:number]), max_size=3))
        if mine:
            sources[item] = frozenset(mine)
    return frozenset(draw(st.sets(st.sampled_from(NAMES), min_size=1, max_size=3))), sources


@given(graphs())
def test_an_item_goes_when_all_its_sources_go_and_is_blanked_when_one_was_touched(
    graph: tuple[frozenset[ItemId], dict[ItemId, frozenset[ItemId]]],
) -> None:
    erased, sources = graph
    found = cascade(erased, sources)
    gone, touched = set(erased), set(erased)
    for item in NAMES:  # later ones are made from earlier ones only
        if item in erased or item not in sources:
            continue
        if sources[item] <= gone:
            gone.add(item)
        if sources[item] & touched:
            touched.add(item)
    assert set(found.erase) == gone - erased
    assert set(found.blank) == touched - gone
    order = [*found.erase, *found.blank]
    assert len(order) == len(set(order))
    for each in (found.erase, found.blank):
        for number, item in enumerate(each):
            assert not sources[item] & set(each[number:])


def test_an_erased_item_that_is_derived_itself_is_not_named_again() -> None:
    one, two, three = NAMES[:3]
    assert cascade(frozenset({one, two}), {two: frozenset({one}), three: frozenset({two})}) == Cascade(
        erase=(three,), blank=()
    )


@pytest.mark.parametrize("sources", [{0: {0}}, {0: {1}, 1: {0}}, {0: {1}, 1: {2}, 2: {0}, 3: {0}}])
def test_a_cycle_is_refused(sources: dict[int, set[int]]) -> None:
    graph = {NAMES[item]: frozenset(NAMES[each] for each in mine) for item, mine in sources.items()}
    with pytest.raises(ValueError, match="cycle"):
        topological(graph)


def test_a_long_chain_is_ordered_from_its_beginning() -> None:
    chain = [ItemId(f"{number:032x}") for number in range(2_000)]
    sources = {item: frozenset({before}) for before, item in pairwise(chain)}
    assert list(topological(sources)) == chain[1:]
