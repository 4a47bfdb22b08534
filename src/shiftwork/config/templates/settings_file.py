"""The settings file that `shiftwork init` writes: what was found here, and the command that lists the rest."""

from collections.abc import Mapping
from typing import Final

from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.config.settings.toml_text import name_of, quoted

_HEAD: Final = """\
# Settings of Shiftwork for this repository; all that is not here has its default.
# Every setting with its value: shiftwork config list; one in detail: shiftwork config explain NAME

[gates]  # commands that must all pass on the exact commit that lands
"""

_NO_GATES: Final = """\
# No gates found: without a gate, shiftwork only checks that something changed.
# test = "make test"
"""

SETUP: Final = "setup"
"""The name of the setup command in `red`."""


def settings_file(
    detected: Detected, red: Mapping[str, str] | None = None, *, workflow: str = "", agent: str = ""
) -> str:
    """The text of a `shiftwork.toml` with the detected commands. It reads back as exactly these, without a setup
    command that failed. `red` has the reasons, by name: red gates stay in force, each with its reason beside it. A
    `workflow` is the one that runs use, an `agent` the one that is installed here instead of the default.
    """
    reasons = red or {}
    gates = "".join(_gate(gate, reasons.get(gate.name, "")) for gate in detected.gates)
    setup = f"\n[workspace]\n{_setup(detected.setup, reasons.get(SETUP, ''))}" if detected.setup else ""
    run = f"\n[run]\nworkflow = {quoted(workflow)}\n" if workflow else ""
    return f"{_HEAD}{gates or _NO_GATES}{setup}\n[agent]\n{_use(agent)}{run}"


def _use(agent: str) -> str:
    if agent:
        return f"use = {quoted(agent)}  # installed here; the default, {DEFAULT_AGENT}, is not\n"
    return f"# use = {quoted(DEFAULT_AGENT)}  # the default; the others: {', '.join(_others())}\n"


def _others() -> list[str]:
    return [name for name in AGENTS if name != DEFAULT_AGENT]


def _gate(gate: FoundGate, reason: str) -> str:
    keys = ", ".join(f"{key} = {quoted(value)}" for key, value in gate.table.items())
    line = f"{name_of((gate.name,))} = {f'{{ {keys} }}' if gate.kind else quoted(gate.command)}"
    return f"{line}  # {_comment(reason)}\n" if reason else f"{line}  # from {_comment(gate.source)}\n"


def _setup(command: str, reason: str) -> str:
    comment = _comment(reason) if reason else "prepares a fresh tree, before agents and gates run"
    return f"{'# ' if reason else ''}setup = {quoted(command)}  # {comment}\n"


def _comment(text: str) -> str:
    """On a single line, without the characters that TOML forbids in a comment."""
    return "".join(char if char.isprintable() else " " for char in text)
