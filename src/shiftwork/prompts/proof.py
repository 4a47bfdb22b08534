"""The part of a prompt that says which evidence the story needs to land, so that it is not refused for lack of it."""

from typing import Final

from shiftwork.domain.spec.checkability import to_be_shown
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.prompts.lengths import one_line
from shiftwork.prompts.prompt_sections import View
from shiftwork.prompts.render import render
from shiftwork.prompts.templates import template

_TESTS: Final = {
    ProofPolicy.STRICT: "a test of it, which fails without the changes of this story, if a check prints that test's "
    "name as passed; if none does, cite lines",
    ProofPolicy.CITED: "a test of it, which passes, and which fails without the changes of this story",
}
_TOOL: Final = "Report it with `report_evidence`, once for each criterion."
_LIST: Final = """Put it into your last message as a list, one line for each criterion:

EVIDENCE:
- <criterion> <kind> <reference>"""


def wanted(view: View) -> str:
    """Empty if the step cannot give evidence, or if none is required and no tool takes any."""
    if not view.proves:
        return ""
    given = view.state.given
    owed = to_be_shown(given.story, given.proof)
    if not owed:
        return template("tool_evidence") if view.given.tools else ""
    steps = one_line(", ".join(step.id for step in given.story.verification))
    values = {
        "criteria": one_line(", ".join(criterion.id for criterion in owed)),
        "test": _TESTS[given.proof],
        "verification": f"\n- `verification`, one of {steps}: a step that the harness runs itself" if steps else "",
        "channel": _TOOL if view.given.tools else _LIST,
    }
    return render(template("proof"), values)
