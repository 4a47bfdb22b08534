"""`doctor --gates`: each gate in a gate tree and in the user's checkout, and why the two differ."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from shiftwork.app.commands.explain_gate import explained, only_tests_fail, program, remedies, unseen_roots
from shiftwork.app.landing.canary import refused
from shiftwork.app.views.amounts import duration
from shiftwork.app.views.text.failure_line import gate_failure
from shiftwork.bootstrap.state.open_gates import open_trials, run_in_checkout
from shiftwork.bootstrap.work.base import BaseCheck, Prepared, open_base
from shiftwork.config.detection.project_gates import detect
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.config.templates.settings_file import SETUP
from shiftwork.domain.canary.canary_verdict import GateSight, Sight
from shiftwork.domain.gates.checkout_trial import Cause, Explanation
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.entrypoints.cli.env.run_choices import find_base
from shiftwork.entrypoints.cli.env.trust import can_ask_a_person
from shiftwork.entrypoints.cli.gates.base_check import sight_line
from shiftwork.entrypoints.cli.gates.rung_consent import NOTHING, Further, further
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.check_line import FAIL, OK, WARN, Check, failed
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.errors import ShiftworkError
from shiftwork.records import dataclass

_NAMED: Final = 5
_INCLUDE: Final = ".worktreeinclude"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The result of a gate in a gate tree of the branch, and in the user's checkout."""

    gate: Gate
    branch: str
    tree: GateResult
    checkout: GateResult


async def in_both_places(
    site: Site, settings: Settings, listed: tuple[Gate, ...], *, unconfined: bool = False
) -> list[Check]:
    """Checks each of the listed gates before any work is done. With a sandbox, only gates that are red in it run in the
    checkout, and only if the user agrees: by `unconfined`, or when asked.
    """
    env = environment()
    try:
        branch = await find_base(site, settings, env)
        base = await open_base(site, settings, env, branch, listed)
        where = f"the gates run in a gate tree of {branch}"
        click.echo(plain(where if base.confined else f"{where}, and then in your checkout, {site.root}"), err=True)
        tree = await base.report("doctor/gates", again=True)
        prepared = _environment(await base.prepared())
        more = further(base, tree, listed)
        red = [gate for gate, item in zip(listed, tree.results, strict=True) if not item.passed]
        asked = listed if not base.confined else tuple(red)
        if base.confined and not _may_leave(settings, red, asked_for=unconfined):
            asked = ()
        checkout = await run_in_checkout(site, asked, env) if asked else None
        beside = {item.name: item for item in checkout.results} if checkout else {}
        gates: list[Check] = []
        for gate, result in zip(listed, tree.results, strict=True):
            if gate.name in beside:
                places = Places(gate=gate, branch=branch, tree=result, checkout=beside[gate.name])
                gates.append(await _check(site, settings, env, places, more))
            else:
                gates.append(_in_the_sandbox(base, gate, result, more))
        sights = await base.sights(tree, "doctor/canary")
        return [*prepared, *gates, *(_sight(sight, listed) for sight in sights), *_not_examined(base), *_unseen(sights)]
    except ShiftworkError as error:
        return [failed("gates", error)]


def may_run_with_rights(settings: Settings) -> bool:
    """Asks if there is no sandbox and the commands were found, not configured: they may be harmful."""
    if not can_ask_a_person():
        return False
    setup = settings.workspace.setup
    for name, command in ((SETUP, setup), *((gate.name, gate.command) for gate in settings.gate_list)):
        if command:
            click.echo(f"  {marked(name)}  {marked(command)}")
    return click.confirm("there is no sandbox; run these commands of this repository with your rights?")


def _may_leave(settings: Settings, red: Sequence[Gate], *, asked_for: bool) -> bool:
    """Always asks, whatever is trusted: the gate runs in the user's checkout, with all of their rights."""
    if not red or settings.sandbox.tier != "auto":
        return False
    if asked_for or not can_ask_a_person():
        return asked_for
    for gate in red:
        click.echo(f"  {marked(gate.name)}  {marked(gate.command)}")
    return click.confirm("red in the sandbox; run these in your checkout too, without a sandbox, to see why?")


