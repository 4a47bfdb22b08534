"""What an agent is doing now, in words, from its last event."""

import json
from typing import Final

from shiftwork.ports.agent import AgentEvent

_VERBS: Final = {
    "apply_patch": "editing",
    "bash": "running",
    "command_execution": "running",
    "delete": "deleting",
    "edit": "editing",
    "edit_workflow": "changing its steps",
    "execute": "running",
    "fetch": "fetching",
    "file_change": "editing",
    "glob": "looking for",
    "grep": "searching for",
    "multiedit": "editing",
    "notebookedit": "editing",
    "read": "reading",
    "search": "searching for",
    "shell": "running",
    "webfetch": "fetching",
    "websearch": "searching the web for",
    "web_search": "searching the web for",
    "write": "writing",
}
"""By the tool's name in lower case, for the agents that Shiftwork knows."""

_FILES: Final = ("file_path", "notebook_path", "path")
_OTHERS: Final = ("command", "pattern", "query", "url", "description")
"""The arguments of a tool that say what it is used on, the first that is given."""

_SILENT: Final = frozenset({"edit_workflow"})
"""Tools whose arguments mean nothing to a reader."""


def activity(event: AgentEvent) -> str:
    """The text of the agent is not sanitized."""
    if not event.tool:
        return event.text
    name = event.tool.lower()
    verb = _VERBS.get(name, event.tool)
    return verb if name in _SILENT else f"{verb} {_target(event.text)}".rstrip()


def _target(arguments: str) -> str:
    """What the tool is used on; the arguments as they are if that is unknown."""
    if not arguments.startswith("{"):
        return arguments
    try:
        given = json.loads(arguments)
    except ValueError:
        return arguments
    if file := next((str(given[name]) for name in _FILES if given.get(name)), ""):
        return file.rpartition("/")[2] or file  # its folder is the workspace, or means little to a reader
    return next((str(given[name]) for name in _OTHERS if given.get(name)), arguments)
