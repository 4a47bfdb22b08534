"""`shiftwork undo`: reverts what a story has landed; the revert must pass the gates."""

from typing import Final

import click

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.errors import EXIT_DONE, EXIT_FAILED

_PATIENCE_SECONDS: Final = 3600.0


@click.command("undo", short_help="Revert what a story has landed.")
@click.argument("story")
@click.option("--run", default="", metavar="RUN", help="Run id, or its first characters; default: the newest run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(story: str, *, run: str, as_json: bool) -> int:
    """Revert what STORY has landed: the revert goes through the landing queue and lands only if the gates pass on it.

    The story is then undone in all views and in the spec's file, and `shiftwork retry STORY --from-scratch` repeats it.
    Stories that depend on it must be undone first if they have landed, and cancelled first if they are in progress. An
    interrupted undo is pending: `shiftwork status` shows it, `shiftwork resume` completes it, and `shiftwork cancel
    --story STORY` withdraws it.
    """
    from shiftwork.app.commands.intents import undo_came_to  # noqa: PLC0415 - `--help` need not wait for all that
    from shiftwork.app.commands.steering import unchecked  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control import resume  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.intents import intend, looked_into  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.render import next_steps, phrases  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.work.foreground import carry, chosen_view  # noqa: PLC0415 - as above

    site, wanted = here(), StoryId(story)
    asked = intend(site, run, lambda _: run_facts.StoryUndoRequested(at=0, story=wanted), carried_on=True)
    patience = _PATIENCE_SECONDS
    if asked.view.worker is None:
        shift = resume.going_on(site, asked.view, as_json=as_json)
        carry(shift, chosen_view(resume.titled(asked.view, shift.settings.agent.use), as_json=as_json))
        patience = 0.0
    fate = looked_into(site, lambda box: undo_came_to(box.events, asked.run, wanted, asked.version, patience))
    undone = isinstance(fate, run_facts.StoryUndone)
    reason = fate.reason if isinstance(fate, run_facts.UndoRefused) else "" if undone else "the undo is pending"
    if as_json:
        gates = fate.gates if isinstance(fate, run_facts.StoryUndone) else ""
        document = {
            "run": asked.run,
            "story": story,
            "undone": undone,
            "pending": fate is None,
            "reason": reason,
            "gates": gates,
        }
        say({"event": "result", **document})
    elif isinstance(fate, run_facts.StoryUndone):
        passed = "landed without any gate" if unchecked(fate) else f"passed {fate.gates}"
        again = f"shiftwork retry {story} --from-scratch{next_steps.naming(asked.view)}"
        click.echo(f"{story} is undone: the revert {passed}\nnext: {again}")
    elif fate:
        click.echo(f"{story} stays landed: {reason}\nnext: shiftwork status {asked.run}")
    else:
        steps = next_steps.undoing(asked.view, story)
        click.echo("\n".join((f"the undo of {story} is pending: its revert has not landed", *phrases.following(steps))))
    return EXIT_DONE if undone else EXIT_FAILED
