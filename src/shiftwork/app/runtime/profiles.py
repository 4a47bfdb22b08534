"""The profile assigned to a step: from its workflow or the run's own, and the profiles that may take over."""

from shiftwork.app.runtime.context import Context
from shiftwork.domain.agents.bandit import role_of
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import AgentPlan


def role(story: StoryState, step: Step) -> AgentPlan | None:
    """The agent that the workflow names for this step, if any."""
    return next((agent for agent in story.given.agents if step.plan.agent and agent.id == step.plan.agent), None)


def picked_for(story: StoryState, step: Step) -> str:
    """The profile that was chosen for the step's role when the story started; empty if there was no choice."""
    wanted = role_of(step.plan.agent, story.given.agents)
    return next((pick.profile for pick in story.given.picks if pick.role == wanted), "")


def own(context: Context, story: StoryState) -> str:
    """The run's own profile: as of the start of the story, unless the user has named another for the run since."""
    agent = context.work_policy.agent
    return agent if agent in context.agents else story.given.agent


def chain(context: Context, story: StoryState, step: Step) -> tuple[str, ...]:
    """The profiles that may do the step, in the order in which they are tried."""
    who = role(story, step)
    meant = step.profile or (who.profile if who else "") or picked_for(story, step)
    first = meant if meant in context.agents else own(context, story)
    return (first, *(other for other in context.work_policy.fallbacks.get(first, ()) if other in context.agents))


def model(context: Context, story: StoryState, step: Step) -> str:
    """The workflow's model comes before the profile's, and that before the run's. A profile that has taken over from
    the intended profile uses neither the workflow's nor the run's model.
    """
    who, work_policy = role(story, step), context.work_policy
    if step.profile or step.assigned_profile != chain(context, story, step)[0]:
        return work_policy.models.get(step.assigned_profile, "")
    return who.model if who and who.model else work_policy.models.get(step.assigned_profile, work_policy.model)
