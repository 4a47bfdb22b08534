"""What every durability test may vary."""

import pytest


@pytest.fixture(params=["kept", "deleted"])
def engine(request: pytest.FixtureRequest) -> str:
    """What becomes of the engine's memory when a process is killed; the history stays."""
    return str(request.param)
