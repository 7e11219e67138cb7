"""The model of the key protocol, explored whole within larger bounds."""

import pytest

from oblio.testing.key_model.explore import explore
from oblio.testing.key_model.world import Bounds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bounds", "at_least"),
    [
        (Bounds(holders=1, rotations=2, crashes=1, readers=True), 100_000),
        (Bounds(holders=2, rotations=1, crashes=1), 500_000),
    ],
    ids=["a reader, a crash and two rotations", "two holders and a crash"],
)
def test_no_order_of_steps_and_crashes_loses_a_living_key_or_keeps_a_dead_one(bounds: Bounds, at_least: int) -> None:
    """Rules K2, K3, K6: see `oblio.testing.key_model` for what counts as a fault."""
    walked = explore(bounds)
    assert walked.complaint == ""
    assert walked.worlds >= at_least
