from pathlib import Path

import pytest
from tests.unit.erasure.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The erasure core over an empty store."""
    return Desk(tmp_path)