def _in_the_sandbox(base: BaseCheck, gate: Gate, result: GateResult, more: Further) -> Check:
    rung = base.rung(gate)
    where = rung.meaning if rung else "in the sandbox"
    values = {"gate": gate.name, "access": rung.word if rung else ""}
    if result.passed:
        detail = f"{gate.name}: passed in {duration(result.seconds)}, {where}"
        return Check(name="gates", state=OK, detail=detail, more=values)
    lines = [_gist(f"{gate.name}: red, {where}", result), *_of(gate, more)]
    offered = () if only_tests_fail(result) else more.steps_for(gate)  # a red test needs no more of the machine
    steps = [f"{command}: {why}" for command, why in offered]
    hint = "\n".join(("shiftwork doctor --gates --unconfined: says whether it is green in your checkout", *steps))
    return Check(name="gates", state=FAIL, detail="\n".join(lines), hint=hint, more=values)


def _of(gate: Gate, more: Further) -> list[str]:
    return [message for message in more.messages if message.startswith(f"{gate.name}: ")]


def _environment(prepared: Prepared) -> list[Check]:
    if not prepared.wanted:
        return []
    more = {"seconds": round(prepared.seconds, 3), "reused": prepared.reused}
    if prepared.failure:
        detail = "\n".join(
            phrases.gist(f"none: gates run in your own environment\n{prepared.failure}", phrases.width())
        )
        hint = f"correct setup under [workspace] in {SETTINGS_FILE}; the results of the gates without it are below"
        return [Check(name="environment", state=WARN, detail=detail, hint=hint, more=more)]
    how = "copied" if prepared.reused else "installed and copied"
    detail = f"{how} into the gate tree in {duration(prepared.seconds)}"
    return [Check(name="environment", state=OK, detail=detail, more=more)]


def _sight(sight: GateSight, gates: Sequence[Gate]) -> Check:
    more = {"gate": sight.gate, "sight": str(sight.sight)}
    detail = sight_line(sight)
    if sight.sight is not Sight.BLIND:
        state = WARN if sight.sight is Sight.UNKNOWN else OK
        return Check(name="canary", state=state, detail=detail, more=more)
    if not refused((sight,), gates):
        message = f"{detail} The settings allow that: the gate proves nothing."
        return Check(name="canary", state=WARN, detail=message, more=more)
    files = f"not noticed: {', '.join(sight.files[:_NAMED])}"
    return Check(name="canary", state=FAIL, detail=f"{detail}\n{files}", hint=remedies(sight), more=more)


def _not_examined(base: BaseCheck) -> list[Check]:
    names = [gate.name for gate in base.examiner.gates if gate not in base.examiner.examined]
    detail = f"not tested with broken sources, because they are no test gates: {_listed(names)}"
    return [Check(name="canary", state=OK, detail=detail)] if names else []


def _unseen(sights: Sequence[GateSight]) -> list[Check]:
    """Code that no test loads is no mistake, but worth knowing: only other gates check work on it."""
    roots = unseen_roots(sights)
    return [Check(name="sources", state=OK, detail=f"no test gate notices: {_listed(roots)}")] if roots else []


