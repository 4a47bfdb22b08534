"""`shiftwork pause`: starts nothing new in a run until it is resumed."""

from typing import Final

import click

from shiftwork.app.views.documents.commands.request_documents import Delivery, Receipt
from shiftwork.app.views.documents.request_words import PAUSE
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.bootstrap.server.living import will_continue
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.domain.run import facts as run_facts
from shiftwork.entrypoints.cli.control.intents import announce, intend
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.errors import EXIT_DONE

_STILL: Final = frozenset({Activity.WAITING, Activity.INTERRUPTED})


@click.command("pause", short_help="Start nothing new until the run is resumed.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, *, as_json: bool) -> int:
    """Start nothing new: no story starts, and stories in progress finish their current attempt and then wait.

    A run that no process works on is already stopped. RUN is an id or its first characters; default: the newest run.
    `shiftwork resume` continues.
    """
    site = here()
    view = answer(lambda: run_view(open_queries(site), run, liveness()))
    if view.activity in _STILL and view.worker is None and not will_continue(site, view.run.run):
        return _stands_still(view, as_json=as_json)
    asked = intend(site, view.run.run, lambda _: run_facts.RunPaused(at=0))
    return announce(asked, f"run {asked.run} is paused\nnext: shiftwork resume {asked.run}", as_json=as_json)


def _stands_still(view: RunView, *, as_json: bool) -> int:
    """`resume` lifts a pause, so there is nothing to record."""
    if as_json:
        say(Receipt(run=view.run.run, asked=PAUSE, delivery=Delivery.NEEDLESS))
        return EXIT_DONE
    waits = view.activity is Activity.WAITING
    click.echo(f"run {view.run.run} is already stopped: {'it needs you, and ' if waits else ''}no process works on it")
    resume = ((f"shiftwork resume {view.run.run}", "continues, and lifts any pause"),)
    click.echo("\n".join(phrases.following(next_steps.meanwhile(view) if waits else resume)))
    return EXIT_DONE
