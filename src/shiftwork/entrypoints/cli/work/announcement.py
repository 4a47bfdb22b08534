"""What `run` prints before anything is paid for: gates, branch, sessions, and what agents will not see."""

import asyncio
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

import click

from shiftwork.app.commands.explain_gate import opened
from shiftwork.app.commands.forecast import excess_note
from shiftwork.app.commands.runs import Order
from shiftwork.app.commands.start_order import start_order
from shiftwork.app.runtime import state_labels
from shiftwork.app.views.documents import event_records as events
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, open_sandboxes
from shiftwork.bootstrap.work.hook_trial import hook_in_force
from shiftwork.bootstrap.work.repository import has_branch, uncommitted
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.domain.core.ids import StoryId
from shiftwork.entrypoints.cli.env.conditions import Conditions
from shiftwork.entrypoints.cli.options.quiet import is_quiet
from shiftwork.entrypoints.cli.render import phrases, plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say, this_moment
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.entrypoints.cli.work.spec_source import protection_of
from shiftwork.planning.sessions import Sessions, least_sessions
from shiftwork.ports.specs import Sheet
from shiftwork.records import dataclass, replace

_NAMED: Final = 5
"""So many files are named; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    order: Order
    sheet: Sheet
    sessions: Sessions
    new_branch: bool
    unseen: Sequence[str]
    sandboxes: Sandboxes
    opened: Mapping[StoryId, Sequence[str]]
    excess: str
    hook: str


def announce(site: Site, found: Conditions, sheet: Sheet, order: Order, *, as_json: bool) -> None:
    if is_quiet():
        return
    known = asyncio.run(_looked(site, found.settings, sheet, order))
    if as_json:
        for event in (*((unused_fields.event(sheet),) if sheet.source else ()), *_events(known)):
            say(event)
        if found.setup:
            say(events.SetupEvent(time=this_moment(), command=found.setup))
        return
    gates = unused_fields.gates_note(sheet, found.settings.gate_list, found.note)
    setup = [f"setup found in this project: {marked(found.setup)}"] if found.setup else []
    lines = "\n".join((*gates, *setup, *unused_fields.lines(sheet), *_lines(known))).split("\n")
    click.echo("\n".join(part for line in lines for part in phrases.at_words(line)))


async def _looked(site: Site, settings: Settings, sheet: Sheet, order: Order) -> _Known:
    env = environment()
    left = sum(story.id not in order.done for story in order.spec.stories)
    spec, own = unused_fields.file_of(sheet), sheet.spec.paths.own
    sandboxes = await open_sandboxes(site, settings, env)
    confined, base = sandboxes.tier != "none", order.base or order.branch
    return _Known(
        order=order,
        sheet=sheet,
        sessions=least_sessions(order.workflow, left),
        new_branch=bool(order.base) and not await has_branch(site, env, order.branch),
        unseen=[path for path in await uncommitted(site, env, spec) if path not in {SETTINGS_FILE, spec, *own}],
        sandboxes=sandboxes,
        opened=opened(order.spec, protection_of(settings), order.done),
        excess=excess_note(order.limits, bounded=settings.agent.kind.limits_cost),
        hook=await hook_in_force(site, settings, env, base, confined=confined),
    )


def _to_read(known: _Known) -> list[str]:
    """Of what agents do not see, the files that belong to the spec and that their prompts name."""
    beside = known.order.spec.paths.beside
    return [path for path in known.unseen if any(path == name or path.startswith(_folder(name)) for name in beside)]


def _folder(name: str) -> str:
    return name if name.endswith("/") else f"{name}/"


def _lines(known: _Known) -> Iterator[str]:
    order = known.order
    yield from _sandbox_lines(known.sandboxes)
    if known.new_branch:
        yield f"branch {order.branch} does not exist yet: it is created from {order.base}"
    if known.hook:
        yield f"commit messages are checked by {marked(known.hook)}, as it is on the branch"
    yield f"{order.workflow.id} takes at least {_in_words(known.sessions)}"
    yield from plan_table.starting(start_order(order))
    named = _to_read(known)
    if named:
        folder = PurePosixPath(unused_fields.file_of(known.sheet)).parent
        yield f"agents are to read {_listed(named)}, which they do not have: it is not committed"
        yield f"to give it to them, end this run and type: git add {shlex.quote(str(folder))} && git commit"
    if known.excess:
        yield known.excess
    if others := [path for path in known.unseen if path not in named]:
        yield f"agents do not see what is not committed: {_listed(others)}"
    for line in plan_table.may_change(known.opened):
        yield f"protected files: {line}"
    if without := state_labels.without(order.without_gates):
        yield f"this run continues {without}, as you asked"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(map(plain, paths[:_NAMED])) + more


def report_sandbox(site: Site, settings: Settings, *, as_json: bool) -> None:
    """Prints that there is no sandbox although the settings allow one; for work without `announce`. Which agents have
    the whole network was said when the run started, and `doctor` says it.
    """
    if is_quiet():
        return
    sandboxes = replace(asyncio.run(open_sandboxes(site, settings, environment())), network="")
    if as_json:
        for event in _sandbox_events(sandboxes):
            say(event)
        return
    for line in _sandbox_lines(sandboxes):
        click.echo("\n".join(phrases.at_words(line)))


def _sandbox_lines(sandboxes: Sandboxes) -> Iterator[str]:
    yield from (plain(note) for note in (sandboxes.note, sandboxes.network) if note)


def _sandbox_events(sandboxes: Sandboxes) -> Iterator[events.Event]:
    if sandboxes.note:
        yield events.SandboxEvent(time=this_moment(), kind="sandbox", note=sandboxes.note)
    if sandboxes.network:
        yield events.SandboxEvent(time=this_moment(), kind="network", note=sandboxes.network)


def _in_words(sessions: Sessions) -> str:
    total = f"{sessions.total} session{'' if sessions.total == 1 else 's'}"
    parts = [f"{sessions.each} for each of {sessions.stories} stories"] if sessions.stories > 1 else []
    parts += [f"{sessions.around} before and after"] if parts and sessions.around else []
    each = f"{total}: {', '.join(parts)}" if parts else total
    more = " or ".join(f"{count} if it is {value}" for value, count in sessions.more)
    return f"{each}; a story takes {more}" if more else each


def _events(known: _Known) -> Iterator[events.Event]:
    order, sessions, at = known.order, known.sessions, this_moment()
    yield from _sandbox_events(known.sandboxes)
    if known.new_branch:
        yield events.BranchEvent(time=at, branch=order.branch, base=order.base)
    yield events.SessionsEvent(
        time=at,
        workflow=order.workflow.id,
        at_least=sessions.total,
        story_count=sessions.stories,
        each=sessions.each,
        around=sessions.around,
        more=dict(sessions.more),
    )
    if known.excess:
        yield events.SmallLimitEvent(time=at, note=known.excess)
    yield events.OrderEvent(time=at, order=plan_table.order_document(start_order(order)))
    if known.unseen:
        yield events.UncommittedEvent(time=at, files=known.unseen)
    if known.opened:
        yield events.MayChangeEvent(time=at, may_change={str(story): files for story, files in known.opened.items()})
