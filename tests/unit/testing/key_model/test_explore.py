"""The model of the key protocol in small: no complaint about it, and one about every planted mistake."""

import pytest

from oblio.testing.key_model.explore import explore
from oblio.testing.key_model.steps import MISTAKES
from oblio.testing.key_model.world import Bounds

ALONE = Bounds(holders=1, rotations=1, crashes=1)
TWICE = Bounds(holders=1, rotations=2, crashes=0)
READ = Bounds(holders=1, rotations=1, crashes=0, readers=True)
TOGETHER = Bounds(holders=2, rotations=1, crashes=0)
TOGETHER_READ = Bounds(holders=2, rotations=1, crashes=0, readers=True)
FOUND_IN = {
    "a retired slot is free": TOGETHER,
    "writer ignores progress": TOGETHER,
    "reader ignores progress": TOGETHER_READ,
    "reader does not ask again": READ,
    "horizon counts from the lock": ALONE,
}


@pytest.mark.parametrize("bounds", [ALONE, TWICE, READ], ids=["crash", "two rotations", "reader"])
def test_the_protocol_of_one_holder_has_no_fault(bounds: Bounds) -> None:
    walked = explore(bounds)
    assert walked.complaint == ""
    assert walked.worlds > 1000


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(mistake: str) -> None:
    walked = explore(FOUND_IN.get(mistake, TWICE), mistakes=frozenset({mistake}))
    assert walked.complaint
    assert len(walked.path) > 1
