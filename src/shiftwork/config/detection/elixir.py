"""Gates of an Elixir project: the formatter, credo and tests, with mix."""

from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.regexes import regex

_SETUP: Final = (
    "mix local.hex --force --if-missing && mix local.rebar --force --if-missing"
    " && mix deps.get && MIX_ENV=test mix deps.compile"
)
_DEPENDENCY: Final = regex(r"\{\s*:\w+\s*,")


def find(folder: Folder) -> Detected:
    """A project without dependencies needs no setup."""
    if not folder.has("mix.exs"):
        return Detected()
    manifest = folder.text("mix.exs")
    gates = [FoundGate(name="test", command="mix test", source="mix.exs")]
    if ":credo" in manifest:
        gates.insert(0, FoundGate(name="lint", command="mix credo", source="mix.exs"))
    elif folder.has(".formatter.exs"):
        gates.insert(0, FoundGate(name="lint", command="mix format --check-formatted", source=".formatter.exs"))
    return Detected(gates=tuple(gates), setup=_SETUP if _DEPENDENCY.search(manifest) else "")
