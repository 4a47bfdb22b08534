"""The packaged texts of prompts, one Markdown file each."""

from functools import cache
from importlib.resources import files
from typing import Final

from shiftwork.domain.workflow.step_types import CATALOGUE

CUSTOM: Final = "custom"


@cache
def template(name: str) -> str:
    """The text of `templates/<name>.md`.

    This is the only file that the core reads: the text is part of the package and never changes at run time, like a
    constant, and in a Markdown file it can be edited as prose.
    """
    return files("shiftwork.prompts").joinpath("templates", f"{name}.md").read_text(encoding="utf-8").strip()


def instructions(step_type: str) -> str:
    """The instructions for a step of this type; a type from a user's own workflow gets the general text."""
    return template(step_type if step_type in CATALOGUE else CUSTOM)
