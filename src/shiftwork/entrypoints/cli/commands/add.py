"""`shiftwork add`: adds a story to a run, finished or not."""

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import SentenceCommand, spoken
from shiftwork.entrypoints.cli.options.quiet import quietable


@click.command("add", cls=SentenceCommand, short_help="Add a story to a run.")
@click.argument("title", callback=spoken)
@click.option("--description", default="", callback=spoken, help="What to do, in full; default: the title.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    callback=spoken,
    metavar="TEXT",
    help="An acceptance criterion; may be repeated.",
)
@click.option("--after", multiple=True, metavar="STORY", help="A story that must land first; may be repeated.")
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@click.option("--trust", is_flag=True, help="Let the commands that the criteria name run on this machine.")
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(  # noqa: PLR0913 - each is an option
    title: str,
    *,
    description: str,
    criteria: tuple[str, ...],
    after: tuple[str, ...],
    run: str,
    trust: bool,
    as_json: bool,
) -> int:
    """Add a story called TITLE to a run. It gets the next free id and starts when the stories named by --after have
    landed; in a run that works on its stories in order, it comes last.

    A criterion that names a command, as in "`make test` passes", is a gate of the story; you are asked before it may
    run.

    If no process works on the run, it continues here, even if it was finished; otherwise that process gets the request.
    """
    from shiftwork.app.commands.steering import NewStory, new_story  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.intents import Start, announce, ensure_criteria, intend  # noqa: PLC0415 - as above

    needed = tuple(map(StoryId, after))
    new = NewStory(title=title, description=description, criteria=criteria, depends_on=needed)

    def wanted(state: RunState) -> run_facts.StoryAdded:
        return run_facts.StoryAdded(at=0, story=new_story(state, new))

    site = here()
    ensure_criteria(site, run, lambda state: new_story(state, new), trusted=trust)
    asked = intend(site, run, wanted, Start(as_json=as_json))
    name = getattr(asked.intent, "story").id  # noqa: B009 - what `wanted` has made
    if asked.view.worker:
        done = f"added {name} to run {asked.run}\nnext: shiftwork stories {asked.run}"
        return announce(asked, done, as_json=as_json, story=name)
    from shiftwork.entrypoints.cli.control import resume  # noqa: PLC0415 - heavy, and needed only here

    if not as_json:
        with though_undelivered():
            click.echo(f"added {name}")
    return resume.carry_on(site, asked.view, as_json=as_json)
