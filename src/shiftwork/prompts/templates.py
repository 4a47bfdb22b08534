"""The packaged texts of prompts, one Markdown file each."""

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Final

from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.regexes import regex

CUSTOM: Final = "custom"

_CONDITION: Final = regex(r"\[(no )?([a-z_]+)\] ")
"""Before a line that is only for some prompts: `[edit] ` or `[no edit] `."""


@cache
def template(name: str) -> str:
    """The text of `templates/<name>.md`.

    This is the only file that the core reads: the text is part of the package and never changes at run time, like a
    constant, and in a Markdown file it can be edited as prose.
    """
    return files("shiftwork.prompts").joinpath("templates", f"{name}.md").read_text(encoding="utf-8").strip()


def instructions(plan: StepPlan, conditions: Collection[str] = ()) -> str:
    """The instructions for a step of this type; a type from a user's own workflow gets the general text. Lines that
    need a condition, or need that it does not hold, are left out otherwise.
    """
    name = "sizing" if plan.type == "coding" and plan.sizes else plan.type if plan.type in CATALOGUE else CUSTOM
    return selected(name, conditions)


def selected(name: str, conditions: Collection[str]) -> str:
    """The text of a template for these conditions."""
    lines = template(name).split("\n")
    return "\n".join(_CONDITION.sub("", line, count=1) for line in lines if _holds(line, conditions))


def _holds(line: str, conditions: Collection[str]) -> bool:
    wanted = _CONDITION.match(line)
    return wanted is None or (wanted[2] in conditions) != bool(wanted[1])
