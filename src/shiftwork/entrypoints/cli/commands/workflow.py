"""`shiftwork workflow`: the commands about workflows, each imported when it is called."""

import click

from shiftwork.entrypoints.cli.group import LazyGroup
from shiftwork.entrypoints.cli.registry import WORKFLOW_COMMANDS


@click.group(
    "workflow",
    cls=LazyGroup,
    groups={"Commands": WORKFLOW_COMMANDS},
    short_help="List, show, check, draw and write them.",
)
def command() -> None:
    """List, show, check, draw and write workflows: files that define the steps of the work.

    Workflows are in the repository (shiftwork/workflows, and antfarm's workflows/ID/workflow.yml), in your own
    configuration folder, and in the package; of two with the same name, the first in this order is used.
    """
