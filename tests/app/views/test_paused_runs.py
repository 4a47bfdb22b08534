"""What front ends show of a paused run that somebody has resumed."""

import asyncio

from shiftwork.app.commands.intents import ask
from shiftwork.app.views.queries import run_outline, run_view
from shiftwork.app.views.run_views import Activity, RunOutline
from shiftwork.domain.run import facts as run_facts
from shiftwork.ports.views import Owner
from tests.app.rig import SHORT, Rig, done, honest


def lives(owner: Owner) -> bool:
    return owner.pid > 0


def is_dead(owner: Owner) -> bool:
    return owner.pid < 0


async def is_served(view: RunOutline) -> bool:
    return bool(view.run.run)


def test_a_paused_run_is_queued_while_a_server_will_continue_it(rig: Rig) -> None:
    async def scenario() -> None:
        rig.script = honest(coding=[done(pause=60)])
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            await ask(context.events, context.inbox, run, run_facts.RunPaused(at=0), "p")
            await rig.until(lambda: any(isinstance(sighting.what, run_facts.RunPaused) for sighting in rig.seen))
            queries = rig.store.queries
            assert (await run_view(queries, run, is_dead)).activity is Activity.PAUSED
            assert (await run_view(queries, run, is_dead, served=is_served)).activity is Activity.QUEUED
            assert (await run_outline(queries, run, is_dead, served=is_served)).activity is Activity.QUEUED
            kept = await run_view(queries, run, lives, served=is_served)
            assert kept.activity is Activity.PAUSED, "its process has the pause"

    asyncio.run(scenario())
