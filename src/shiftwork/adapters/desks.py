"""Desks as folders: `<state>/runs/<run>/<story>/<step>-<attempt>/`, with the log where people look for logs.

Files, not a socket: what an agent said before a kill -9 is still there afterwards, and any agent can write a file.
"""

import asyncio
import contextlib
import heapq
import json
import os
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.workspace.tree.untrusted_files import erase
from shiftwork.bounded import read_head
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.ports.desk import Desk, DeskName, Mail, Question
from shiftwork.redaction import redacted

MAIL_BYTES: Final = 256 * 1024
MAIL_FILES: Final = 100

# What the name of a letter begins with; a note's says whom it is for.
_NOTES: Final = {"note": Scope.STORY, "project": Scope.PROJECT, "pattern": Scope.PATTERN}
_KINDS: Final = ("edit", "evidence", "question", *_NOTES)
EDIT_REQUEST: Final = "workflow_edits.json"


class FolderDesks:
    """`toolbox` is the command that offers the harness's tools over a desk; empty where the agent gets none."""

    def __init__(self, state: Path, toolbox: tuple[str, ...] = ()) -> None:
        self._state = state
        self._toolbox = toolbox

    async def lay(self, name: DeskName) -> Desk:
        return await asyncio.to_thread(self._lay, name)

    def _lay(self, name: DeskName) -> Desk:
        folder = self._folder(name)
        if folder.exists():
            _set_aside(folder)
        desk = Desk(
            folder=folder,
            home=folder / "home",
            outbox=folder / "outbox",
            log=self._state / "logs" / name.run / name.story / f"{name.step}-{name.attempt}.jsonl",
            edit_request=folder / "outbox" / EDIT_REQUEST,
            toolbox=(*self._toolbox, str(folder)) if self._toolbox else (),
        )
        for parent in (folder.parent, desk.log.parent):
            if not parent.exists():
                parent.mkdir(parents=True, exist_ok=True)
        for place in (folder, desk.home, desk.outbox):
            place.mkdir()
        return desk

    async def brief(self, desk: Desk, prompt: str, task: dict[str, Any]) -> None:
        (desk.folder / "prompt.md").write_text(redacted(prompt), encoding="utf-8")
        if desk.toolbox:
            (desk.folder / "task.json").write_text(json.dumps(task), encoding="utf-8")

    async def collect(self, desk: Desk) -> Mail:
        return await asyncio.to_thread(_collect, desk)

    async def clear(self, desk: Desk) -> None:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(erase, desk.home)

    def keep_path(self, name: DeskName, why: str) -> Path:
        return self._state / "diffs" / name.run / name.story / f"{name.step}-{name.attempt}-{why}.diff"

    def _folder(self, name: DeskName) -> Path:
        return self._state / "runs" / name.run / name.story / f"{name.step}-{name.attempt}"


def _set_aside(folder: Path) -> None:
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    folder.rename(aside)


def _collect(desk: Desk) -> Mail:
    """Only plain files of the outbox itself count: a link may point anywhere."""
    mail: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for name in _listed(desk.outbox):
        kind = "edit" if name == EDIT_REQUEST else name.partition("-")[0]
        if kind in mail and name.endswith(".json") and (text := _text(desk.outbox / name)):
            mail[kind].append(text)
    return Mail(
        edits=tuple(mail["edit"]),
        notes=tuple(
            Remark(text=text, scope=scope) for kind, scope in _NOTES.items() for text in mail[kind] if text.strip()
        ),
        evidence=tuple(claim for text in mail["evidence"] if (claim := _claim(text))),
        questions=tuple(asked for text in mail["question"] if (asked := _question(text))),
    )


def _listed(outbox: Path) -> list[str]:
    """The first names, however many there are. An agent may have shut, removed or replaced the folder."""
    try:
        if outbox.is_symlink():
            return []
        outbox.chmod(0o700)
        with os.scandir(outbox) as entries:
            return heapq.nsmallest(MAIL_FILES, (entry.name for entry in entries))
    except OSError:
        return []


def _text(path: Path) -> str:
    """Nothing of what is no plain file, or cannot be read."""
    try:
        return redacted(read_head(path, MAIL_BYTES, links=False).decode("utf-8", errors="replace"))
    except OSError:
        return ""


def _whole(text: str) -> str:
    """Without halves of surrogate pairs: JSON can spell them, but neither a file nor a terminal can hold them."""
    return text.encode(errors="replace").decode()


def _question(text: str) -> Question | None:
    """A question as the tool writes it; a file that an agent wrote itself may hold the bare text."""
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
    return Question(text=_whole(asked.strip()), options=tuple(_whole(one) for one in options if isinstance(one, str)))


def _claim(text: str) -> dict[str, str]:
    try:
        claim = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(claim, dict) or not all(isinstance(value, str) for value in claim.values()):
        return {}
    return {_whole(key): _whole(value) for key, value in claim.items()}
