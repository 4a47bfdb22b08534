"""`shiftwork edit`: changes a story that is not in progress."""

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Criterion, Story, reworded
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.errors import UsageError
from shiftwork.records import replace


@click.command("edit", short_help="Change a story that is not in progress.")
@click.argument("story")
@click.option("--title", callback=spoken, help="The new title.")
@click.option("--description", callback=spoken, help="The new description.")
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    callback=spoken,
    metavar="TEXT",
    help="Replaces all criteria; may be repeated.",
)
@click.option("--depends-on", multiple=True, metavar="STORY", help="Replaces all dependencies; may be repeated.")
@click.option("--no-dependencies", is_flag=True, help="Remove all dependencies.")
@click.option("--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(story: str, *, run: str, as_json: bool, **changes: str | tuple[str, ...] | bool | None) -> int:
    """Change STORY, which must not have started, or must have failed.

    If the title and the description are the same, as in a story of one sentence, changing one changes both. A retry of
    a failed story uses the new text: from its first step, unless only dependencies were changed. Only the run is
    changed: the spec's own file stays as it is, and the output says so.
    """
    from shiftwork.app.commands.steering import story_of  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.intents import intend, report_edited  # noqa: PLC0415 - as above

    if not any(changes.values()):
        raise UsageError("nothing to change", hint="shiftwork edit --help lists what can be changed")

    def wanted(state: RunState) -> run_facts.StoryEdited:
        return run_facts.StoryEdited(at=0, story=_changed(story_of(state, StoryId(story)), changes))

    asked = intend(here(), run, wanted)
    return report_edited(asked, StoryId(story), as_json=as_json)


def _changed(story: Story, changes: dict[str, str | tuple[str, ...] | bool | None]) -> Story:
    message = reworded(story, title=_text(changes["title"]), description=_text(changes["description"]))
    criteria = tuple(
        Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(_texts(changes["criteria"]), start=1)
    )
    needs = tuple(map(StoryId, _texts(changes["depends_on"])))
    return replace(
        message,
        criteria=criteria or message.criteria,
        depends_on=() if changes["no_dependencies"] else needs or story.depends_on,
    )


def _text(given: object) -> str:
    return given if isinstance(given, str) else ""


def _texts(given: object) -> tuple[str, ...]:
    return given if isinstance(given, tuple) else ()
