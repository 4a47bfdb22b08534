"""The parts of a prompt that come from the user's workflow: the agent's persona and the step's own prompt.

A template is filled in a single pass: text from agents stays text, even if it looks like a template.
"""

from shiftwork.domain.core.first_error import without_logs
from shiftwork.domain.workflow.template_values import HAS_FRONTEND, values
from shiftwork.prompts import memory_parts, notebook
from shiftwork.prompts.lengths import LIMITS, OWN, QUOTE, foremost, one_line, quoted, shorten
from shiftwork.prompts.prompt_sections import (
    View,
    bullets,
    criteria,
    decisions,
    headed,
    joined,
    note_lists,
    particular,
    session,
    story,
)
from shiftwork.prompts.render import names, render
from shiftwork.prompts.templates import template


def persona(view: View) -> str:
    """The agent's persona files, if the workflow has any."""
    who = next((agent for agent in view.state.given.agents if agent.id == view.step.plan.agent), None)
    files = [f"## {one_line(name)}\n\n{text.strip()}" for name, text in who.persona] if who else []
    return shorten("\n\n".join(["# Who you are", *files]), LIMITS["persona"]) if files else ""


def context(view: View) -> str:
    """The values that the user named for the run, unless the step's own prompt places them. A value of several lines is
    quoted: no line of it can pass for a part of the prompt.
    """
    placed = names(view.step.plan.input)
    shown = ((key, value) for key, value in view.state.given.user_context if key not in placed)
    rows = [f"{key}:\n{quoted(value)}" if value.splitlines()[1:] else f"{key}: {value}" for key, value in shown]
    lead = "The user gave these values for all of this work:"
    return headed(f"## Context\n\n{lead}", foremost(bullets(rows), LIMITS["context"], "values"))


def task(view: View) -> str:
    """The step's own prompt; a name that has no value yet renders empty."""
    text = view.step.plan.input
    answered = tuple((key, shorten(value, OWN["value"])) for key, value in view.state.dialogue.context)
    known = {**memory_parts.values(view), **values(answered, _built_in(view))}
    filled = shorten(render(text, known, names(text)).strip(), OWN["input"], QUOTE)
    return joined(f"## This step: {one_line(view.step.plan.name)}", session(view), filled, particular(view))


def answer(view: View) -> str:
    step = view.step
    rules = [decisions(view)] if step.plan.decision_key else []
    if step.plan.output_keys:
        rules.append(
            one_line(f"- Only these keys are kept: {', '.join(key.upper() for key in step.plan.output_keys)}.")
        )
    expected = shorten(step.plan.expects.strip(), OWN["expects"])
    shown = {
        "expects": f"\nThe answer must contain:\n\n{expected}\n" if expected else "",
        "rules": "".join(f"{rule}\n" for rule in rules),
        "lists": note_lists(view),
    }
    return render(template("answer_own"), shown)


def _built_in(view: View) -> dict[str, str]:
    given, memory = view.state.given, view.given.memory
    landed = [f"- {note.by}: {one_line(note.title)}" for note in memory.progress.all]
    lead = notebook.progress_lead(given.run, view.given.feature, view.given.started_at)
    plain = {
        "task": given.task or given.story.description,
        "run_id": given.run,
        "repo": view.given.workspace,
        "branch": view.given.work_branch or view.given.branch,
        "current_story": "\n\n".join(part for part in (story(view), criteria(view)) if part),
        "current_story_id": given.story.id,
        "current_story_title": given.story.title,
        "completed_stories": foremost(landed, OWN["value"], "stories"),
        "stories_remaining": str(view.given.remaining),
        "verify_feedback": without_logs(view.step.feedback),
        "retry_feedback": without_logs(view.step.feedback),
        HAS_FRONTEND: str(view.given.frontend).lower(),
    }
    bounded = {name: shorten(text, OWN["value"]) for name, text in plain.items()}
    return bounded | {"progress": notebook.quoted_progress(lead, memory)}
