"""The tier of the sandbox in which the suites run; all rigs read it from here."""

import os
from typing import Final

TIER_VARIABLE: Final = "SHIFTWORK_SANDBOX"

_ASKED: Final = os.environ.get("SHIFTWORK_TEST_TIER", "")  # noqa: TID251 - a test run's own

TIER: Final = _ASKED or "none"
"""`none` unless the variable names another: then the same suites run with the sandbox on."""

USUAL_TIER: Final = _ASKED or "auto"
"""For suites about what users meet: the sandbox is on unless the variable says otherwise."""
