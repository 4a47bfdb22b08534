"""The settings as a run records them at its start, so that a later change of the file can be shown."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from shiftwork.config.settings.settings import Settings
from shiftwork.redaction import redacted

_HIDDEN: Final = frozenset({"notify.urls", "notify.webhook.url"})
"""They may contain a password: only a hash is recorded, which shows whether they have changed."""

_ELSEWHERE: Final = ("store.", "serve.")
"""A different database has a different history, and a server has several runs."""


def recorded(settings: Settings, agent: Mapping[str, str]) -> dict[str, str]:
    """Every setting that is not a default, by its place in the file, with its value as JSON. `agent` is what the file
    says if the command line names another agent or model.
    """
    said = {name: json.dumps(value) for name, value in agent.items()}
    found = dict(_flat(settings.model_dump(mode="json", exclude_defaults=True))) | said
    return {name: value for name, value in found.items() if value != usual().get(name)}


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        place = f"{above}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{place}.")
        elif place in _HIDDEN:
            yield place, json.dumps(f"hidden, sha256 {hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]}")
        elif not place.startswith(_ELSEWHERE):
            yield place, redacted(json.dumps(value))


@cache
def usual() -> Mapping[str, str]:
    """The defaults, in the same shape."""
    return dict(_flat(Settings().model_dump(mode="json")))
