"""`shiftwork reorder`: says which stories start first."""

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env.repository import here


@click.command("reorder", short_help="Say which stories start first.")
@click.argument("stories", nargs=-1, required=True, metavar="STORY...")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(stories: tuple[str, ...], *, run: str, as_json: bool) -> int:
    """Let these stories start before all others, in this order, as soon as what they depend on has landed.

    Any earlier order is forgotten. What has been begun goes on.
    """
    from shiftwork.entrypoints.cli.control.intents import intend, tell  # noqa: PLC0415 - `--help` need not wait for it

    asked = intend(here(), run, lambda _: run_facts.StoriesReordered(at=0, stories=tuple(map(StoryId, stories))))
    return tell(asked, f"first come {', '.join(stories)}", as_json=as_json)
