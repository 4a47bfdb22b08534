"""`shiftwork workflow graph`: a workflow drawn, in the terminal or as SVG."""

from pathlib import Path

import click

from shiftwork.app.views.documents.commands.workflow_documents import WorkflowGraph, WorkflowNode, WorkflowRoute
from shiftwork.bootstrap.workflows import choose
from shiftwork.config.site import environment
from shiftwork.config.user import user_folder
from shiftwork.domain.workflow.workflow import StepPlan
from shiftwork.entrypoints.cli.env.repository import root_or_folder, usual_workflow
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.workflow.ascii import drawn


@click.command("graph", short_help="Draw a workflow.")
@click.argument("workflow", default="")
@click.option("--svg", "file", default="", metavar="FILE", help="Write an SVG instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the steps and routes as JSON.")
def command(workflow: str, *, file: str, as_json: bool) -> None:
    """Draw WORKFLOW, a name or a path: steps from top to bottom, and where decisions lead. Default: the workflow that a
    run uses here.
    """
    chosen = choose(workflow or usual_workflow(), root_or_folder(), user_folder(environment())).workflow
    if file:
        from shiftwork.entrypoints.cli.workflow.svg import svg  # noqa: PLC0415 - only an SVG needs it

        written(Path(file), svg(chosen))
    if as_json:
        say(WorkflowGraph(workflow=chosen.id, file=file, steps=_nodes(chosen.steps)))
    elif file:
        click.echo(f"wrote {file}")
    else:
        click.echo(plain(drawn(chosen)))


def _nodes(steps: tuple[StepPlan, ...]) -> list[WorkflowNode]:
    return [
        WorkflowNode(
            name=step.name,
            kind=step.kind,
            agent=step.agent,
            routes=[
                WorkflowRoute(value=route.value, to=route.target, back=route.back, adds=route.adds, rounds=route.rounds)
                for route in step.routes
            ],
            body=_nodes(step.body),
        )
        for step in steps
    ]
