"""The gates that come from a story's criteria: a criterion that names a command is verified by running it.

A gate goes with its criterion: another text of the criterion replaces its gate, and without the criterion there is no
gate. Only people and their spec files change criteria: an agent has no request for that.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.commands import program, working_folders
from shiftwork.domain.gates.gate import Gate, gate_name
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.named_gates import command_in
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.records import dataclass, replace
from shiftwork.regexes import regex


def with_commands(story: Story) -> Story:
    """The story with a step for each criterion that names a command and has none."""
    known = {step.id for step in story.verification}
    steps = tuple(_step(criterion) for criterion in story.criteria if criterion.id not in known)
    return replace(story, verification=(*story.verification, *(step for step in steps if step)))


def with_criteria(story: Story, criteria: Sequence[Criterion]) -> Story:
    """The story with these criteria in place of its own. A step stays where the text of its criterion does, or where it
    belongs to no criterion.
    """
    if tuple(criteria) == story.criteria:
        return story
    texts = {criterion.id: criterion.text for criterion in story.criteria}
    by_text = {texts[step.id]: step for step in story.verification if step.id in texts}
    free = tuple(step for step in story.verification if step.id not in texts)
    kept = (replace(by_text[criterion.text], id=criterion.id) for criterion in criteria if criterion.text in by_text)
    return with_commands(replace(story, criteria=tuple(criteria), verification=(*free, *kept)))


def _step(criterion: Criterion) -> Verification | None:
    command = command_in(criterion.text)
    return Verification(id=criterion.id, kind=VerificationKind.SHELL, command=command) if command else None


def criterion_gates(spec: Spec) -> tuple[Gate, ...]:
    """All of them by the names that views print, such as `US-003 AC-1`."""
    return tuple(
        Gate(name=gate_name(story.id, step.id), command=step.command, step=step)
        for story in spec.stories
        for step in story.verification
    )


# Before any work -----------------------------------------------------------------------------------------------------

_ELSEWHERE: Final = regex(r"[/~]|\.\./|.*[$`*?]", re.DOTALL)
"""A program outside of the tree, or one that only a shell knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What the gate of a criterion needs before its command can do anything: a `program`, a name or a path in the tree,
    or a `folder` of the tree.
    """

    gate: str
    program: str = ""
    folder: str = ""

    @property
    def message(self) -> str:
        """What it means that this is missing."""
        lacks = f"starts {self.program}" if self.program else f"runs in {self.folder}"
        return f"{self.gate} {lacks}, which is not there: unless a story adds it, the criterion stays red"


def needed_by_criteria(spec: Spec, done: Collection[StoryId], without: Collection[str]) -> tuple[Needed, ...]:
    """What the commands of the criteria need, except those of stories that are done. Such a command is expected to be
    red before its story is worked on; what is missing here is more likely a mistake.
    """
    landed = {gate_name(story.id, step.id) for story in spec.stories if story.id in done for step in story.verification}
    gates = (gate for gate in criterion_gates(spec) if gate.command and gate.name not in {*landed, *without})
    return tuple(dict.fromkeys(needed for gate in gates for needed in _needed(gate)))


def _needed(gate: Gate) -> Iterator[Needed]:
    own = (gate.step.cwd,) if gate.step and gate.step.cwd else ()
    below = ("/".join((*own, folder)) for folder in working_folders(gate.command))
    folders = (*own, *below)
    yield from (Needed(gate=gate.name, folder=folder) for folder in folders)
    first = program(gate.command)
    if first and not _ELSEWHERE.match(first):
        place = "/".join((*folders[-1:], first.removeprefix("./")))
        yield Needed(gate=gate.name, program=place if "/" in first else first)


def missing_from(needed: Iterable[Needed], paths: Collection[str]) -> tuple[Needed, ...]:
    """Those that the files of a commit do not have."""
    folders = {path[:at] for path in paths for at in range(len(path)) if path[at] == "/"}
    return tuple(item for item in needed if item.program not in paths and item.folder not in folders)


def asking_for_programs(needed: Iterable[Needed]) -> str:
    """A command that prints those of the programs that are not there."""
    names = " ".join(shlex.quote(name) for name in dict.fromkeys(item.program for item in needed if item.program))
    return f'for p in {names}; do command -v "$p" > /dev/null || printf "%s\\n" "$p"; done'


# A changed story -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GateChanges:
    """The steps that a changed story has and did not have, and those that it no longer has. The user must agree to what
    would run a command or call an address that the story did not name before.
    """

    new: tuple[Verification, ...] = ()
    gone: tuple[Verification, ...] = ()
    to_agree: tuple[Verification, ...] = ()


def gate_changes(before: Story | None, after: Story) -> GateChanges:
    old = before.verification if before else ()
    new = tuple(step for step in after.verification if step not in old)
    known = {step.action for step in old}
    return GateChanges(
        new=new,
        gone=tuple(step for step in old if step not in after.verification),
        to_agree=tuple(step for step in new if (step.command or step.url) and step.action not in known),
    )