async def _check(
    site: Site, settings: Settings, env: Mapping[str, str], places: Places, more: Further = NOTHING
) -> Check:
    name, branch = places.gate.name, places.branch
    if places.tree.passed and places.checkout.passed:
        own = duration(places.checkout.seconds)
        detail = f"{name}: passed in {duration(places.tree.seconds)}; in your checkout in {own}"
        return Check(name="gates", state=OK, detail=detail)
    if places.tree.passed:
        head = f"{name}: passed in {duration(places.tree.seconds)} on {branch}, red in your checkout"
        hint = f"work begins from {branch}, so this is only a note; git status shows what differs in your checkout"
        return Check(name="gates", state=WARN, detail=_gist(head, places.checkout), hint=hint)
    if not places.checkout.passed:
        file = places.gate.origin or SETTINGS_FILE
        hint = f"make it pass, or correct its command in {file}: nothing lands while it is red"
        head = f"{name}: red on {branch}, and in your checkout"
        return Check(name="gates", state=FAIL, detail=_gist(head, places.tree), hint=hint)
    trials = await open_trials(site, settings, env, branch)
    why = await explained(places.gate, places.tree.output, trials)
    if places.gate in more.gates and why.cause is Cause.ENVIRONMENT and not _in_checkout_alone(places.gate, site.root):
        head = f"{name}: red in the sandbox on {branch}, green in your checkout without one"
        hint = "\n".join(f"{command}: {why}" for command, why in more.steps_for(places.gate))
        return Check(
            name="gates",
            state=FAIL,
            detail="\n".join((_gist(head, places.tree), *_of(places.gate, more))),
            hint=hint,
        )
    head = f"{name}: red in a gate tree of {branch}, green in your checkout"
    lines = [_gist(head, places.tree), *_reasons(why, places, site.root)]
    return Check(name="gates", state=FAIL, detail="\n".join(lines), hint=_hint(why, settings, places, site.root))


def _gist(head: str, result: GateResult) -> str:
    return "\n".join(phrases.gist(gate_failure(head, result), phrases.width()))


def _reasons(why: Explanation, places: Places, root: Path) -> Iterator[str]:
    """The lines after the output of the gate."""
    names = _listed(why.names)
    match why.cause:
        case Cause.VARIABLES if why.exact:
            yield f"why: gates do not get {names}; with that it passes"
        case Cause.VARIABLES:
            yield f"why: gates do not get all of your variables, and with all of them it passes: {names}"
        case Cause.FILES if why.exact:
            yield f"why: git ignores {names}, so the clean tree of the gate lacks it; with a copy of it the gate passes"
        case Cause.FILES:
            yield f"why: with all files that git ignores it passes, and a gate tree has none of them: {names}"
        case Cause.UNCOMMITTED:
            yield f"why: your checkout has files that {places.branch} does not have, and with them it passes: {names}"
        case Cause.ENVIRONMENT:
            yield "why: it needs an environment that a gate tree does not have: no variable or ignored file is enough"
            yield from _started(places.gate, root)


def _started(gate: Gate, root: Path) -> Iterator[str]:
    """The program that the gate starts, and where it is."""
    if path := _program(gate, root):
        where = "in your checkout alone" if _in_checkout_alone(gate, root) else "outside the tree"
        yield f"it starts {program(gate)}: {path}, {where}"


def _program(gate: Gate, root: Path) -> Path | None:
    name = program(gate)
    own = root / name
    found = str(own) if "/" in name and own.exists() else shutil.which(name, path=environment().get("PATH"))
    return Path(found) if found else None


def _in_checkout_alone(gate: Gate, root: Path) -> bool:
    """Whether the program exists only in the checkout: then the sandbox is not the cause."""
    path = _program(gate, root)
    return path is not None and path.is_relative_to(root)


def _hint(why: Explanation, settings: Settings, places: Places, root: Path) -> str:
    match why.cause:
        case Cause.VARIABLES:
            line = f"env = {json.dumps([*settings.workspace.env, *why.names[: None if why.exact else _NAMED]])}"
            which = "" if why.exact else "those of them that it needs, "
            return f"under [workspace] in {SETTINGS_FILE}: {which}{line}"
        case Cause.FILES:
            which = "" if why.exact else "those of them that it needs: "
            return f"in {_INCLUDE}, a line each: {which}{', '.join(f'/{name}' for name in why.names[:_NAMED])}"
        case Cause.UNCOMMITTED:
            return f"commit it on {places.branch}: git status"
        case Cause.ENVIRONMENT:
            return _setup(settings, root)


def _setup(settings: Settings, root: Path) -> str:
    if settings.workspace.setup:
        message = f"the setup command does not provide it: {settings.workspace.setup}"
        return f"{message}; correct setup under [workspace] in {SETTINGS_FILE}"
    known = detect(root).setup
    line = f"setup = {json.dumps(known)}" if known else 'setup = "the command that installs what it needs"'
    return f"under [workspace] in {SETTINGS_FILE}: {line}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
