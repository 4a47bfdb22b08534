"""Shiftwork's own variables: a typo in a variable that protects the user must not go unnoticed."""

from collections.abc import Iterator, Mapping
from typing import Final

_PREFIX: Final = "SHIFTWORK_"

READ: Final = (
    "AGENT",
    "AGENT_PROGRAM",
    "CACHE_HOME",
    "CONFIG_HOME",
    "MODEL",
    "NOTIFY_URLS",
    "PAGER",
    "SANDBOX",
    "STATE_HOME",
    "STORE_URL",
    "TRUST",
    "WEBHOOK_SECRET",
)
"""Variables that a user sets."""

GIVEN: Final = (
    "ATTEMPT",
    "ATTEMPT_NUMBER",
    "DATABASE",
    "DOOR",
    "GIT",
    "OUTPUTS",
    "PORTS",
    "PORT_BASE",
    "RUN",
    "STEP",
    "STEP_NAME",
    "STEP_TYPE",
    "STORY",
)
"""Variables that agents and gates get, including an agent that calls shiftwork again."""

TESTING: Final = ("FAILPOINT", "PYTHON", "TEST_POSTGRES", "TEST_TIER")
"""Variables for developers of shiftwork itself."""


def without_effect(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables with our prefix that have no effect, each with the variable that was probably meant, or ""."""
    known = {*READ, *GIVEN, *TESTING}
    for name in env:
        if name.startswith(_PREFIX) and (rest := name.removeprefix(_PREFIX)) not in known:
            from difflib import get_close_matches  # noqa: PLC0415 - only needed for an error

            close = get_close_matches(rest.upper(), READ, n=1)
            yield name, f"{_PREFIX}{close[0]}" if close else ""
