"""The cause of a red gate: where its whole output is kept, and its first error with the file's path in the tree."""

import hashlib
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.gates.gate import GateResult
from shiftwork.domain.runners.first_failure import read_failure
from shiftwork.records import replace
from shiftwork.regexes import regex

_UNFIT: Final = regex(r"[^A-Za-z0-9._-]+")
_NAME: Final = 60
_READ: Final = 200_000
_MOST_FILES: Final = 50_000
_WITHOUT_SOURCES: Final = frozenset({".git", ".venv", "venv", "node_modules", "target", "__pycache__", ".tox"})


def log_path(state: Path, marker: str, gate: str) -> Path:
    """Where the output of a gate is kept: `logs/<run>/<story>/<check>-<gate>.log`, beside the logs of agents. A check
    that belongs to no story has other words in these places, and replaces its log each time.
    """
    run, story, check = (*marker.split("/", 2), "", "")[:3]
    before = f"{_UNFIT.sub('-', check)}-" if check else ""
    return state / "logs" / _file_name(run) / _file_name(story or "gates") / f"{before}{_file_name(gate)}.log"


def _file_name(text: str) -> str:
    """Fit for a file; different for different texts."""
    plain = _UNFIT.sub("-", text).strip(".-")[:_NAME]
    return plain if plain == text else f"{plain}-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:8]}"


def with_cause(result: GateResult, tree: Path, cwd: str, log: Path | None) -> GateResult:
    """The red result, with what its output says and where all of it is. Reads files of the tree."""
    kept = log if log and log.is_file() else None
    if result.exit_code == 0:  # the command printed no error: below the step is what it lacks
        lacking = FirstError(message=result.output.split("\n")[1].rstrip(":"))
        return replace(result, error=lacking, log=str(kept) if kept else "")
    printed = _both_ends(kept) if kept else result.output
    found = read_failure(printed.replace(f"{tree}/", ""))
    error = _in_tree(found.error, tree, cwd)
    return replace(result, error=error, failed_tests=found.failed_tests, log=str(kept) if kept else "")


def _both_ends(log: Path) -> str:
    """More than a result keeps, and never all of a long log."""
    try:
        with log.open("rb") as file:
            head = file.read(_READ)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - _READ, len(head)))
            return (head + file.read()).decode(errors="replace")
    except OSError:
        return ""


def _in_tree(error: FirstError, tree: Path, cwd: str) -> FirstError:
    """With the path from the root of the tree: a tool prints it from its own folder, or only the file's name."""
    file = PurePosixPath(error.file)
    if not error.file or file.is_absolute() or ".." in file.parts:
        return error
    own = next((path for path in (file, cwd / file) if (tree / path).is_file()), None)
    if own is None:
        matching = list(islice(_files_named(tree, file), 2))
        own = matching[0] if len(matching) == 1 else file
    return replace(error, file=str(own))


def _files_named(tree: Path, file: PurePosixPath) -> Iterator[PurePosixPath]:
    seen = 0
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in _WITHOUT_SOURCES)
        seen += len(names)
        if seen > _MOST_FILES:
            return
        if file.name in names:
            path = PurePosixPath((Path(folder) / file.name).relative_to(tree))
            if path.parts[-len(file.parts) :] == file.parts:
                yield path
