"""The packaged texts of prompts, one Markdown file each."""

from functools import cache
from importlib.resources import files
from typing import Final

from shiftwork.domain.workflow.step_types import CATALOGUE

CUSTOM: Final = "custom"


@cache
def template(name: str) -> str:
    """The text of `templates/<name>.md`.

    Reading a file of the package itself is the one read that the core does: the text is part of the program like a
    constant, always there and always the same, and it stays where prompts can be edited as prose.
    """
    return files("shiftwork.prompts").joinpath("templates", f"{name}.md").read_text(encoding="utf-8").strip()


def instructions(step_type: str) -> str:
    """What a step of this type is to do; a type of a user's own workflow gets the general text."""
    return template(step_type if step_type in CATALOGUE else CUSTOM)
