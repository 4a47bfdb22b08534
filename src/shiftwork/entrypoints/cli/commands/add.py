"""`shiftwork add`: one story more for a run, whether or not it is over."""

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.steering.intent_checks import next_story_id
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.entrypoints.cli.env.broken_pipe import though_unheard
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken


@click.command("add", cls=SentenceCommand, short_help="Add a story to a run.")
@click.argument("title", callback=spoken)
@click.option("--description", default="", callback=spoken, help="What is to be done, in full; else the title says it.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    callback=spoken,
    metavar="TEXT",
    help="What must hold then; may be repeated.",
)
@click.option("--after", multiple=True, metavar="STORY", help="A story that must land first; may be repeated.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(  # noqa: PLR0913 - each is an option
    title: str, *, description: str, criteria: tuple[str, ...], after: tuple[str, ...], run: str, as_json: bool
) -> int:
    """Add a story called TITLE to a run. It gets the next free id, and starts when all it comes after has landed.

    A run that nobody works on is carried on here, also one that was over; one that somebody works on is only asked.
    """
    from shiftwork.entrypoints.cli.control.intents import intend, tell  # noqa: PLC0415 - `--help` need not wait for it

    def wanted(state: RunState) -> run_facts.StoryAdded:
        told = criteria or (description or title,)
        story = Story(
            id=next_story_id(state.given.spec.stories),
            title=title,
            description=description or title,
            criteria=tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(told, start=1)),
            depends_on=tuple(map(StoryId, after)),
        )
        return run_facts.StoryAdded(at=0, story=story)

    site = here()
    asked = intend(site, run, wanted, carried_on=True)
    name = getattr(asked.intent, "story").id  # noqa: B009 - what `wanted` has made
    if asked.view.worker:
        done = f"{name} is part of run {asked.run}\nnext: shiftwork stories {asked.run}"
        return tell(asked, done, as_json=as_json, story=name)
    from shiftwork.entrypoints.cli.control import resume  # noqa: PLC0415 - heavy, and needed only here

    if not as_json:
        with though_unheard():
            click.echo(f"added {name}")
    return resume.carry_on(site, asked.view, as_json=as_json)
