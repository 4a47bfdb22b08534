"""What happened to a story, in sentences: edits, answers, refusals, repairs, changes to tests. Each is given how the
document writes the text of others.
"""

from collections.abc import Callable, Iterator

from shiftwork.app.views import amounts
from shiftwork.app.views.report.run_record import Answer
from shiftwork.app.views.report.safe_markdown import time
from shiftwork.app.views.text.failure_line import on_one_line
from shiftwork.app.views.text.people_words import answer_word, author, change
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.tampering.findings import Finding
from shiftwork.domain.usage.totals import one_attempt
from shiftwork.domain.workflow.edit_request import Edit

type Text = Callable[[str], str]


def edits(fact: Fact, text: Text) -> Iterator[str]:
    match fact:
        case story_facts.WorkflowEdited():
            for edit in fact.edits:
                yield f"{text(author(fact.by))}: {_edit(edit, text)}"
        case story_facts.WorkflowEditRejected():
            yield f"{text(author(fact.by))}: refused, {text(fact.reason)}"
        case _:
            pass


def _edit(edit: Edit, text: Text) -> str:
    new = "; ".join(text(part) for part in (*(step.description for step in edit.steps), edit.description) if part)
    return f"{text(change(edit))}{f' ({new})' if new else ''}: {text(edit.reason)}"


def answered(answer: Answer, text: Text) -> str:
    """Returns the question to a person, the answer and its time."""
    said = answer_word(answer.cause, granted=answer.granted)
    words = f": {text(answer.answer)}" if answer.answer else ": yes" if said == "answered" else ""
    return f"{time(answer.at)}: {said} ({answer.cause}: {text(answer.question)}){words}"


def refusals(fact: Fact, text: Text) -> Iterator[str]:
    match fact:
        case story_facts.LandingRefused() | story_facts.WorkRefused():
            yield f"{time(fact.at)}: {_refused(fact, text)}"
        case story_facts.RepairPlanned():
            yield f"{time(fact.at)}: {text(fact.type)} added to fix it"
        case story_facts.StoryReopened():
            because = f": {text(fact.because)}" if fact.because else ""
            start = "from scratch" if fact.from_scratch else "from the failed step"
            yield f"{time(fact.at)}: retried, {start}{because}"
        case story_facts.StepFailed() | story_facts.StepCancelled():
            message = f"attempt {fact.attempt} {fact.trouble}: {text(on_one_line(fact.error))}"
            yield f"{time(fact.at)}: {fact.step} {message}"
        case story_facts.StepInterrupted():
            why = "was restarted by a person" if fact.restarted else "was interrupted"
            kept = "; its changes are kept as a diff" if fact.diff else ""
            yield f"{time(fact.at)}: {fact.step} attempt {fact.attempt} {why}{kept}"
        case story_facts.StepDeferred():
            waited = f"waited until {time(fact.until)}" if fact.until > fact.at else "another profile continued"
            message = f"attempt {fact.attempt}: {text(fact.agent)} was at a limit, {waited}: {text(fact.reason)}"
            yield f"{time(fact.at)}: {fact.step} {message}"
        case story_facts.StepCutShort() | story_facts.SummaryMissed():
            yield f"{time(fact.at)}: {fact.step} attempt {fact.attempt} {_ended_early(fact)}"
        case _:
            pass


def _ended_early(fact: story_facts.StepCutShort | story_facts.SummaryMissed) -> str:
    if isinstance(fact, story_facts.SummaryMissed):
        return "gave no summary; its session was asked for it"
    return f"stopped at its cost limit: {amounts.cost(one_attempt(fact.usage))}"


def _refused(fact: story_facts.LandingRefused | story_facts.WorkRefused, text: Text) -> str:
    if isinstance(fact, story_facts.WorkRefused):
        return f"{fact.step} sent back ({fact.cause}): {text(fact.detail)}"
    if fact.unapproved:
        return f"gates passed, {text(fact.detail or 'it needs your approval')}"
    files = f" in {', '.join(map(text, fact.files))}" if fact.files else ""
    # The output of gates is listed under "Gates".
    detail = fact.detail.partition(":\n")[0] if fact.cause is Refusal.GATES else fact.detail
    return f"landing refused ({fact.cause}){files}: {text(detail)}"


def finding(found: Finding, text: Text) -> str:
    many = f"{found.count} " if found.count > 1 else ""
    line = f" ({text(found.line)})" if found.line else ""
    return f"{many}{found.kind}: {text(found.path)}{line}"
