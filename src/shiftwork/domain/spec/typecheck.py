"""Type checks: which gate is one, which criterion asks for one, and the criterion for planned stories."""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.gates.commands import split, starting
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.records import replace
from shiftwork.regexes import regex

TYPECHECK_PASSES: Final = "Typecheck passes"

_ASKS: Final = regex(
    r"(?:the )?type[ -]?check(?:s|ing|er)?(?: command)? (?:pass(?:es)?|succeeds|is green)\.?", re.IGNORECASE
)
_NAMES: Final = regex(
    r"(?:[\w.-]+[ :_-])?(?:type[ _-]?check(?:s|er|ing)?|check[-:_]types)(?: \(.*\))?|types|typing", re.IGNORECASE
)
_STARTS: Final = starting(
    r"""(?:mypy|dmypy|pyright|basedpyright|pyre|pytype|tsc|vue-tsc|svelte-check|cargo\s+check|srb\s+tc|mix\s+dialyzer
      |phpstan|psalm|(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?|make\s+|just\s+)?type[_:-]?check)
      (?!.*\s--(?:version|help)\b)"""
)
"""A part of a command that starts a type checker, or a script that is named for it."""


def is_typecheck(name: str, command: str) -> bool:
    """Whether a gate checks types: its name or the name of a script says so, or it starts a known type checker."""
    parts = () if "||" in command else split(command)
    return bool(_NAMES.fullmatch(name)) or any(_STARTS.match(part) for part in parts)


def asks_for_typecheck(criterion: str) -> bool:
    return _ASKS.fullmatch(" ".join(criterion.split())) is not None


def with_typecheck(stories: Sequence[Story], gates: Sequence[Gate]) -> tuple[Story, ...]:
    """Adds the criterion to each story without it, if a gate of the run can decide it."""
    if not any(is_typecheck(gate.name, gate.command) for gate in gates if not gate.blind):
        return tuple(stories)
    return tuple(
        story if any(asks_for_typecheck(criterion.text) for criterion in story.criteria) else _with_criterion(story)
        for story in stories
    )


def _with_criterion(story: Story) -> Story:
    added = Criterion(id=f"AC-{len(story.criteria) + 1}", text=TYPECHECK_PASSES)
    return replace(story, criteria=(*story.criteria, added))
