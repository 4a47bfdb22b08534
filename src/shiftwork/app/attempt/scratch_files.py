"""Files that other tools' agents keep their notes in, such as `progress.txt`: in a workspace they belong to Shiftwork.

What an agent appends to one of them becomes a note, and the next agent that may read it finds it in the file again. The
file itself is in no commit, so stories do not conflict on it. It is an ordinary file where the commit that the work
starts from has it, or where the story asks for it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from shiftwork.app.attempt.attempt import Attempt
from shiftwork.domain.memory.notes import Note, Remark, Scope
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.later_files import is_named_in, said_by
from shiftwork.ports.attempt_folder import AttemptOutputs

_OF_ALL: Final = ("progress.txt", "MEMORY.md", "scratch.md")
"""Files that all stories of a run share."""


async def laid_files(attempt: Attempt, run: RunState) -> Mapping[str, str]:
    """Puts into the tree what the agents before have left; returns the text of each file that is Shiftwork's there."""
    return await attempt.recorder.context.attempt_folders.lay_scratch(attempt.tree, _wanted(attempt.story, run))


async def taken_files(attempt: Attempt, laid: Mapping[str, str]) -> AttemptOutputs:
    """Takes the files out of the tree: notes, and edits of the story's steps, from what the agent has added."""
    added = await attempt.recorder.context.attempt_folders.take_scratch(attempt.tree, laid)
    edits = _edits(attempt.story)
    return AttemptOutputs(
        edits=tuple(text for name, text in added.items() if name == edits),
        notes=tuple(
            Remark(text=f"{name}:\n{text}", scope=Scope.PROJECT if name in _OF_ALL else Scope.STORY)
            for name, text in added.items()
            if name != edits
        ),
    )


def _wanted(story: StoryState, run: RunState) -> dict[str, str]:
    """The files, each with the text that it starts with; without text, a file is not created."""
    given, said = story.given, said_by(story.given.story)
    notes = (*run.memory.project.all, *story.dialogue.notes.all)
    names = (*_OF_ALL, f"scratch_{given.story.id}.md", _edits(story))
    return {name: _text(name, notes) for name in names if not is_named_in(said, name)}


def _edits(story: StoryState) -> str:
    return f"workflow_edits/{story.given.story.id}.json"


def _text(name: str, notes: Iterable[Note]) -> str:
    head = f"{name}:\n"
    return "".join(dict.fromkeys(f"{note.text.removeprefix(head)}\n" for note in notes if note.text.startswith(head)))
