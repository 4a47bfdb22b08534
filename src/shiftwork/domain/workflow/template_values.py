"""What the templates of a workflow may name, and how the answers of steps become part of that."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

type Context = tuple[tuple[str, str], ...]

PROTECTED_KEYS: Final = frozenset({"task", "repo", "branch", "run_id"})
"""No step may set these, whatever it answers."""

BUILT_IN: Final = PROTECTED_KEYS | {
    "current_story",
    "current_story_id",
    "current_story_title",
    "completed_stories",
    "stories_remaining",
    "progress",
    "verify_feedback",
}
"""Names that the harness gives to every template."""

AGENTS_ONLY: Final = frozenset({"repo", "completed_stories", "stories_remaining", "progress"})
"""Those of them that are known where an agent is at work, and to no question that a person is asked."""

# Blanks inside the braces are allowed because people write them; anything else in braces is text, so that
# `{{ a.b }}`, `{ {x} }` and JSON stay as they are.
PLACE: Final = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")


def merged(context: Context, outputs: Iterable[tuple[str, str]]) -> Context:
    """The context with what a step has answered; what is protected stays as it was."""
    kept = {key: value for key, value in outputs if key not in PROTECTED_KEYS}
    return tuple({**dict(context), **kept}.items())


def without(context: Context, keys: Iterable[str]) -> Context:
    gone = frozenset(key.lower() for key in keys)
    return tuple((key, value) for key, value in context if key not in gone)


def limited(outputs: Context, keys: Iterable[str]) -> Context:
    """What a step may set: everything, where it declares nothing."""
    allowed = frozenset(key.lower() for key in keys)
    return tuple(pair for pair in outputs if not allowed or pair[0] in allowed)


def values(context: Context, built_in: Mapping[str, str]) -> dict[str, str]:
    """What a template is filled with; the harness's own names win over everything."""
    return {**dict(context), **built_in}


def filled(template: str, known: Mapping[str, str]) -> str:
    """In a single pass: a value is text, also where it looks like a template; a name without one renders empty."""
    return PLACE.sub(lambda place: known.get(place[1], ""), template)
