"""`shiftwork agents`: the profiles there are, what each has done in each role, and who would be chosen next."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from shiftwork.app.runtime.choose_profile import tallies
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.agents import Place, build_agents
from shiftwork.bootstrap.work.ports import conduct_of
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.agents.bandit import Choice, Standing, choose
from shiftwork.domain.agents.tally import ANY_ROLE, Tally
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.errors import ShiftworkError
from shiftwork.ports.agent import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A profile, and its program's version or why there is none."""

    name: str
    use: str
    model: str
    there: bool
    told: str


@click.command("agents", short_help="Show the profiles, what each has done, and who would be chosen.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """Show the profiles of the settings and whether each one's program is there.

    With choose = "learn" under [agent], also what each has done in each role: stories that ended and that landed, what
    they cost, how many verified stories a dollar its record is good for at least and at most, and who would play next.
    """
    site = here(settings=True)
    settings = trusted_conditions(site, environment()).settings
    present = asyncio.run(_present(site, settings, environment()))
    choices = _choices(site, settings)
    if as_json:
        say(_document(settings, present, choices))
        return
    click.echo("\n".join([*_roster(present), "", *_reasons(settings, choices)]))


async def _present(site: Site, settings: Settings, env: Mapping[str, str]) -> list[Presence]:
    everybody = {settings.agent.use: settings.agent, **settings.profiles}
    sandboxes = await open_sandboxes(site, settings, env)
    agents = build_agents(settings, Place(env=env, sandbox=sandboxes.agents, root=site.root))
    asked = await asyncio.gather(*(_version(agents[name]) for name in everybody))
    return [
        Presence(name=name, use=profile.use, model=profile.model, there=there, told=told)
        for (name, profile), (there, told) in zip(everybody.items(), asked, strict=True)
    ]


async def _version(agent: Agent) -> tuple[bool, str]:
    try:
        return True, await agent.probe()
    except ShiftworkError as error:
        return False, error.message


def _choices(site: Site, settings: Settings) -> dict[str, Choice]:
    """By role: those that were played, and the one that every workflow has."""
    candidates = conduct_of(settings).candidates
    if not candidates:
        return {}
    queries = open_queries(site)
    record: Sequence[Tally] = tallies(answer(queries.played))
    roles = sorted({ANY_ROLE, *(tally.role for tally in record)})
    return {role: choose(role, candidates, record) for role in roles}


def _roster(present: Sequence[Presence]) -> list[str]:
    width = max(len(one.name) for one in present)
    states = {True: "ok", False: "missing"}
    room = max(phrases.width(), 80)
    return [
        f"{states[one.there]:<8} {one.name:<{width}}  {one.model or 'own model'}  {one_line(one.told, room)}"
        for one in present
    ]


def _reasons(settings: Settings, choices: Mapping[str, Choice]) -> list[str]:
    if not choices:
        return [f'{settings.agent.use} plays every role that a workflow leaves open (choose = "fixed")']
    lines: list[str] = []
    for role, choice in choices.items():
        per = "$" if choice.priced else "story"
        lines += [f"role {role}: {choice.profile} would be chosen: {choice.why}"]
        lines += [f"  {_standing(one, per)}" for one in choice.standings]
    return lines


def _standing(one: Standing, per: str) -> str:
    tally = one.tally
    least = "at least " if tally.unpriced else ""
    cost = "cost unknown" if tally.cost_usd is None else f"{least}${tally.cost_usd:.2f}"
    record = (
        f"{tally.tries} tried, {tally.verified} of {tally.ended} verified, {cost if tally.ended else 'no cost yet'}"
    )
    return f"{tally.profile}: {record}, {one.low:.2f} to {one.high:.2f} verified a {per}"


def _document(settings: Settings, present: Sequence[Presence], choices: Mapping[str, Choice]) -> dict[str, Any]:
    return {
        "choose": settings.agent.choose,
        "agents": [
            {"name": one.name, "use": one.use, "model": one.model, "there": one.there, "detail": one.told}
            for one in present
        ],
        "roles": [
            {
                "role": role,
                "chosen": choice.profile,
                "why": choice.why,
                "priced": choice.priced,
                "profiles": [
                    {
                        "profile": one.tally.profile,
                        "tries": one.tally.tries,
                        "ended": one.tally.ended,
                        "verified": one.tally.verified,
                        "cost_usd": one.tally.cost_usd,
                        "unpriced": one.tally.unpriced,
                        "low": one.low,
                        "high": one.high,
                    }
                    for one in choice.standings
                ],
            }
            for role, choice in choices.items()
        ],
    }
