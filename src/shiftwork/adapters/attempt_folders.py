"""Attempt folders: `<state>/runs/<run>/<story>/<step>-<attempt>/`, with the log in the folder of all logs.

Files, not a socket: what an agent wrote before a kill -9 still exists afterwards, and any agent can write a file.
"""

import asyncio
import contextlib
import heapq
import json
import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.bounded import read_head
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.ports.attempt_folder import AttemptFolder, AttemptName, AttemptOutputs, Question
from shiftwork.redaction import redacted

OUTPUT_BYTES: Final = 256 * 1024
OUTPUT_FILES: Final = 100

# The prefix of a message's file name; the prefix of a note gives its scope.
_NOTES: Final = {"note": Scope.STORY, "project": Scope.PROJECT, "pattern": Scope.PATTERN}
_KINDS: Final = ("edit", "evidence", "question", *_NOTES)
EDIT_REQUEST: Final = "workflow_edits.json"


class LocalAttemptFolders:
    """`toolbox` is the command that offers the harness's tools for an attempt folder; empty if the agent gets none."""

    def __init__(self, state: Path, toolbox: tuple[str, ...] = ()) -> None:
        self._state = state
        self._toolbox = toolbox

    async def lay(self, name: AttemptName) -> AttemptFolder:
        return await asyncio.to_thread(self._lay, name)

    def _lay(self, name: AttemptName) -> AttemptFolder:
        folder = self._folder(name)
        if folder.exists():
            _move_away(folder)
        attempt_folder = AttemptFolder(
            folder=folder,
            home=folder / "home",
            output_folder=folder / "outputs",
            log=self._state / "logs" / name.run / name.story / f"{name.step}-{name.attempt}.jsonl",
            edit_request=folder / "outputs" / EDIT_REQUEST,
            toolbox=(*self._toolbox, str(folder)) if self._toolbox else (),
        )
        for parent in (folder.parent, attempt_folder.log.parent):
            if not parent.exists():
                parent.mkdir(parents=True, exist_ok=True)
        for place in (folder, attempt_folder.home, attempt_folder.output_folder):
            place.mkdir()
        return attempt_folder

    async def brief(self, attempt_folder: AttemptFolder, prompt: str, task: dict[str, Any]) -> None:
        (attempt_folder.folder / "prompt.md").write_text(redacted(prompt), encoding="utf-8")
        if attempt_folder.toolbox:
            (attempt_folder.folder / "task.json").write_text(json.dumps(task), encoding="utf-8")

    async def collect(self, attempt_folder: AttemptFolder) -> AttemptOutputs:
        return await asyncio.to_thread(_collect, attempt_folder)

    async def lay_scratch(self, tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
        return await asyncio.to_thread(_lay_scratch, tree, files)

    async def take_scratch(self, tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
        return await asyncio.to_thread(_take_scratch, tree, files)

    async def clear(self, home: Path) -> None:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(erase, home)

    def keep_path(self, name: AttemptName, why: str) -> Path:
        return self._state / "diffs" / name.run / name.story / f"{name.step}-{name.attempt}-{why}.diff"

    def is_kept(self, diff: Path) -> bool:
        return diff.exists()

    def _folder(self, name: AttemptName) -> Path:
        return self._state / "runs" / name.run / name.story / f"{name.step}-{name.attempt}"


def _move_away(folder: Path) -> None:
    number = 1
    while (free := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    folder.rename(free)


def _collect(attempt_folder: AttemptFolder) -> AttemptOutputs:
    """Reads only regular files directly in the outputs folder, because a link may point anywhere."""
    outputs: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for name in _listed(attempt_folder.output_folder):
        kind = "edit" if name == EDIT_REQUEST else name.partition("-")[0]
        if kind in outputs and name.endswith(".json") and (text := _text(attempt_folder.output_folder / name)):
            outputs[kind].append(text)
    return AttemptOutputs(
        edits=tuple(outputs["edit"]),
        notes=tuple(
            Remark(text=text, scope=scope) for kind, scope in _NOTES.items() for text in outputs[kind] if text.strip()
        ),
        evidence=tuple(claim for text in outputs["evidence"] if (claim := _claim(text))),
        questions=tuple(asked for text in outputs["question"] if (asked := _question(text))),
    )


def _listed(output_folder: Path) -> list[str]:
    """Returns the first names, up to a limit. An agent may have closed, removed or replaced the folder."""
    try:
        if output_folder.is_symlink():
            return []
        output_folder.chmod(0o700)
        with os.scandir(output_folder) as entries:
            return heapq.nsmallest(OUTPUT_FILES, (entry.name for entry in entries))
    except OSError:
        return []


def _text(path: Path) -> str:
    """Returns the text; empty if the path is not a regular file or cannot be read."""
    try:
        return redacted(read_head(path, OUTPUT_BYTES, links=False).decode("utf-8", errors="replace"))
    except OSError:
        return ""


def _whole(text: str) -> str:
    """Replaces lone surrogates: JSON can contain them, but neither a file nor a terminal can."""
    return text.encode(errors="replace").decode()


def _question(text: str) -> Question | None:
    """Reads a question as the tool writes it; a file that an agent wrote itself may contain only the text."""
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    except RecursionError:
        return None
    if isinstance(found, str):
        return Question(text=_whole(found.strip())) if found.strip() else None
    asked, options = (found.get("question"), found.get("options", [])) if isinstance(found, dict) else ("", [])
    if not isinstance(asked, str) or not asked.strip() or not isinstance(options, list):
        return None
    return Question(
        text=_whole(asked.strip()), options=tuple(_whole(option) for option in options if isinstance(option, str))
    )


def _claim(text: str) -> dict[str, str]:
    try:
        claim = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(claim, dict) or not all(isinstance(value, str) for value in claim.values()):
        return {}
    return {_whole(key): _whole(value) for key, value in claim.items()}


def _lay_scratch(tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
    free = {name: text for name, text in files.items() if not os.path.lexists(tree / name)}
    for name, text in free.items():
        if text:
            with (tree / name).open("x", encoding="utf-8") as file:
                file.write(text)
    return free


def _take_scratch(tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, laid in files.items():
        path = tree / name
        if path.parent.is_symlink() or not os.path.lexists(path):  # below a link it would be another's file
            continue
        text = _text(path)
        known = {line.strip() for line in laid.splitlines()}
        more = text[len(laid) :] if text.startswith(laid) else _lines_beyond(text, known)
        if more.strip():
            found[name] = more.strip()
        _remove_scratch(path, tree)
    return found


def _lines_beyond(text: str, known: AbstractSet[str]) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip() not in known)


def _remove_scratch(path: Path, tree: Path) -> None:
    """With its folder, if nothing else is in it. A folder of that name is the agent's work."""
    with contextlib.suppress(OSError):
        path.unlink()
        if path.parent != tree:
            path.parent.rmdir()
