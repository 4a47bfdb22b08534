"""Checks what a program asks to be run, before a command sees it: nothing in it is a path out of the repository or an
option.
"""

import os
from pathlib import Path, PurePosixPath
from typing import Final

from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.errors import UsageError
from shiftwork.regexes import regex

LONGEST_TEXT: Final = 60_000
"""In bytes. The system limits the length of an argument."""
LONGEST_NAME: Final = 200
_MOST_PLANS: Final = 100
_WORKFLOW: Final = regex(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def work_of(root: Path, request: str, spec: str) -> str:
    """What `run` and `plan` get: a sentence, or the path of a spec in the repository. A file outside of it counts as
    the user's own, whose commands run without consent: only a person may name one.
    """
    if bool(request.strip()) == bool(spec.strip()):
        raise UsageError("either request or spec is needed", hint="give the work in plain words, or the path of a spec")
    if spec:
        return _spec(root, argument("spec", spec, LONGEST_NAME * 4))
    path = PurePosixPath(argument("request", request, LONGEST_TEXT))
    if path.is_absolute() or ".." in path.parts or _exists(root / path):
        raise UsageError("the request is a path", hint="give a spec of this repository as spec, or write a sentence")
    return request


def _spec(root: Path, spec: str) -> str:
    path = PurePosixPath(spec)
    if path.is_absolute() or ".." in path.parts:
        raise UsageError(
            f"{spec!r} is not a path below the root of the repository", hint="give a path such as prd.json"
        )
    if not _exists(root / path):
        raise UsageError(f"there is no spec {spec!r} in the repository", hint="shiftwork init --prd writes one")
    if not (root / path).resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{spec!r} leads out of the repository", hint="copy the file into the repository")
    return f"./{path}"


def plan_file(root: Path) -> str:
    """Where the plan of a request is written, because nobody can be asked about a file that exists: the first free
    name, or nothing for the usual one. A link is not free, wherever it leads.
    """
    names = ("", *(f"prd-{number}.json" for number in range(2, _MOST_PLANS)))
    return next((name for name in names if not os.path.lexists(root / (name or PRD_FILE))), "")


def workflow_words(workflow: str) -> tuple[str, ...]:
    """A name, never a path: a file outside of the repository counts as the user's own."""
    if workflow and not _WORKFLOW.fullmatch(argument("workflow", workflow, LONGEST_NAME)):
        raise UsageError(f"{workflow!r} is not the name of a workflow", hint="shiftwork workflow list shows the names")
    return (f"--workflow={workflow}",) if workflow else ()


def argument(name: str, text: str, most: int) -> str:
    """Raises UsageError for a text that no command can take as an argument."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise UsageError(f"{name} is not text", hint="give it as UTF-8") from None
    if size > most:
        raise UsageError(f"{name} has {size:,} bytes, and at most {most:,} are possible", hint="shorten it")
    if "\0" in text:
        raise UsageError(f"{name} contains a NUL character", hint="remove it")
    return text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a sentence may be too long for a path
        return False
