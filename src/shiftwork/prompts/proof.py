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
    """Every agent is asked, by a tool or at the end of its answer, also where no evidence is required: what nobody asks
    for is not missing. Empty if the step cannot give evidence, or if the story has no criterion to give it for.
    """
    if not view.proves:
        return ""
    given = view.state.given
    owed = to_be_shown(given.story, given.proof)
    if not owed:
        return _welcome(view)
    steps = one_line(", ".join(step.id for step in given.story.verification))
    values = {
        "criteria": one_line(", ".join(criterion.id for criterion in owed)),
        "test": _TESTS[given.proof],
        "verification": f"\n- `verification`, one of {steps}: a step that the harness runs itself" if steps else "",
        "channel": _TOOL if view.given.tools else _LIST,
    }
    return render(template("proof"), values)


def _welcome(view: View) -> str:
    if view.given.tools:
        return template("tool_evidence")
    return template("list_evidence") if view.state.given.story.criteria else ""
