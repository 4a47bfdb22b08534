"""The facts that end an attempt with its work kept."""

from shiftwork.app.attempt.attempt import Attempt
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.agent import AgentReport
from shiftwork.prompts.answer import result


def yielded(attempt: Attempt, report: AgentReport, commit: Commit, diff: str) -> Fact:
    return story_facts.StepYielded(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        usage=report.usage,
        diff=diff,
    )


def completed(attempt: Attempt, report: AgentReport, came_to: result.Result, commit: Commit) -> Fact:
    return story_facts.StepCompleted(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        notes=came_to.notes,
        outputs=came_to.outputs,
        usage=report.usage,
        decision=came_to.decision,
        verdict=came_to.verdict,
    )


def unsummarised(attempt: Attempt, report: AgentReport, came_to: result.Result, commit: Commit) -> Fact:
    return story_facts.SummaryMissed(
        at=attempt.now,
        step=attempt.step.id,
        attempt=attempt.number,
        commit=commit,
        outputs=came_to.outputs,
        usage=report.usage,
        session=report.session,
        home=str(attempt.attempt_folder.home),
        note=came_to.notes,
        decision=came_to.decision,
        verdict=came_to.verdict,
    )
