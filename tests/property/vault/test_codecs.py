"""Sealed formats: what goes in comes out, and nothing else opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oblio.errors.vault import ContentForged, FormatUnknown
from oblio.model.ids import HolderId, ItemId, TenantId, UnitId
from oblio.ports.keys import Binding
from oblio.vault.envelope import joined, seal, unseal

ids = st.binary(min_size=16, max_size=16).map(bytes.hex)
keys = st.binary(min_size=32, max_size=32)
bindings = st.builds(
    Binding,
    tenant=st.text("abc-", min_size=1, max_size=5).map(TenantId),
    owner=ids.map(HolderId),
    unit=ids.map(UnitId),
    item=ids.map(ItemId),
    version=st.integers(1, 2**40),
    type=st.text("abc", min_size=1, max_size=5),
)


@given(keys, st.binary(max_size=500), bindings)
def test_content_comes_back_under_its_key_and_binding(key: bytes, body: bytes, binding: Binding) -> None:
    assert unseal(key, seal(key, body, binding), binding) == body


@given(keys, st.binary(max_size=50), bindings, bindings)
def test_content_opens_for_one_binding_only(key: bytes, body: bytes, binding: Binding, other: Binding) -> None:
    sealed = seal(key, body, binding)
    if binding != other:
        with pytest.raises(ContentForged):
            unseal(key, sealed, other)


@given(keys, st.binary(max_size=200), bindings)
def test_no_bytes_of_somebody_else_open(key: bytes, found: bytes, binding: Binding) -> None:
    with pytest.raises((ContentForged, FormatUnknown)):
        unseal(key, found, binding)


@given(st.lists(st.binary(max_size=9)), st.lists(st.binary(max_size=9)))
def test_two_lists_of_parts_never_join_to_the_same_bytes(left: list[bytes], right: list[bytes]) -> None:
    assert (joined(*left) == joined(*right)) == (left == right)
