"""`shiftwork notify`: shows who is notified about what, and sends a test notice."""

import asyncio
from collections.abc import Mapping

import click

from shiftwork.app.views.documents.commands.setup_documents import Channel, Channels
from shiftwork.bootstrap.work.notifications import build_notifiers, channel_names, system_clock
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, environment
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, ShiftworkError, UsageError
from shiftwork.ports.notify import Notice, Notifier


@click.command("notify", short_help="Show who is notified of which events; --test sends a test.")
@click.option("--test", "test", is_flag=True, help="Send a test notice to every channel.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, test: bool, as_json: bool) -> int:
    """Show which channels receive which notices, as configured under [notify] in shiftwork.toml.

    --test sends one notice to every channel now; the exit code is 1 if a channel rejects it.
    """
    env = environment()
    settings = trusted_conditions(here(settings=True), env).settings
    answers = asyncio.run(_tried(settings, env)) if test else dict.fromkeys(channel_names(settings), "")
    if as_json:
        listed = [Channel(name=name, error=trouble) for name, trouble in answers.items()]
        say(Channels(occasions=list(settings.notify.on), tested=test, channels=listed))
    else:
        click.echo("\n".join(_lines(settings, answers, test=test)))
    return EXIT_FAILED if any(answers.values()) else EXIT_DONE


async def _tried(settings: Settings, env: Mapping[str, str]) -> dict[str, str]:
    notifiers = build_notifiers(settings, env)
    if not notifiers:
        raise UsageError("notifications are off", hint=f"name urls or a webhook under [notify] in {SETTINGS_FILE}")
    clock = system_clock()
    notice = Notice(
        key=f"test/{clock.fresh()}",
        at=clock.now(),
        occasion="test",
        run="",
        story="",
        title="shiftwork: a test",
        text="This is what a notice looks like. Nothing has to be done.",
    )
    answers = await asyncio.gather(*(_sent(notifier, notice) for notifier in notifiers.values()))
    return dict(zip(notifiers, answers, strict=True))


async def _sent(notifier: Notifier, notice: Notice) -> str:
    try:
        await notifier.send(notice)
    except ShiftworkError as error:
        return error.message
    return ""


def _lines(settings: Settings, answers: Mapping[str, str], *, test: bool) -> list[str]:
    if not answers:
        return [f"notifications are off: see [notify] in {SETTINGS_FILE}"]
    lines = [f"{name:<16} {trouble or ('taken' if test else '')}".rstrip() for name, trouble in answers.items()]
    return [f"on {', '.join(settings.notify.on)}:", *lines]
