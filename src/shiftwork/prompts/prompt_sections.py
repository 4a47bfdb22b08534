"""The parts of a prompt, each a function of the same view; a part with nothing to say is empty and left out."""

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
    """What the application knows of an attempt and the story's history does not.

    `tools` says that the MCP tools are offered; `outbox` is the path of the edit-request file where they are not.
    With neither, the step is told nothing of editing. `workspace` is the path as the agent sees it, `memory` what its
    run remembers, `remaining` how many other stories it has still to do.
    """

    gates: tuple[Gate, ...] = ()
    tools: bool = False
    outbox: str = ""
    attempt: int = 1
    branch: str = ""
    workspace: str = ""
    memory: Memory = Memory()
    remaining: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything that any part of the prompt is made from."""

    state: StoryState
    step: Step
    given: Surroundings

    @property
    def sees(self) -> frozenset[Section]:
        """What the step's type is shown; types that the catalogue does not know see everything."""
        row = CATALOGUE.get(self.step.plan.type)
        return row.sees if row else EVERYTHING


_REFUSED: Final = {
    Refusal.CONFLICT: "The story's changes conflict with what has landed since. Files in conflict:",
    Refusal.GATES: "The harness ran the checks on the story's changes on top of the current base, and they failed:",
    Refusal.EMPTY: "The story's changes, on top of the current base, amount to no change at all.",
    Refusal.APPROVAL: "A person has looked at the story's changes, and has not approved them:",
    Refusal.DEPENDENCIES: "What the story's changes depend on cannot be installed here:",
    Refusal.LEFT_OUT: "The story's changes are files that would run on the user's machine later, unasked:",
    Refusal.RESERVED: "The story's changes touch files that are git's or shiftwork's own. Remove these from them:",
    Refusal.EVIDENCE: "The gates pass, but it is not shown that the acceptance criteria hold.",
}

SHOWING: Final = frozenset({Section.CRITERIA, Section.GATES})
"""What a step is shown that can show that a criterion holds."""

# Notes and questions are for steps that work with notes; evidence is for those that can show something.
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
    rows = _bullets([f"{one.id}: {one.text}" for one in view.state.given.story.criteria])
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
        instructions(view.step.plan.type),
        f"Asked of this step in particular:\n\n{own}" if own else "",
    )


def notes(view: View) -> str:
    """What earlier steps of the story left in their summaries."""
    done = [step for step in view.state.pipeline.steps if step.status is StepStatus.COMPLETED]
    entries = [f"{one_line(s.id)} ({one_line(s.plan.type)}):\n{quoted(s.notes)}" for s in done if s.notes.strip()]
    return headed("## Notes of earlier steps", newest(entries, LIMITS["notes"], "notes"))


def feedback(view: View) -> str:
    """Why the step is done again. A step that mends a refusal is fed the refusal, which has a part of its own."""
    refusal = view.state.landing.refused
    text = "" if refusal and refusal.detail == view.step.feedback else view.step.feedback
    lead = "This step is asked for again. Deal with this before anything else:"
    return headed(f"## The last attempt\n\n{lead}", _quotation(text, LIMITS["feedback"]))


def answers(view: View) -> str:
    """What a person has decided: it holds for every later step of the story."""
    entries = [f"{quoted(question)}\n\nAnswer: {said.strip()}" for question, said in view.state.dialogue.answers]
    lead = "Agents of this story have asked these questions, and a person has answered. Keep to the answers:"
    return headed(f"## Decided by a person\n\n{lead}", newest(entries, LIMITS["answers"], "questions"))


def told(view: View) -> str:
    entries = [quoted(text) for text in view.state.dialogue.messages if text.strip()]
    return headed("## Messages from the harness", newest(entries, LIMITS["told"], "messages"))


def refused(view: View) -> str:
    """Why the story could not land; half of the room is for the files, half for the rest."""
    refusal = view.state.landing.refused
    if refusal is None:
        return ""
    half = LIMITS["refused"] // 2
    return _joined(
        f"## Why this story could not land\n\n{_REFUSED[refusal.cause]}",
        foremost(_bullets(refusal.files), half, "files"),
        _quotation(refusal.detail, half),
    )


def remaining(view: View) -> str:
    """The steps that may still change, and what an insertion before this step would name."""
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
    channel = template("edit_tool") if view.given.tools else _file_channel(view.given.outbox)
    values = {
        "channel": channel,
        "types": ", ".join(name for name in CATALOGUE if name not in HARNESS_ONLY),
        "max_steps": str(MAX_STEPS),
        "max_restarts": str(MAX_RESTARTS),
    }
    return render(template("edit"), values)


def decisions(view: View) -> str:
    """The line that says where the story goes on."""
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


def _file_channel(outbox: str) -> str:
    return render(template("edit_file"), {"outbox": one_line(outbox)})


def _row(step: Step, own: Step) -> str:
    mark = " (this step)" if step.id == own.id else ""
    return f"- {one_line(step.id)} {one_line(step.plan.type)}, {step.status}{mark}: {one_line(step.plan.description)}"


def _position(steps: Sequence[Step], own: Step) -> int:
    """Where the step stands; the end, if it is not in the pipeline."""
    return next((place for place, step in enumerate(steps) if step.id == own.id), len(steps))


def _bullets(texts: Sequence[str]) -> list[str]:
    """A list item each; further lines are indented so that they belong to it."""
    return [f"- {text.strip().replace('\n', '\n  ')}" for text in texts]


def _quotation(text: str, limit: int) -> str:
    return shorten(quoted(text), limit, QUOTE) if text.strip() else ""


def headed(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}" if text else ""


def _joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
