"""The parts of a prompt. Each is a function of the same view; an empty part is left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Memory
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.guardrails import HARNESS_ONLY, MAX_RESTARTS, MAX_STEPS
from shiftwork.domain.workflow.pipeline import FINISHED, Step, StepStatus
from shiftwork.domain.workflow.step_types import CATALOGUE, EVERYTHING, Section
from shiftwork.prompts.lengths import LIMITS, QUOTE, foremost, newest, one_line, quoted, shorten
from shiftwork.prompts.render import render
from shiftwork.prompts.templates import instructions, template


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the application knows about an attempt, but the story's history does not.

    `tools` says that the MCP tools are offered; `output_folder` is the path of the edit-request file if not.
    With neither, the prompt does not mention editing. `workspace` is the path as the agent sees it, `memory` the memory
    of its run, `remaining` the number of other unfinished stories of the run.
    """

    gates: tuple[Gate, ...] = ()
    tools: bool = False
    output_folder: str = ""
    attempt: int = 1
    branch: str = ""
    workspace: str = ""
    memory: Memory = Memory()
    remaining: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The input of every part of the prompt."""

    state: StoryState
    step: Step
    given: Surroundings

    @property
    def sees(self) -> frozenset[Section]:
        """The sections for the step's type; types that are not in the catalogue see everything."""
        row = CATALOGUE.get(self.step.plan.type)
        return row.sees if row else EVERYTHING


_REFUSED: Final = {
    Refusal.CONFLICT: "The story's changes conflict with what has landed since. Files in conflict:",
    Refusal.GATES: "The harness ran the checks on the story's changes on top of the current base, and they failed:",
    Refusal.EMPTY: "The story's changes, on top of the current base, amount to no change at all.",
    Refusal.APPROVAL: "A person has looked at the story's changes, and has not approved them:",
    Refusal.DEPENDENCIES: "What the story's changes depend on cannot be installed here:",
    Refusal.LEFT_OUT: "The story's changes are files that would later run on the user's machine without approval:",
    Refusal.RESERVED: "The story's changes touch files that belong to git or shiftwork. Remove these from the changes:",
    Refusal.EVIDENCE: "The gates pass, but there is no evidence that the acceptance criteria hold.",
}

SHOWING: Final = frozenset({Section.CRITERIA, Section.GATES})
"""The sections that a step needs to give evidence for a criterion."""

# Notes and questions are for steps that work with notes; evidence is for steps that see `SHOWING`.
_TOOLS: Final = (
    ("tool_note", frozenset({Section.SCRATCH})),
    ("tool_evidence", SHOWING),
    ("tool_ask", frozenset({Section.SCRATCH})),
)


def house(view: View) -> str:
    values = {
        "step": one_line(view.step.id),
        "type": one_line(view.step.plan.type),
        "attempt": str(view.given.attempt),
        "minutes": f"{view.step.plan.minutes:g}",
        "branch": one_line(view.given.branch) or "not known",
        "workspace": one_line(view.given.workspace) or "the current one",
    }
    return render(template("house"), values)


def story(view: View) -> str:
    asked = view.state.given.story
    wanted = foremost(_bullets(view.state.given.requirements), LIMITS["requirements"], "requirements")
    return _joined(
        f"## Story {one_line(asked.id)}: {one_line(asked.title)}",
        shorten(asked.description.strip(), LIMITS["story"]),
        f"Requirements that hold for all of this work:\n\n{wanted}" if wanted else "",
        shorten(view.state.given.instructions.strip(), LIMITS["instructions"]),
    )


def criteria(view: View) -> str:
    rows = _bullets([f"{criterion.id}: {criterion.text}" for criterion in view.state.given.story.criteria])
    return headed("## Acceptance criteria", foremost(rows, LIMITS["criteria"], "criteria"))


def gates(view: View) -> str:
    rows = _bullets([f"{gate.name}: `{gate.command}`" for gate in view.given.gates])
    text = foremost(rows, LIMITS["gates"], "checks")
    lead = "The harness itself runs these commands at the root of the folder before anything lands; all must pass:"
    return headed(f"## Checks\n\n{lead}", text)


def this_step(view: View) -> str:
    own = shorten(view.step.plan.description.strip(), LIMITS["step"])
    return _joined(
        f"## This step: {one_line(view.step.plan.type)}",
        instructions(view.step.plan),
        f"Asked of this step in particular:\n\n{own}" if own else "",
    )


def notes(view: View) -> str:
    """The summaries of earlier steps of the story."""
    done = [step for step in view.state.pipeline.steps if step.status is StepStatus.COMPLETED]
    entries = [f"{one_line(s.id)} ({one_line(s.plan.type)}):\n{quoted(s.notes)}" for s in done if s.notes.strip()]
    return headed("## Notes of earlier steps", newest(entries, LIMITS["notes"], "notes"))


