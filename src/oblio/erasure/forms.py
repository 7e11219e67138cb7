"""The forms in which stores are known to leave a text behind, for a search in raw bytes.

Not covered: compressed or encrypted copies, and encodings that are not listed; a search for clear text in our own store
proves only that none leaked, because what is stored is sealed.
"""

import base64
import json
from collections.abc import Mapping
from urllib.parse import quote

SHORTEST_BYTES = 12
"""Below this a form says nothing: it can occur by chance."""

_HALVES = "surrogatepass"
"""Text from outside may hold half of a character; looking for it must not fail."""


def forms(text: str, /) -> Mapping[str, tuple[bytes, ...]]:
    """Return the byte forms of a text by the name of their encoding; forms shorter than 12 bytes are left out."""
    plain = text.encode("utf-8", _HALVES)
    found = {
        "utf-8": (plain,),
        "utf-8 lower-cased": (text.lower().encode("utf-8", _HALVES),),
        "utf-16": (text.encode("utf-16-le", _HALVES), text.encode("utf-16-be", _HALVES)),
        "json": (json.dumps(text)[1:-1].encode(),),
        "percent": (quote(text, errors=_HALVES).encode(),),
        "base64": tuple(_base64(plain, shift) for shift in range(3)),
    }
    return {name: tuple(each for each in many if len(each) >= SHORTEST_BYTES) for name, many in found.items()}


def _base64(plain: bytes, shift: int) -> bytes:
    """Return what is the same in base64 whatever stands before and after, for one of three alignments."""
    encoded = base64.b64encode(bytes(shift) + plain)
    first = -(-shift * 8 // 6)
    last = (shift + len(plain)) * 8 // 6
    return encoded[first:last]
