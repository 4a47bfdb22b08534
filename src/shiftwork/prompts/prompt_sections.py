"""The parts of a prompt. Each is a function of the same view; an empty part is left out."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.first_error import without_logs
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Memory
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.guardrails import HARNESS_ONLY, MAX_RESTARTS, MAX_STEPS
from shiftwork.domain.workflow.pipeline import FINISHED, Step, StepStatus
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.template_values import MEMORY
from shiftwork.prompts.lengths import LIMITS, QUOTE, foremost, newest, one_line, quoted, shorten
from shiftwork.prompts.render import names, render
from shiftwork.prompts.templates import instructions, template
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the application knows about an attempt, but the story's history does not.

    `tools` says that the MCP tools are offered; `output_folder` is the path of the edit-request file if not.
    With neither, the prompt does not mention editing. `workspace` is the path as the agent sees it, and
    `work_branch` the branch that is checked out there; the work lands on `branch`. `project` and
    `feature` are the names of the repository and of the run's spec, `memory` is the memory of the run, which
    `started_at` that time, and `remaining` the number of its other unfinished stories. `frontend` says that the work
    changes a user interface; it is only looked up for prompts that say so.
    """

    gates: tuple[Gate, ...] = ()
    tools: bool = False
    output_folder: str = ""
    attempt: int = 1
    branch: str = ""
    work_branch: str = ""
    workspace: str = ""
    project: str = ""
    feature: str = ""
    started_at: float = 0.0
    memory: Memory = Memory()
    remaining: int = 0
    frontend: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The input of every part of the prompt."""

    state: StoryState
    step: Step
    given: Surroundings

    @property
    def placed(self) -> frozenset[str]:
        """The parts that the step's own prompt places itself; a key of the workflow with the same name is no part."""
        return names(self.step.plan.input).difference(MEMORY & dict(self.state.dialogue.context).keys())

    @property
    def edits(self) -> bool:
        """Whether the step is offered to edit steps: some must be left, or it is the last, which may insert others. A
        step that sizes the story has no need to.
        """
        offered = (self.given.tools or self.given.output_folder != "") and not self.step.plan.sizes
        left = any(step.status is StepStatus.PENDING for step in self.state.pipeline.steps if step.id != self.step.id)
        return offered and self.step.may_edit and (left or self.step.last)

    @property
    def proves(self) -> bool:
        """Whether the step can give evidence; types that are not in the catalogue can."""
        row = CATALOGUE.get(self.step.plan.type)
        return row is None or row.proves


_REFUSED: Final = {
    Refusal.CONFLICT: "The story's changes conflict with what has landed since. Files in conflict:",
    Refusal.GATES: "The harness ran the checks on the story's changes on top of the current base, and they failed:",
    Refusal.EMPTY: "The story's changes, on top of the current base, amount to no change at all.",
    Refusal.APPROVAL: "A person has looked at the story's changes, and has not approved them:",
    Refusal.DEPENDENCIES: "What the story's changes depend on cannot be installed here:",
    Refusal.LEFT_OUT: "The story's changes are files that would later run on the user's machine without approval:",
    Refusal.RESERVED: "The story's changes touch files that belong to git or shiftwork. Remove these from the changes:",
    Refusal.EVIDENCE: "The gates pass, but there is no evidence that the acceptance criteria hold.",
    Refusal.MESSAGE: "A person must word the commit message of the story:",
}

_AS_ASKED: Final = "what the story asks for"
_EDIT: Final = "edit"


def house(view: View) -> str:
    """The rules, and what is the same for all steps of a story."""
    given = view.given
    names = (("Project", given.project), ("Feature", given.feature))
    known = [
        *(f"- {label}: {one_line(name)}" for label, name in names if name.strip()),
        f"- Folder: {one_line(given.workspace) or 'the current one'}",
        f"- Branch that the work will land on: {one_line(given.branch) or 'not known'}",
    ]
    return render(template("house"), {"facts": "\n".join(known)})


def story(view: View) -> str:
    asked = view.state.given.story
    described = asked.description.strip()
    wanted = foremost(bullets(view.state.given.requirements), LIMITS["requirements"], "requirements")
    excluded = foremost(bullets(view.state.given.non_goals), LIMITS["non_goals"], "non-goals")
    return joined(
        f"## Story {one_line(asked.id)}: {one_line(asked.title)}",
        shorten(described, LIMITS["story"]) if described != asked.title else "",
        _whole_work(view),
        f"Requirements that hold for all of this work:\n\n{wanted}" if wanted else "",
        f"Not part of this work, so leave it out:\n\n{excluded}" if excluded else "",
        shorten(view.state.given.instructions.strip(), LIMITS["instructions"]),
    )


