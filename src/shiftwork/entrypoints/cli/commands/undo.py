"""`shiftwork undo`: reverts what a story has landed; the revert must pass the gates."""

from typing import Final

import click

from shiftwork.app.views.run_views import RunView
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.quiet import quietable
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import EXIT_DONE, EXIT_FAILED

_PATIENCE_SECONDS: Final = 3600.0


@click.command("undo", short_help="Revert what a story has landed.")
@click.argument("story", default="", type=id_completion.STORY)
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run, if no other has landed STORY.",
)
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines of progress; the last line is the result.")
def command(story: str, *, run: str, as_json: bool) -> int:
    """Revert what STORY has landed: the revert goes through the landing queue and lands only if the gates pass on it.

    The story is then undone in all views and in the spec's file, and `shiftwork retry STORY --from-scratch` repeats it.
    Stories that depend on it must be undone first if they have landed, and cancelled first if they are in progress. An
    interrupted undo is pending: `shiftwork status` shows it, `shiftwork resume` completes it, and `shiftwork cancel
    --story STORY` withdraws it. If several runs have landed a STORY of this id, you are asked which one is meant, and
    without a terminal --run must name it. Without STORY, it is the only story that can be undone.
    """
    from shiftwork.app.commands.intents import undo_came_to  # noqa: PLC0415 - `--help` need not wait for all that
    from shiftwork.app.commands.steering import unchecked  # noqa: PLC0415 - as above
    from shiftwork.app.views.documents.commands.request_documents import Undo  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control import resume  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.control.intents import Start, intend, looked_into  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.render import next_steps, phrases  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above
    from shiftwork.entrypoints.cli.work.foreground import carry, chosen_view  # noqa: PLC0415 - as above

    site = here()
    run, story = _meant(site, run, story)
    wanted = StoryId(story)
    start = Start(judged=False)  # a revert may be what makes the branch green
    asked = intend(site, run, lambda _: run_facts.StoryUndoRequested(at=0, story=wanted), start)
    patience = _PATIENCE_SECONDS
    if asked.view.worker is None and not resume.left_to_server(site, asked.view):
        shift = resume.continuing(site, asked.view, resume.Before(judged=False), as_json=as_json).shift
        carry(shift, chosen_view(resume.titled(asked.view, shift.settings.agent.use), as_json=as_json))
        patience = 0.0
    fate = looked_into(site, lambda box: undo_came_to(box.events, asked.run, wanted, asked.version, patience))
    undone = isinstance(fate, run_facts.StoryUndone)
    reason = fate.reason if isinstance(fate, run_facts.UndoRefused) else "" if undone else "the undo is pending"
    if as_json:
        gates = fate.gates if isinstance(fate, run_facts.StoryUndone) else ""
        say(
            Undo(
                run=asked.run,
                story=story,
                undone=undone,
                pending=fate is None,
                reason=reason,
                passed_gates=gates,
                exit_code=EXIT_DONE if undone else EXIT_FAILED,
            )
        )
        return EXIT_DONE if undone else EXIT_FAILED
    which = _named(asked.view, story)
    if isinstance(fate, run_facts.StoryUndone):
        passed = "landed without any gate" if unchecked(fate) else f"passed {fate.gates}"
        again = f"shiftwork retry {story} --from-scratch{next_steps.naming(asked.view)}"
        click.echo(f"{which} is undone: the revert {passed}\nnext: {again}")
    elif fate:
        from shiftwork.entrypoints.cli.control.built_on import built_on  # noqa: PLC0415 - only a refusal needs it

        later = built_on(site, asked.view, story)
        on_it = (
            f"\n{', '.join(later)} landed after it and changed the same files: undo the last of them first"
            if later
            else ""
        )
        following = f"shiftwork undo {later[-1]} --run {asked.run}" if later else f"shiftwork status {asked.run}"
        click.echo(f"{which} stays landed: {reason}{on_it}\nnext: {following}")
    else:
        steps = next_steps.undoing(asked.view, story)
        click.echo("\n".join((f"the undo of {which} is pending: its revert has not landed", *phrases.following(steps))))
    return EXIT_DONE if undone else EXIT_FAILED


def _meant(site: Site, run: str, story: str) -> tuple[str, str]:
    """The run and the story that is to be undone."""
    from shiftwork.entrypoints.cli.control import which_run  # noqa: PLC0415 - `--help` need not wait for all that

    if not story:
        return which_run.only_story(site, run, "undo", which_run.CAN_BE_UNDONE)
    typed = f"shiftwork undo {story} --run {{run}}"
    return run or which_run.chosen_for_story(site, story, typed, which_run.LANDED), story


def _named(view: RunView, story: str) -> str:
    """The story with its title and run, because stories of several runs have the same id."""
    title = next((plain(item.story.title) for item in view.stories if item.story.story == story), "")
    return f"{story} ({title}) of run {view.run.run}"
