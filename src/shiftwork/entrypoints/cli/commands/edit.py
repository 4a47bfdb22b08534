"""`shiftwork edit`: changes what is asked of a story that nobody works on."""

from dataclasses import replace

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Criterion, Story, reworded
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.errors import IntentError, UsageError


@click.command("edit", short_help="Change what is asked of a story that nobody works on.")
@click.argument("story")
@click.option("--title", callback=spoken, help="Another title.")
@click.option("--description", callback=spoken, help="Another description.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    callback=spoken,
    metavar="TEXT",
    help="Replaces all criteria; may be repeated.",
)
@click.option("--depends-on", multiple=True, metavar="STORY", help="Replaces all dependencies; may be repeated.")
@click.option("--no-dependencies", is_flag=True, help="It is to depend on nothing.")
@click.option("--run", default="", metavar="RUN", help="The run, by its id or the beginning of it; else the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(story: str, *, run: str, as_json: bool, **changes: str | tuple[str, ...] | bool | None) -> int:
    """Change what is asked of STORY, which nobody has begun or which has failed.

    What only repeats the old title or description, as in a story of one sentence, changes with it. One that failed is
    done as it then reads when it is retried: from its first step, unless only dependencies were changed. The run alone
    is changed: the spec's own file is left as it is, and what is printed says so.
    """
    from shiftwork.entrypoints.cli.control.intents import intend, tell_edited  # noqa: PLC0415 - `--help` need not wait for it

    if not any(changes.values()):
        raise UsageError("nothing is to be changed", hint="shiftwork edit --help lists what can be")

    def wanted(state: RunState) -> run_facts.StoryEdited:
        if StoryId(story) not in state.stories:
            told = f"there is no story {story} in the run{guess(story, state.stories)}"
            raise IntentError(told, hint=f"shiftwork stories {state.given.run}")
        return run_facts.StoryEdited(at=0, story=_changed(state.asked(StoryId(story)), changes))

    asked = intend(here(), run, wanted)
    return tell_edited(asked, StoryId(story), as_json=as_json)


def _changed(story: Story, changes: dict[str, str | tuple[str, ...] | bool | None]) -> Story:
    told = reworded(story, title=_text(changes["title"]), description=_text(changes["description"]))
    criteria = tuple(
        Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(_texts(changes["criteria"]), start=1)
    )
    needs = tuple(map(StoryId, _texts(changes["depends_on"])))
    return replace(
        told,
        criteria=criteria or told.criteria,
        depends_on=() if changes["no_dependencies"] else needs or story.depends_on,
    )


def _text(given: object) -> str:
    return given if isinstance(given, str) else ""


def _texts(given: object) -> tuple[str, ...]:
    return given if isinstance(given, tuple) else ()
