"""Gates of a Node project: its scripts, run by the package manager that its lock file or its manifest names."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shiftwork.config.detection.folder import Folder, table
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.config.detection.node.npm_workspaces import Member, members, run_in_members
from shiftwork.regexes import regex

_SCRIPTS: Final = {
    "lint": ("lint",),
    "typecheck": ("typecheck", "type-check", "check-types", "check:types", "types", "tsc"),
    "test": ("test",),
    "build": ("build",),
}
_ONCE: Final = ("test:ci", "test:run", "test:once")
"""Used instead of a `test` script that watches files and never ends."""

_WATCHES: Final = regex(r"--watch(?:All)?(?![\w=-])|--watch(?:All)?=true")
_NO_TESTS: Final = "no test specified"
_LOCKS: Final = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_INSTALLED: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "workspaces")
_AFTER_INSTALL: Final = ("preinstall", "install", "postinstall", "prepare")


def find(folder: Folder) -> Detected:
    """Its scripts, at the root or in the packages of its workspace."""
    package = folder.json("package.json")
    if not package:
        return Detected()
    return Detected(gates=tuple(_gates(folder, package)), setup=_setup(folder, package))


def _gates(folder: Folder, package: Mapping[str, Any]) -> Iterator[FoundGate]:
    manager = _manager(folder, package)
    scripts, inside = table(package, "scripts"), members(folder)
    for gate, names in _SCRIPTS.items():
        if script := _script(scripts, names):
            yield FoundGate(name=gate, command=f"{manager} run {script}", source="package.json")
        elif script := _shared(inside, names):
            program = "yarn berry" if manager == "yarn" and _is_berry(folder, package) else manager
            doing = [member for member in inside if _script(member.scripts, (script,))]
            command = run_in_members(program, script, inside, doing)
            yield FoundGate(name=gate, command=command, source="package.json")
        elif gate == "test" and manager == "bun" and any(folder.files(r".*[._](?:test|spec)\.[jt]sx?", depth=3)):
            yield FoundGate(name=gate, command="bun test", source="package.json")


def _script(scripts: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these scripts that exists, is no placeholder and ends."""
    for name in names:
        text = scripts.get(name)
        if isinstance(text, str) and text.strip() and _NO_TESTS not in text:
            if not _WATCHES.search(text):
                return name
            return next((item for item in _ONCE if isinstance(scripts.get(item), str)), name)
    return ""


def _shared(inside: list[Member], names: tuple[str, ...]) -> str:
    return next((name for name in names if any(_script(member.scripts, (name,)) for member in inside)), "")


def _manager(folder: Folder, package: Mapping[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    by_lock = next((program for lock, program in _LOCKS.items() if folder.has(lock)), "")
    return named if named in _LOCKS.values() else by_lock or ("pnpm" if folder.has("pnpm-workspace.yaml") else "npm")


def _is_berry(folder: Folder, package: Mapping[str, Any]) -> bool:
    """Yarn 2 or later, which has different options."""
    named = re.match(r"yarn@(\d+)", str(package.get("packageManager", "")))
    if named:
        return int(named[1]) > 1
    return folder.has(".yarnrc.yml") or "__metadata:" in folder.text("yarn.lock")[:1000]


def _setup(folder: Folder, package: Mapping[str, Any]) -> str:
    """Installs exactly what the lock file says; without a lock file, what the manifest asks for."""
    scripts = table(package, "scripts")
    wanted = any(package.get(key) for key in _INSTALLED) or any(key in scripts for key in _AFTER_INSTALL)
    if not wanted and not folder.has("pnpm-workspace.yaml"):
        return ""
    manager = _manager(folder, package)
    locked = any(program == manager and folder.has(lock) for lock, program in _LOCKS.items())
    if manager == "npm":
        return "npm ci" if locked else "npm install"
    if not locked:
        return f"{manager} install"
    berry = manager == "yarn" and _is_berry(folder, package)
    return f"{manager} install {'--immutable' if berry else '--frozen-lockfile'}"
