"""The variables of shiftwork's own name: a typo in one that is to protect must not be passed over in silence."""

from collections.abc import Iterator, Mapping
from typing import Final

_PREFIX: Final = "SHIFTWORK_"

READ: Final = (
    "AGENT",
    "AGENT_PROGRAM",
    "CACHE_HOME",
    "CONFIG_HOME",
    "ENGINE_URL",
    "MODEL",
    "NOTIFY_URLS",
    "SANDBOX",
    "STATE_HOME",
    "STORE_URL",
    "TRUST",
    "WEBHOOK_SECRET",
)
"""Those that a user sets."""

GIVEN: Final = (
    "ATTEMPT",
    "ATTEMPT_NUMBER",
    "DATABASE",
    "DOOR",
    "GIT",
    "OUTBOX",
    "PORTS",
    "PORT_BASE",
    "RUN",
    "STEP",
    "STEP_NAME",
    "STEP_TYPE",
    "STORY",
)
"""Those that agents and gates are given, among them one that calls shiftwork again."""

TESTING: Final = ("FAILPOINT", "PYTHON", "TEST_POSTGRES", "TEST_TIER")
"""Those of people who work on shiftwork itself."""


def without_effect(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables of our name that nobody reads, each with the one that was probably meant, empty where none is near."""
    known = {*READ, *GIVEN, *TESTING}
    for name in env:
        if name.startswith(_PREFIX) and (rest := name.removeprefix(_PREFIX)) not in known:
            from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

            close = get_close_matches(rest.upper(), READ, n=1)
            yield name, f"{_PREFIX}{close[0]}" if close else ""
