"""The packaged texts of prompts, one Markdown file each."""

from functools import cache
from importlib.resources import files
from typing import Final

from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import StepPlan

CUSTOM: Final = "custom"


@cache
def template(name: str) -> str:
    """The text of `templates/<name>.md`.

    This is the only file that the core reads: the text is part of the package and never changes at run time, like a
    constant, and in a Markdown file it can be edited as prose.
    """
    return files("shiftwork.prompts").joinpath("templates", f"{name}.md").read_text(encoding="utf-8").strip()


def instructions(plan: StepPlan) -> str:
    """The instructions for a step of this type; a type from a user's own workflow gets the general text."""
    if plan.type == "coding" and plan.sizes:
        return template("sizing")
    return template(plan.type if plan.type in CATALOGUE else CUSTOM)
