"""`shiftwork edit`: changes a story that is not in progress."""

from typing import Any

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Story
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.free_text import spoken
from shiftwork.errors import UsageError


@click.command("edit", short_help="Change a story that is not in progress.")
@click.argument("story", type=id_completion.STORY)
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
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@click.option("--trust", is_flag=True, help="Let the commands that the criteria name run on this machine.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(story: str, *, run: str, trust: bool, as_json: bool, **changes: str | tuple[str, ...] | bool | None) -> int:
    """Change STORY, which must not have started, or must have failed.

    If the title and the description are the same, as in a story of one sentence, changing one changes both. A retry of
    a failed story uses the new text: from its first step, unless only dependencies were changed. Only the run is
    changed: the spec's own file stays as it is, and the output says so.

    A criterion that names a command, as in "`make test` passes", is a gate of the story: --criterion replaces these
    gates, and asks before a new command may run.
    """
    from shiftwork.app.commands.steering import StoryChange, changed_story, story_of  # noqa: PLC0415 - `--help` need not wait for it
    from shiftwork.entrypoints.cli.control.intents import ensure_criteria, intend, report_edited  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.which_run import check_story_run  # noqa: PLC0415 - as above

    if not any(changes.values()):
        raise UsageError("nothing to change", hint="shiftwork edit --help lists what can be changed")

    change = StoryChange(**_change(changes))

    def changed(state: RunState) -> Story:
        return changed_story(story_of(state, StoryId(story)), change)

    def wanted(state: RunState) -> run_facts.StoryEdited:
        return run_facts.StoryEdited(at=0, story=changed(state))

    site = here()
    if not run:
        check_story_run(site, story, f"shiftwork edit {story} … --run {{run}}")
    ensure_criteria(site, run, changed, trusted=trust)
    asked = intend(site, run, wanted)
    return report_edited(asked, StoryId(story), as_json=as_json)


def _change(changes: dict[str, str | tuple[str, ...] | bool | None]) -> dict[str, Any]:
    needs = tuple(map(StoryId, _texts(changes["depends_on"])))
    return {
        "title": _text(changes["title"]),
        "description": _text(changes["description"]),
        "criteria": _texts(changes["criteria"]),
        "depends_on": () if changes["no_dependencies"] else needs or None,
    }


def _text(given: object) -> str:
    return given if isinstance(given, str) else ""


def _texts(given: object) -> tuple[str, ...]:
    return given if isinstance(given, tuple) else ()
