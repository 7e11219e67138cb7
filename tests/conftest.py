import os

import pytest
from hypothesis import HealthCheck, settings

# A gate must say the same twice. Examples are therefore derived from the test itself; `make soak` looks for new ones.
# Times are not judged here, because other work shares the two cores.
settings.register_profile(
    "gate", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("soak" if "OBLIO_SOAK_REPORTS" in os.environ else "gate")

OURS = frozenset({"OBLIO_SHARED_DATA", "OBLIO_SOAK_REPORTS"})


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the settings of whoever runs the tests."""
    for name in set(os.environ) - OURS:
        if name.startswith("OBLIO_"):
            monkeypatch.delenv(name)
