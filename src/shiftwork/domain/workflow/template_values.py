"""The names that templates of a workflow may use, and how the answers of steps are added to them."""

from collections.abc import Iterable, Mapping
from typing import Final

from shiftwork.regexes import regex

type Context = tuple[tuple[str, str], ...]

PROTECTED_KEYS: Final = frozenset({"task", "repo", "branch", "run_id"})
"""No step may set these, whatever it answers."""

HAS_FRONTEND: Final = "has_frontend_changes"
"""Whether the work changes a user interface: `true` or `false`, by the files that it changes."""

BUILT_IN: Final = PROTECTED_KEYS | {
    "current_story",
    "current_story_id",
    "current_story_title",
    "completed_stories",
    "stories_remaining",
    "progress",
    "verify_feedback",
    "retry_feedback",
    HAS_FRONTEND,
}
"""Names that the harness provides to every template."""

COMMANDS: Final = frozenset({"build_cmd", "test_cmd", "lint_cmd"})
"""Names for the gates that are called `build`, `test` and `lint`."""

MEMORY: Final = COMMANDS | {"notes", "scratch", "learnings", "patterns", "checks"}
"""Names for parts that every prompt has, for a template that wants one at a certain place. A key that a step answers or
the workflow sets takes precedence.
"""

AGENTS_ONLY: Final = frozenset({"repo", "completed_stories", "stories_remaining", "progress", HAS_FRONTEND})
"""Built-in names that exist only in prompts of agents, not in questions to a person."""

# Blanks inside the braces are allowed because people write them. Anything else in braces is text, so that
# `{{ a.b }}`, `{ {x} }` and JSON stay as they are.
PLACE: Final = regex(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")


def merged(context: Context, outputs: Iterable[tuple[str, str]]) -> Context:
    """The context with a step's outputs added; protected keys stay unchanged."""
    kept = {key: value for key, value in outputs if key not in PROTECTED_KEYS}
    return tuple({**dict(context), **kept}.items())


def without(context: Context, keys: Iterable[str]) -> Context:
    gone = frozenset(key.lower() for key in keys)
    return tuple((key, value) for key, value in context if key not in gone)


def limited(outputs: Context, keys: Iterable[str]) -> Context:
    """The outputs that a step may set: all, where it declares none."""
    allowed = frozenset(key.lower() for key in keys)
    return tuple(pair for pair in outputs if not allowed or pair[0] in allowed)


def values(context: Context, built_in: Mapping[str, str]) -> dict[str, str]:
    """The values for a template; the harness's own names take precedence."""
    return {**dict(context), **built_in}


def filled(template: str, known: Mapping[str, str]) -> str:
    """In a single pass: a value is text even if it looks like a template; a name without a value renders empty."""
    return PLACE.sub(lambda place: known.get(place[1], ""), template)
