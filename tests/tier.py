"""The tier of the sandbox in which the suites work: the one place that the rigs ask."""

import os
from typing import Final

TIER_VARIABLE: Final = "SHIFTWORK_SANDBOX"

TIER: Final = os.environ.get("SHIFTWORK_TEST_TIER", "none")  # noqa: TID251 - a test run's own
"""`none` unless the variable names another: then the same suites run with the sandbox on."""
