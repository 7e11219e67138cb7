"""What a request remembers comes back as it was."""

import pytest

from oblio.erasure.targets import Targets
from oblio.errors.memory import ItemUnreadable

TOKEN = "0f" * 16


@pytest.mark.parametrize("needles", [(), (b"x" * 12,), (b"a" * 12, b"b" * 255, b"")])
def test_needles_survive_the_way_through_bytes(needles: tuple[bytes, ...]) -> None:
    targets = Targets(token=TOKEN, needles=needles)
    assert Targets.decode(targets.encode()) == targets
    assert "x" * 12 not in repr(targets)
    assert TOKEN not in repr(targets)


def test_a_needle_that_is_too_long_and_a_foreign_format_are_refused() -> None:
    with pytest.raises(ValueError, match="255"):
        Targets(token=TOKEN, needles=(b"x" * 256,)).encode()
    for body in (b"", b"\x02" + bytes(16)):
        with pytest.raises(ItemUnreadable):
            Targets.decode(body)
