"""Gates of a Go project: a module, or the modules of a go.work file."""

import re
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate

_LINTER_SETTINGS: Final = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")


def find(folder: Folder) -> Detected:
    """golangci-lint if it is configured and installed, else `go vet`."""
    source = folder.first("go.work", "go.mod")
    if not source:
        return Detected()
    packages = " ".join(_packages(folder.text("go.work")))
    linted = folder.has(*_LINTER_SETTINGS) and folder.program("golangci-lint")
    commands = {
        "lint": f"golangci-lint run {packages}" if linted else f"go vet {packages}",
        "test": f"go test {packages}",
        "build": f"go build {packages}",
    }
    gates = (FoundGate(name=name, command=command, source=source) for name, command in commands.items())
    return Detected(gates=tuple(gates))


def _packages(work: str) -> list[str]:
    """The patterns that match every package: at the root of a workspace, those of its modules."""
    plain = re.sub(r"//[^\n]*", "", work)
    block = re.findall(r"^use\s*\(([^)]*)\)", plain, re.MULTILINE)
    used = [name for names in block for name in names.split()] + re.findall(r"^use\s+([^\s(]+)", plain, re.MULTILINE)
    return [f"{name.strip('"').rstrip('/')}/..." for name in used] or ["./..."]
