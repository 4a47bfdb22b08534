"""`shiftwork reorder`: says which stories start first."""

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here


@click.command("reorder", short_help="Choose which stories start first.")
@click.argument("stories", nargs=-1, required=True, metavar="STORY...")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(stories: tuple[str, ...], *, run: str, as_json: bool) -> int:
    """Start these stories before all others, in this order, as soon as their dependencies have landed.

    This replaces any earlier order. Stories in progress continue.
    """
    from shiftwork.entrypoints.cli.control.intents import announce, intend  # noqa: PLC0415 - `--help` need not wait for it

    asked = intend(here(), run, lambda _: run_facts.StoriesReordered(at=0, stories=tuple(map(StoryId, stories))))
    return announce(asked, f"starting first: {', '.join(stories)}", as_json=as_json)
