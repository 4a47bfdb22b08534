"""`run --dry-run`: prints the prompts that would be sent first."""

import click

from shiftwork.app.commands.dry_run import Line, rehearse
from shiftwork.app.commands.runs import Order
from shiftwork.app.commands.start_order import start_order
from shiftwork.app.views.documents.commands.plan_documents import DryRun, Prompt
from shiftwork.bootstrap.work.ports import work_policy_of
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.render import plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.ports.specs import Sheet


def announce(order: Order, site: Site, settings: Settings, sheet: Sheet, *, as_json: bool) -> None:
    work_policy = work_policy_of(settings, site.name)
    lines = rehearse(order, work_policy, tools=settings.agent.offers_tools)
    started = start_order(order)
    if as_json:
        prompts = [Prompt(story=line.story, step_name=line.step, kind=line.kind, prompt=line.prompt) for line in lines]
        say(DryRun(prompts=prompts, order=plan_table.order_document(started), unused=unused_fields.documents(sheet)))
        return
    if left := [*unused_fields.lines(sheet), *plan_table.starting(started)]:
        click.echo("\n".join((*left, "")))
    for line in lines:
        click.echo(f"──── {line.story} {line.step}\n\n{_output(line)}")
    count = sum(bool(line.prompt) for line in lines)
    click.echo(
        f"──── {count} prompt{'' if count == 1 else 's'} would be sent at the start; nothing was sent or changed"
    )


def _output(line: Line) -> str:
    return plain(line.prompt) if line.prompt else f"no agent: this step is a {line.kind}\n"
