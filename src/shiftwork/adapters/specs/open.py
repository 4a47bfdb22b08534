"""Opens spec files: detects the format, reads the file or raises one error with all mistakes, and marks stories."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Final

from shiftwork.adapters.specs import beads, checklist, markdown, openspec, speckit, task_list, workflow_state
from shiftwork.adapters.specs._document import Edit, UnreadableError, changed, refused
from shiftwork.adapters.specs._draft import Draft, mistakes_of
from shiftwork.adapters.specs._files import rewrite, text_of
from shiftwork.adapters.specs._places import spec_paths
from shiftwork.adapters.specs.prd import prd_json
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.criterion_gates import with_commands
from shiftwork.domain.spec.spec import Spec, SpecPaths
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Form, Mark, Sheet
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a format does with a text: recognise its own files, read them, and compute the edits that mark stories, for
    each story of the file.
    """

    belongs: Callable[[Path, str], bool]
    read: Callable[[Path, str, str], Draft]
    edits: Callable[[str, Mapping[StoryId, Mark]], Iterable[tuple[StoryId, Iterable[Edit]]]]


FORMATS: Final[dict[str, Format]] = {
    module.NAME: Format(belongs=module.belongs, read=module.read, edits=module.edits)
    for module in (workflow_state, prd_json, beads, speckit, openspec, checklist, task_list, markdown)
}
"""The first format that recognises a text reads it: any `.md` is a plan, unless a more specific format recognises it.
"""

_IN_A_FOLDER: Final = ("tasks.md", "workflow_state.json", "prd.json", "plan.md", "issues.jsonl", ".beads/issues.jsonl")
_CHANGES: Final = "changes"
"""The folder of OpenSpec with a folder for each change."""


_FORMS: Final = {"one": checklist.NAME, "many": task_list.NAME}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSpecs:
    """Paths are absolute or relative to `root`, and sources are `format:path`."""

    root: Path

    async def read(self, path: str) -> Sheet:
        from asyncio import to_thread  # noqa: PLC0415 - `plan` reads without it

        return await to_thread(self.sheet, path)

    async def mark(self, source: str, marks: Mapping[StoryId, Mark]) -> frozenset[StoryId]:
        from asyncio import to_thread  # noqa: PLC0415 - as above

        return await to_thread(self._mark, source, marks)

    def sheet(self, wanted: str, form: Form = "") -> Sheet:
        """The same as `read`, for a command without an event loop. `form` says whether a list of boxes is one story or
        many; by default its text does.
        """
        path = self._file(self.root / wanted)
        name = self._name(path.parent.resolve() / path.name)
        text = text_of(path, name)
        kind = next((kind for kind, format_ in FORMATS.items() if format_.belongs(path, text)), None)
        if kind is None:
            raise SpecError(f"{name} is not a .json, .jsonl or .md spec file", hint="shiftwork init --prd writes one")
        if form and kind not in _FORMS.values():
            raise SpecError(
                f"{name} is not a list of boxes, so --as has no meaning for it", hint=f"shiftwork plan {name}"
            )
        kind = _FORMS.get(form, kind)
        try:
            draft = FORMATS[kind].read(path, text, name)
        except UnreadableError as error:
            raise refused(name, text, [error.mistake]) from None
        if mistakes := mistakes_of(draft):
            raise refused(name, text, mistakes)
        return _sheet(f"{kind}:{name}", draft, spec_paths(path, self.root.resolve(), draft.beside))

    def _mark(self, source: str, marks: Mapping[StoryId, Mark]) -> frozenset[StoryId]:
        kind, _, name = source.partition(":")
        found: dict[StoryId, tuple[Edit, ...]] = {}

        def change(text: str) -> str:
            found.clear()  # from the previous try: another process has changed the text since
            try:
                for story, edits in FORMATS[kind].edits(text, marks):
                    found[story] = (*found.get(story, ()), *edits)
            except UnreadableError as error:
                raise refused(name, text, [error.mistake]) from None
            return changed(text, chain.from_iterable(found.values()))

        rewrite(self.root / name, name, change)
        return frozenset(found)

    def _file(self, path: Path) -> Path:
        """The file itself; for a folder, the spec file in it."""
        if not path.is_dir():
            return path
        found = next((path / name for name in _IN_A_FOLDER if (path / name).is_file()), None)
        return found or self._only_change(path)

    def _only_change(self, path: Path) -> Path:
        """The tasks of the only OpenSpec change in a folder; several changes are several pieces of work."""
        inside = path / _CHANGES if (path / _CHANGES).is_dir() else path
        found = sorted(inside.glob("*/tasks.md"))
        if len(found) == 1:
            return found[0]
        name = self._name(path.resolve())
        if found:
            changes = [quote(self._name(file.parent.resolve())) for file in found]
            message = f"the folder {name} has {len(found)} changes: {', '.join(changes)}"
            raise SpecError(message, hint=f"name one, such as: shiftwork run {changes[0]}")
        raise SpecError(f"the folder {name} has none of {', '.join(_IN_A_FOLDER)}")

    def _name(self, path: Path) -> str:
        """The name for display and storage: relative to the repository where the file is inside it."""
        root = self.root.resolve()
        inside = path.is_relative_to(root)
        return path.relative_to(root).as_posix() if inside else path.as_posix()


def _sheet(source: str, draft: Draft, paths: SpecPaths) -> Sheet:
    spec = Spec(
        title=draft.title,
        description=draft.description,
        stories=tuple(with_commands(found.story) for found in draft.stories),
        requirements=draft.requirements,
        non_goals=draft.non_goals,
        branch=draft.branch,
        instructions=draft.instructions,
        gates=draft.gates,
        paths=paths,
        project=draft.project,
    )
    done = frozenset(found.story.id for found in draft.stories if found.done)
    return Sheet(
        source=source,
        spec=spec,
        done=done,
        unused=draft.unused,
        limits=draft.limits,
        patterns=draft.patterns,
        beside=(*draft.beside, *draft.carried),
    )
