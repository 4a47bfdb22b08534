"""Who plays a step: the profile that its workflow names or the run's own, and those that go on in its place."""

from shiftwork.app.runtime.context import World
from shiftwork.domain.agents.bandit import role_of
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import AgentPlan


def role(story: StoryState, step: Step) -> AgentPlan | None:
    """The agent of the workflow whose step this is, where it names one."""
    return next((agent for agent in story.given.agents if step.plan.agent and agent.id == step.plan.agent), None)


def picked_for(story: StoryState, step: Step) -> str:
    """The profile that was chosen for the step's role when the story was begun; empty where nothing was to choose."""
    wanted = role_of(step.plan.agent, story.given.agents)
    return next((pick.profile for pick in story.given.picks if pick.role == wanted), "")


def own(world: World, story: StoryState) -> str:
    """The run's own profile: what it was when the story began, unless the user has named another for the run since."""
    agent = world.conduct.agent
    return agent if agent in world.agents else story.given.agent


def chain(world: World, story: StoryState, step: Step) -> tuple[str, ...]:
    """The profiles that may play the step, in the order in which they are asked."""
    who = role(story, step)
    meant = step.profile or (who.profile if who else "") or picked_for(story, step)
    first = meant if meant in world.agents else own(world, story)
    return (first, *(other for other in world.conduct.fallbacks.get(first, ()) if other in world.agents))


def model(world: World, story: StoryState, step: Step) -> str:
    """The workflow's word goes before the profile's, and that before the run's; to another profile that goes on in
    place of the one that was meant, neither the workflow's nor the run's word is said.
    """
    who, conduct = role(story, step), world.conduct
    if step.profile or step.played_by != chain(world, story, step)[0]:
        return conduct.models.get(step.played_by, "")
    return who.model if who and who.model else conduct.models.get(step.played_by, conduct.model)
