"""Random 128-bit ids and how they are written.

An id is 32 lower-case hexadecimal digits everywhere in Python, JSON and the command line, and 16 raw bytes in the
database and in associated data. The kinds are distinct types, so that a checker finds a swapped argument.
"""

import secrets
from typing import NewType

ID_BYTES = 16

TenantId = NewType("TenantId", str)
"""One customer application. The only id that an operator chooses: lower-case letters, digits, `-`, at most 32."""

HolderId = NewType("HolderId", str)
"""Whoever holds a key of its own: a subject, an erasure request or a hold."""

SubjectId = NewType("SubjectId", HolderId)
"""The internal id of a person. Never the external id that the host application uses."""

RequestId = NewType("RequestId", HolderId)
"""One erasure request. A request holds a key too: it seals its targets and needles."""

ItemId = NewType("ItemId", str)
"""One stored item: memory, message, derived text, segment, profile."""

UnitId = NewType("UnitId", str)
"""One immutable version of one item, sealed under a key of its own."""

DEFAULT_TENANT = TenantId("default")


def new_id() -> str:
    """Return a fresh random id: 32 hexadecimal digits from the system's random source."""
    return secrets.token_hex(ID_BYTES)


def raw(identifier: str, /) -> bytes:
    """Return the 16 bytes of an id.

    Raises:
        ValueError: `identifier` is not 32 hexadecimal digits.
    """
    value = bytes.fromhex(identifier)
    if len(value) != ID_BYTES or len(identifier) != 2 * ID_BYTES:
        message = "an id is 32 hexadecimal digits"
        raise ValueError(message)
    return value


def text(value: bytes, /) -> str:
    """Return the written form of 16 raw bytes."""
    return value.hex()