def feedback(view: View) -> str:
    """Why the step runs again. Empty if the reason is a refusal, because `refused` shows that."""
    refusal = view.state.landing.refused
    text = "" if refusal and refusal.text.for_agents == view.step.feedback else view.step.feedback
    lead = "This step must be done again. Deal with this before anything else:"
    return headed(f"## The last attempt\n\n{lead}", _quotation(text, LIMITS["feedback"]))


def answers(view: View) -> str:
    """The decisions of a person, which hold for every later step of the story."""
    entries = [f"{quoted(question)}\n\nAnswer: {said.strip()}" for question, said in view.state.dialogue.answers]
    lead = "Agents of this story have asked these questions, and a person has answered. Keep to the answers:"
    return headed(f"## Decided by a person\n\n{lead}", newest(entries, LIMITS["answers"], "questions"))


def harness_messages(view: View) -> str:
    entries = [quoted(text) for text in view.state.dialogue.messages if text.strip()]
    return headed("## Messages from the harness", newest(entries, LIMITS["messages"], "messages"))


def refused(view: View) -> str:
    """Why the story could not land; half of the limit is for the files, half for the details."""
    refusal = view.state.landing.refused
    if refusal is None:
        return ""
    half = LIMITS["refused"] // 2
    return _joined(
        f"## Why this story could not land\n\n{_REFUSED[refusal.cause]}",
        foremost(_bullets(refusal.files), half, "files"),
        _quotation(refusal.text.for_agents, half),
    )


def remaining(view: View) -> str:
    """The steps that may still change, and the step to name in order to insert steps before this one."""
    steps = view.state.pipeline.steps
    rows = [_row(step, view.step) for step in steps if step.status not in FINISHED]
    before = [step.id for step in steps[: _position(steps, view.step)]]
    return _joined(
        "## Remaining steps",
        foremost(rows, LIMITS["remaining"], "steps"),
        f"The step before yours is {one_line(before[-1])}." if before else "",
    )


def tools(view: View) -> str:
    rows = [template(name) for name, needed in _TOOLS if view.given.tools and needed <= view.sees]
    return headed("## Tools of the harness", "\n".join(rows))


def editing(view: View) -> str:
    channel = template("edit_tool") if view.given.tools else _file_channel(view.given.output_folder)
    values = {
        "channel": channel,
        "types": ", ".join(name for name in CATALOGUE if name not in HARNESS_ONLY),
        "max_steps": str(MAX_STEPS),
        "max_restarts": str(MAX_RESTARTS),
    }
    return render(template("edit"), values)


def decisions(view: View) -> str:
    """The line that asks for the key that decides the next step."""
    step = view.step
    values = ", ".join(one_line(route.value) for route in step.plan.routes)
    return one_line(f"- `{step.plan.decision_key.upper()}: <one of {values}>` is needed: it decides what comes next.")


def answer(view: View) -> str:
    step = view.step
    decided = [f"{step.plan.decision_key.upper()}: <one of {', '.join(route.value for route in step.plan.routes)}>"]
    keys = [f"{key.upper()}: <value>" for key in step.plan.output_keys if key.lower() != step.plan.decision_key.lower()]
    rows = [one_line(row) for row in (*(decided if step.plan.decision_key else ()), *keys)]
    lines = foremost(rows, LIMITS["outputs"], "keys")
    noting = not view.given.tools and Section.SCRATCH in view.sees
    values = {
        "keys": f"{lines}\n" if lines else "",
        "lists": f"\n\n{template('answer_notes')}" if noting else "",
    }
    return render(template("answer"), values)


def _file_channel(output_folder: str) -> str:
    return render(template("edit_file"), {"outputs": one_line(output_folder)})


def _row(step: Step, own: Step) -> str:
    mark = " (this step)" if step.id == own.id else ""
    return f"- {one_line(step.id)} {one_line(step.plan.type)}, {step.status}{mark}: {one_line(step.plan.description)}"


def _position(steps: Sequence[Step], own: Step) -> int:
    """The index of the step; the end if it is not in the pipeline."""
    return next((place for place, step in enumerate(steps) if step.id == own.id), len(steps))


def _bullets(texts: Sequence[str]) -> list[str]:
    """Formats each text as a list item; further lines are indented so that they belong to it."""
    return [f"- {text.strip().replace('\n', '\n  ')}" for text in texts]


def _quotation(text: str, limit: int) -> str:
    return shorten(quoted(text), limit, QUOTE) if text.strip() else ""


def headed(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}" if text else ""


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
