"""Sealing: bound to its place, versioned, never plain."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from oblio.errors.vault import ContentForged, FormatUnknown
from oblio.model.ids import HolderId, ItemId, TenantId, UnitId, new_id
from oblio.ports.keys import Binding
from oblio.vault.envelope import bound_unit_key, joined, needle, new_key, seal, unseal, unwrap, wrap

BINDING = Binding(
    tenant=TenantId("acme"),
    owner=HolderId(new_id()),
    unit=UnitId(new_id()),
    item=ItemId(new_id()),
    version=3,
    type="memory",
)
MOVED = [
    replace(BINDING, tenant=TenantId("acm")),
    replace(BINDING, owner=HolderId(new_id())),
    replace(BINDING, unit=UnitId(new_id())),
    replace(BINDING, item=ItemId(new_id())),
    replace(BINDING, version=4),
    replace(BINDING, type="message"),
]


def test_content_opens_where_it_was_sealed() -> None:
    key = new_key()
    sealed = seal(key, "Hållbart ✓".encode(), BINDING)
    assert sealed[0] == 1
    assert unseal(key, sealed, BINDING).decode() == "Hållbart ✓"


@pytest.mark.parametrize("elsewhere", MOVED)
def test_content_moved_elsewhere_does_not_open(elsewhere: Binding) -> None:
    """Rule K8."""
    key = new_key()
    sealed = seal(key, b"secret", BINDING)
    with pytest.raises(ContentForged):
        unseal(key, sealed, elsewhere)


@pytest.mark.parametrize("version", [0, 2, ord("{"), 255])
def test_another_format_is_refused_before_any_decryption(version: int) -> None:
    key = new_key()
    with pytest.raises(FormatUnknown):
        unseal(key, bytes((version,)) + seal(key, b"secret", BINDING)[1:], BINDING)


@pytest.mark.parametrize("plain", [b"", b"\x01", b"\x01 a plain text", b"\x01" + bytes(40)])
def test_plain_text_is_never_read(plain: bytes) -> None:
    with pytest.raises(ContentForged):
        unseal(new_key(), plain, BINDING)


def test_every_flipped_bit_is_noticed() -> None:
    key = new_key()
    sealed = seal(key, b"x", BINDING)
    for at in range(1, len(sealed)):
        changed = bytearray(sealed)
        changed[at] ^= 1
        with pytest.raises(ContentForged):
            unseal(key, bytes(changed), BINDING)


def test_sealing_twice_gives_different_bytes_and_the_needle_is_their_head() -> None:
    key = new_key()
    first, second = seal(key, b"x" * 100, BINDING), seal(key, b"x" * 100, BINDING)
    assert needle(first) != needle(second)
    assert len(needle(first)) == 28
    assert first[1:].startswith(needle(first))


def test_a_wrapped_key_has_60_bytes_and_opens_for_its_unit_holder_and_number_only() -> None:
    cipher, key = AESGCM(new_key()), new_key()
    wrapped = wrap(cipher, key, bound_unit_key(BINDING.unit, BINDING.owner, 1))
    assert len(wrapped) == 60
    assert unwrap(cipher, wrapped, bound_unit_key(BINDING.unit, BINDING.owner, 1)) == key
    for other in (
        bound_unit_key(BINDING.unit, BINDING.owner, 2),
        bound_unit_key(UnitId(new_id()), BINDING.owner, 1),
        bound_unit_key(BINDING.unit, HolderId(new_id()), 1),
    ):
        with pytest.raises(ContentForged):
            unwrap(cipher, wrapped, other)


def test_a_wrapped_key_of_another_size_is_refused() -> None:
    with pytest.raises(ContentForged):
        unwrap(AESGCM(new_key()), bytes(61), b"")


def test_parts_cannot_run_into_each_other() -> None:
    assert joined(b"ab", b"c") != joined(b"a", b"bc")
    assert joined(b"", b"a") != joined(b"a", b"")
