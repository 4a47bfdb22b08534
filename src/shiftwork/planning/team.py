"""Teams: agents that pass one story around in rounds. Expands a step with a `team` into one step for each of them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from shiftwork.domain.story.routing import DONE, RETRY, STATUS
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import Route, StepPlan
from shiftwork.prompts.answer.problem import did_you_mean, shown
from shiftwork.prompts.templates import CUSTOM, selected
from shiftwork.records import replace

SMALLEST_TEAM: Final = 2
LARGEST_TEAM: Final = 8
USUAL_ROUNDS: Final = 5

TEAM_ROLES: Final[Mapping[str, str]] = {
    "planner": "analysis",
    "architect": "analysis",
    "coder": "coding",
    "refactorer": "coding",
    "documenter": "coding",
    "security": "scanning",
    "reviewer": "verification",
    "tester": "testing",
}
"""The members of a team that a workflow need not list as agents, and the roles of these agents."""

_HANDOFF: Final = "handoff"
_VERDICT: Final = "verdict"


def mistakes(team: Sequence[str], agents: Collection[str], taken: Collection[str]) -> tuple[str, ...]:
    """What is wrong with a team: its size, an unknown member, or a name that another step has."""
    known = [*agents, *(role for role in TEAM_ROLES if role not in agents)]
    found = []
    if not SMALLEST_TEAM <= len(team) <= LARGEST_TEAM:
        example = "write for example team: [coder, reviewer]"
        found.append(f"a team has {SMALLEST_TEAM} to {LARGEST_TEAM} members, not {len(team)}; {example}")
    for place, member in enumerate(team):
        if member not in known:
            guess = did_you_mean(member, known) or f"; it can be {', '.join(known)}"
            found.append(f"{shown(member)} cannot be in a team{guess}")
        elif member in team[:place]:
            found.append(f"{shown(member)} is in the team twice; list a second agent with another id under agents")
        elif member in taken:
            found.append(f"another step has the id {shown(member)}; give that step another id")
    return tuple(found)


def turns(step: StepPlan, team: Sequence[str], rounds: int, judges: Collection[str]) -> tuple[StepPlan, ...]:
    """The steps of a team, in its order. The last decides whether another round is needed; `judges` may also end the
    rounds, and pass on work that they do not accept.
    """
    made = [_turn(step, member, team, judges) for member in team]
    if team[0] != team[-1]:
        made[-1] = replace(
            made[-1],
            output_keys=(_HANDOFF, _VERDICT),
            decision_key=_VERDICT,
            default=RETRY,
            routes=(Route(value=DONE), Route(value=RETRY, target=team[0], back=True, rounds=rounds)),
        )
    return tuple(made)


def _turn(step: StepPlan, member: str, team: Sequence[str], judges: Collection[str]) -> StepPlan:
    condition = "closes" if member == team[-1] else "judges" if member in judges else ""
    text = selected("turn", {condition}).replace("{{role}}", member).replace("{{team}}", ", ".join(team))
    made = replace(
        step,
        name=member,
        type=CUSTOM if member in CATALOGUE else member,
        agent=member,
        input=text.strip(),
        output_keys=(_HANDOFF,),
        shared_keys=(_HANDOFF,),
        completes=member in judges,
    )
    if condition != "judges":
        return made
    return replace(made, decision_key=STATUS, default=DONE, routes=(Route(value=DONE), Route(value=RETRY)))
