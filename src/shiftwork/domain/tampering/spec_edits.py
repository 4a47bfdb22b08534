"""Which changed files belong to the spec, so that a story's edits of them do not land.

The spec is what later stories, reviews and the next run go by. A story that could edit it could mark the work of others
as done, or change what it has to prove.
"""

from collections.abc import Sequence

from shiftwork.domain.spec.spec import SpecPaths, Story
from shiftwork.domain.tampering.later_files import is_named_in, said_by
from shiftwork.domain.text.globs import matches


def spec_edits(changed: Sequence[str], paths: SpecPaths, story: Story, allowed: Sequence[str]) -> tuple[str, ...]:
    """The changed paths that belong to the spec and that the story may not change: of what is beside the spec's file it
    may change what its own text or its `touches` names.
    """
    return tuple(
        path
        for path in changed
        if (path in paths.own or (_is_beside(path, paths) and not _asks_for(path, story)))
        and not matches(allowed, path)
    )


def _is_beside(path: str, paths: SpecPaths) -> bool:
    return any(path == name or (name.endswith("/") and path.startswith(name)) for name in paths.beside)


def _asks_for(path: str, story: Story) -> bool:
    """A story of a change folder names its files as they are called in that folder."""
    if story.planned:
        return False
    parts = path.split("/")
    return any(is_named_in(said_by(story), "/".join(parts[place:])) for place in range(len(parts)))