def _whole_work(view: View) -> str:
    """What the spec says about all of its stories, unless it is the story itself."""
    asked, whole = view.state.given.story, view.state.given.task.strip()
    known = {"", view.given.feature.strip(), asked.title.strip(), asked.description.strip()}
    if whole in known:
        return ""
    return f"The whole work, of which this story is a part:\n\n{quoted(shorten(whole, LIMITS['task']))}"


def criteria(view: View) -> str:
    """A criterion that only repeats the story refers to it: a one-sentence request is both."""
    asked = view.state.given.story
    repeated = {asked.title.strip(), asked.description.strip()}
    texts = [_AS_ASKED if criterion.text.strip() in repeated else criterion.text for criterion in asked.criteria]
    rows = bullets([f"{criterion.id}: {text}" for criterion, text in zip(asked.criteria, texts, strict=True)])
    return headed("## Acceptance criteria", foremost(rows, LIMITS["criteria"], "criteria"))


def this_step(view: View) -> str:
    plan = view.step.plan
    done = {step.plan.type for step in view.state.pipeline.steps if step.status is StepStatus.COMPLETED}
    return joined(
        f"## This step: {one_line(plan.name)}",
        session(view),
        instructions(plan, (done & CATALOGUE.keys()) | ({_EDIT} if view.edits else set())),
        particular(view),
    )


def session(view: View) -> str:
    step = view.step
    return (
        f"- Step: {one_line(step.id)} ({one_line(step.plan.type)}), attempt {view.given.attempt}\n"
        f"- Time: {step.plan.minutes:g} minutes, then you are stopped and your changes are undone"
    )


def particular(view: View) -> str:
    """What this step is asked beyond its type; empty if that is only what the catalogue says of the type."""
    plan = view.step.plan
    asked = plan.description.strip()
    if not asked or asked == _catalogue_text(plan.type):
        return ""
    return f"Asked of this step in particular:\n\n{shorten(asked, LIMITS['step'])}"


def feedback(view: View) -> str:
    """Why the step runs again. Empty if the reason is a refusal, because `refused` shows that."""
    refusal = view.state.landing.refused
    said = without_logs(view.step.feedback)
    text = "" if refusal and refusal.text.for_agents == said else said
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
    return joined(
        f"## Why this story could not land\n\n{_REFUSED[refusal.cause]}",
        foremost(bullets(refusal.files), half, "files"),
        _quotation(refusal.text.for_agents, half),
    )


def remaining(view: View) -> str:
    """The steps that may still change, and the step to name in order to insert steps before this one."""
    steps = view.state.pipeline.steps
    rows = [_row(step, view.step) for step in steps if step.status not in FINISHED]
    before = [step.id for step in steps[: _position(steps, view.step)]]
    return joined(
        "## Remaining steps",
        foremost(rows, LIMITS["remaining"], "steps"),
        f"The step before yours is {one_line(before[-1])}." if before else "",
    )


def tools(view: View) -> str:
    rows = [template("tool_note"), template("tool_ask")] if view.given.tools else []
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
    values = {
        "keys": f"{lines}\n" if lines else "",
        "lists": note_lists(view),
    }
    return render(template("answer"), values)


def note_lists(view: View) -> str:
    """How an agent without tools leaves notes."""
    return "" if view.given.tools else f"\n\n{template('answer_notes')}"


def _file_channel(output_folder: str) -> str:
    return render(template("edit_file"), {"outputs": one_line(output_folder)})


def _row(step: Step, own: Step) -> str:
    mark = " (this step)" if step.id == own.id else ""
    plan = step.plan
    text = "" if plan.description == _catalogue_text(plan.type) else f": {one_line(plan.description)}"
    return f"- {one_line(step.id)} {one_line(plan.type)}, {step.status}{mark}{text}"


def _catalogue_text(step_type: str) -> str:
    row = CATALOGUE.get(step_type)
    return row.description if row else ""


def _position(steps: Sequence[Step], own: Step) -> int:
    """The index of the step; the end if it is not in the pipeline."""
    return next((place for place, step in enumerate(steps) if step.id == own.id), len(steps))


def bullets(texts: Sequence[str]) -> list[str]:
    """Formats each text as a list item; further lines are indented so that they belong to it."""
    return [f"- {text.strip().replace('\n', '\n  ')}" for text in texts]


def _quotation(text: str, limit: int) -> str:
    return shorten(quoted(text), limit, QUOTE) if text.strip() else ""


def headed(heading: str, text: str) -> str:
    return f"{heading}\n\n{text}" if text else ""


def joined(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)
