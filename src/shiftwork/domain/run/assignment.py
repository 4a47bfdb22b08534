"""Builds the assignment of a story, or of the run's own steps, when the run starts it."""

from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.workflow.template_values import merged


def assignment(run: RunState, story: Story, position: int, slot: int = 0) -> Assignment:
    plan = run.given
    return Assignment(
        run=plan.run,
        story=story,
        position=position,
        requirements=plan.spec.requirements,
        branch=plan.branch,
        landing=plan.landing,
        agent=plan.agent,
        limits=plan.limits,
        raises=run.spending.raises,
        slot=slot,
        instructions=plan.spec.instructions,
        task=plan.spec.description or plan.spec.title,
        context=merged(merged(plan.workflow.context, plan.context), run.frame.context),
        user_context=plan.context,
        agents=plan.workflow.agents,
        notices=plan.notices,
        proof=plan.proof,
        source=plan.source,
        gates=plan.spec.gates,
        without_gates=plan.without_gates,
        review=plan.review,
        base=plan.base,
        non_goals=plan.spec.non_goals,
        spec_paths=plan.spec.paths,
    )
