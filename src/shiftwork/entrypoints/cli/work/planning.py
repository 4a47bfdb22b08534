"""Turns `plan` into a plan on the screen and in a file."""

from pathlib import Path

from shiftwork.config.site import Site
from shiftwork.config.templates.prd import PRD_FILE
from shiftwork.entrypoints.cli.options.free_text import is_blank
from shiftwork.entrypoints.cli.render.output_file import check, check_unlinked
from shiftwork.entrypoints.cli.work.made_plan import PlanFile, show_plan
from shiftwork.entrypoints.cli.work.spec_source import asked_for
from shiftwork.errors import UsageError
from shiftwork.ports.specs import Form
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The given arguments."""

    request: str
    out: str = ""
    force: bool = False
    max_cost: float | None = None
    form: Form = ""


def plan(site: Site, asked: Asked, *, as_json: bool) -> int:
    if is_blank(asked.request):
        raise UsageError("the request is empty", hint='shiftwork plan "what you want done"')
    sheet = asked_for(site, asked.request, asked.form)
    out = _out(asked, from_file=bool(sheet.source))
    if sheet.source or out is None:
        return show_plan(site, sheet, out, as_json=as_json)
    from shiftwork.entrypoints.cli.work import agent_plan  # noqa: PLC0415 - a plan in a file needs no agent

    target = PlanFile(path=out, replaces=asked.force)
    return agent_plan.plan_by_agent(site, sheet.spec, target, max_cost=asked.max_cost, as_json=as_json)


def _out(asked: Asked, *, from_file: bool) -> Path | None:
    """Where to write the plan; refused before an agent is paid for it."""
    named = asked.out or ("" if from_file else PRD_FILE)
    path = Path(named) if named else None
    if path and not asked.out:
        check_unlinked(path.parent, path)
    if path and path.exists() and not asked.force:
        raise UsageError(f"{path} already exists", hint="--force replaces it; --out FILE writes another")
    if path:
        check(path)
    return path
