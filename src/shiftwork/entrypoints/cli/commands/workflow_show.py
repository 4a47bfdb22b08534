"""`shiftwork workflow show`: a workflow as a table or as YAML."""

from collections.abc import Iterator, Sequence

import click

from shiftwork.app.views.documents.commands.workflow_documents import WorkflowDefinition
from shiftwork.bootstrap.workflows import Choice, choose, spelt_out, spelt_out_document
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.domain.workflow.workflow import Exhausted, StepPlan
from shiftwork.entrypoints.cli.env.repository import root_or_folder, usual_workflow
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.workflow.ascii import routes, step_summary


@click.command("show", short_help="Show a workflow.")
@click.argument("workflow", default="")
@click.option("--expanded", is_flag=True, help="Print the full meaning as YAML, with every short form expanded.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(workflow: str, *, expanded: bool, as_json: bool) -> None:
    """Show WORKFLOW, a name or a path: its agents, its steps, and where decisions lead. Default: the workflow that a
    run uses here.
    """
    chosen = choose(workflow or usual_workflow(), root_or_folder(), user_folder(environment()))
    if as_json:
        path = str(chosen.path) if chosen.path else ""
        definition = spelt_out_document(chosen.workflow)
        say(WorkflowDefinition(workflow=chosen.workflow.id, origin=chosen.origin, path=path, definition=definition))
    elif expanded:
        click.echo(plain(spelt_out(chosen.workflow)), nl=False)
    else:
        click.echo(plain("\n".join(_lines(chosen))))


def _lines(chosen: Choice) -> Iterator[str]:
    workflow = chosen.workflow
    yield f"{workflow.name or workflow.id} (version {workflow.version})"
    if workflow.description:
        yield workflow.description
    yield phrases.facts(
        [
            ("from", f"{chosen.origin} {chosen.path or ''}".strip()),
            ("stories at once", str(workflow.parallel or "")),
            ("agents", ", ".join(f"{agent.id} ({agent.role or 'any role'})" for agent in workflow.agents)),
        ]
    )
    yield "\nsteps:"
    yield from _steps(workflow.steps, "  ")


def _steps(steps: Sequence[StepPlan], indent: str) -> Iterator[str]:
    room = max((len(step.name) for step in steps), default=0)
    for step in steps:
        limits = f"{step.minutes:g} min, {_retries(step)}" if not step.body else _retries(step)
        yield f"{indent}{step.name:<{room}}  {step_summary(step):<22}  {limits}"
        for said in routes(step):
            yield f"{indent}{'':<{room}}  {said}"
        yield from _steps(step.body, f"{indent}    ")


def _retries(step: StepPlan) -> str:
    after = ", then a person is asked" if step.exhausted is Exhausted.ASK else ""
    return f"{step.max_retries} retr{'y' if step.max_retries == 1 else 'ies'}{after}"
