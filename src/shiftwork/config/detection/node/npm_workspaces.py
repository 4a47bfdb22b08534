"""The packages of a Node workspace, and how to run their scripts if the root has no script of that name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any, Final

from shiftwork.config.detection.folder import Folder, strings, table
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_DEPTH: Final = 2
_MOST: Final = 200
_PNPM: Final = "pnpm-workspace.yaml"
_PNPM_LIST: Final = regex(r"^packages:[ \t]*\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\n)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A package of the workspace: its name, and its scripts."""

    name: str
    scripts: Mapping[str, Any]


def members(folder: Folder) -> list[Member]:
    """Packages up to two folders down that the workspace names."""
    patterns = list(_patterns(folder))
    if not patterns:
        return []
    files = (path for path in folder.files(r"package\.json", depth=_DEPTH) if "/" in path)
    places = (path.rpartition("/")[0] for path in files)
    chosen = [place for place in places if _matches(place, patterns)][:_MOST]
    documents = [folder.json(f"{place}/package.json") for place in chosen]
    return [Member(name=str(values.get("name") or ""), scripts=table(values, "scripts")) for values in documents]


def run_in_members(manager: str, script: str, inside: Sequence[Member], doing: Sequence[Member]) -> str:
    """Runs the script in every package that has it, including packages added later if the manager supports that. If
    some packages only have a placeholder, the packages in `doing` are named instead.
    """
    having = [member for member in inside if script in member.scripts]
    names = [] if len(having) == len(doing) else [member.name for member in doing]
    match manager:
        case "npm":
            return f"npm run {script} {' '.join(f'-w {name}' for name in names) or '--workspaces --if-present'}"
        case "pnpm":
            return f"pnpm {' '.join(f'--filter {name}' for name in names) or '-r'} run {script}"
        case "bun":
            return f"bun run {' '.join(f'--filter {name}' for name in names) or "--filter '*'"} {script}"
        case "yarn berry" if not names:
            return f"yarn workspaces foreach --all run {script}"
        case "yarn" if len(doing) == len(inside):
            return f"yarn workspaces run {script}"
    return " && ".join(f"yarn workspace {member.name} run {script}" for member in doing)


def _patterns(folder: Folder) -> Iterator[str]:
    """From package.json (a list, or a table with a list), or from pnpm's own file."""
    listed = folder.json("package.json").get("workspaces")
    yield from strings(listed.get("packages") if isinstance(listed, dict) else listed)
    packages = _PNPM_LIST.search(f"{folder.text(_PNPM)}\n")
    for line in packages[1].splitlines() if packages else ():
        if item := re.match(r"""\s*-\s*["']?([^"'#\s]+)""", line):
            yield item[1]


def _matches(place: str, patterns: Sequence[str]) -> bool:
    wanted = [pattern.removeprefix("./").rstrip("/") for pattern in patterns if not pattern.startswith("!")]
    refused = [pattern[1:].removeprefix("./").rstrip("/") for pattern in patterns if pattern.startswith("!")]
    return any(_fits(place, name) for name in wanted) and not any(_fits(place, name) for name in refused)


def _fits(place: str, pattern: str) -> bool:
    same_depth = place.count("/") == pattern.count("/") or "**" in pattern
    return same_depth and fnmatch(place, pattern)
