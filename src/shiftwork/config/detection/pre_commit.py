"""`.pre-commit-config.yaml`: a gate that runs all its hooks on all files."""

import re
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import FoundGate
from shiftwork.config.detection.python.installed import in_environment
from shiftwork.config.detection.python.manifest import declared_by

NAME: Final = "pre-commit"
_FILES: Final = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_OF_COMMITS: Final = ("no-commit-to-branch",)
"""Hooks that check the commit in progress instead of files: they fail on every run on the main branch."""


def find(folder: Folder) -> FoundGate | None:
    """None if there are no hooks, or no installed program can run them."""
    file = folder.first(*_FILES)
    program = _program(folder) if file else ""
    if not program:
        return None
    skipped = ",".join(hook for hook in _OF_COMMITS if hook in folder.text(file))
    prefix = f"SKIP={skipped} " if skipped else ""
    return FoundGate(name=NAME, command=f"{prefix}{program} run --all-files", source=file)


def covers(folder: Folder, gate: FoundGate) -> bool:
    """Whether a hook runs the same linter as the gate."""
    hooks = "".join(map(folder.text, _FILES))
    tool = re.search(r"\b(ruff|flake8|golangci-lint|rubocop|clippy|eslint)\b", gate.command)
    return tool is not None and tool[1] in hooks


def _program(folder: Folder) -> str:
    if folder.program("pre-commit"):
        return "pre-commit"
    if declared_by(folder).brings("pre-commit") or in_environment(folder, "pre_commit"):
        return "python3 -m pre_commit"
    return "prek" if folder.program("prek") else ""
