"""`run --dry-run`: prints the prompts that would be sent first."""

from dataclasses import asdict

import click

from shiftwork.app.commands.dry_run import Line, rehearse
from shiftwork.app.commands.runs import Order
from shiftwork.bootstrap.work.ports import work_policy_of
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.render import unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.ports.specs import Sheet


def announce(order: Order, site: Site, settings: Settings, sheet: Sheet, *, as_json: bool) -> None:
    work_policy = work_policy_of(settings, site.name)
    lines = rehearse(order, work_policy, tools=settings.agent.offers_tools)
    if as_json:
        say({"prompts": [asdict(line) for line in lines], "unused": unused_fields.documents(sheet)})
        return
    if left := list(unused_fields.lines(sheet)):
        click.echo("\n".join((*left, "")))
    for line in lines:
        click.echo(f"──── {line.story} {line.step}\n\n{_output(line)}")
    prompts = sum(bool(line.prompt) for line in lines)
    click.echo(f"──── {prompts} prompt{'' if prompts == 1 else 's'} would be sent first; nothing was done")


def _output(line: Line) -> str:
    return plain(line.prompt) if line.prompt else f"no agent: this step is a {line.kind}\n"
