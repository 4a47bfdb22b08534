"""What the user must agree to before a workflow of a repository is used: its commands, the address that it posts to,
the files that agents receive, its steps and decisions, and which workflow it replaces.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from shiftwork.adapters.workflows.loading import Loaded
from shiftwork.adapters.workflows.lookup import Found, Origin, find_all
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.domain.workflow.workflow import WORKFLOWS, Route, StepKind, StepPlan, Workflow
from shiftwork.planning.workflow_checks import all_steps


def claim_of(found: Found, loaded: Loaded, root: Path, replaced: str = "") -> Claim | None:
    """None for workflows in the user's own folder or installed by the user: these are already trusted. For a file in
    the repository the claim includes the steps, so that the user is asked again if an approval, a review or a gate was
    removed.
    """
    if found.origin in {Origin.USER, Origin.PACKAGE}:
        return None
    runs = (Command(where=f"run.{gate.name}", text=gate.command) for gate in loaded.commands)
    inside = found.path.absolute().is_relative_to(root) or found.path.resolve().is_relative_to(root.resolve())
    posts = (Command(where="notifications.url", text=f"POST {url}"),) if (url := loaded.workflow.notify_url) else ()
    said = _said(loaded.workflow, replaced) if inside else ()
    sent = (Command(where="workspace.files", text=f"agents receive {file}") for file in loaded.files if inside)
    return Claim(file=found.path, commands=(*runs, *posts, *sent, *said))


def replaced_by(found: Found, root: Path, user: Path) -> str:
    """The workflow of the same name that a file of the repository replaces; empty if there is none."""
    if found.origin is not Origin.REPOSITORY:
        return ""
    others = {finding.origin for finding in find_all(root, user) if finding.name == found.name}
    if Origin.USER in others:
        return f"your own workflow {found.name}"
    inside = Origin.PACKAGE in others or found.name in WORKFLOWS
    return f"the built-in workflow {found.name}" if inside else ""


def _said(workflow: Workflow, replaced: str) -> Iterator[Command]:
    if replaced:
        yield Command(where="replaces", text=replaced, runs=False)
    yield Command(where="steps", text=_in_order(workflow.steps), runs=False)
    yield from _decisions(workflow)
    for agent in workflow.agents:
        if agent.profile:
            yield Command(where=f"agent.{agent.id}", text=f"profile {agent.profile}", runs=False)


def _in_order(steps: Sequence[StepPlan]) -> str:
    return ", then ".join(map(_named, steps))


def _named(step: StepPlan) -> str:
    if step.kind is StepKind.LOOP:
        return f"{step.name} (for each story: {_in_order(step.body)})"
    kind = step.type if step.kind is StepKind.AGENT else step.kind
    about = [*([] if kind == step.name else [str(kind)]), *([f"by {step.agent}"] if step.agent else [])]
    return f"{step.name} ({' '.join(about)})" if about else step.name


def _decisions(workflow: Workflow) -> Iterator[Command]:
    for step in all_steps(workflow):
        if step.routes:
            leads = (f"{route.value}: {_lead(route)}" for route in step.routes)
            yield Command(where=f"decision.{step.name}", text=", ".join(leads), runs=False)


def _lead(route: Route) -> str:
    rounds = f" for at most {route.rounds} rounds" if route.rounds else ""
    return f"{'back to ' if route.back else ''}{route.target or 'on'}{rounds}"
