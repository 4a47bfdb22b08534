"""`shiftwork agents`: the profiles, what each has done in each role, and which would be chosen next."""

import asyncio
from collections.abc import Mapping, Sequence

import click

from shiftwork.app.runtime.choose_profile import choices
from shiftwork.app.views.documents.commands import setup_documents as documents
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.agents import Place, build_agents
from shiftwork.bootstrap.work.ports import work_policy_of
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.agents.tally import Choice, Score
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.errors import ShiftworkError
from shiftwork.ports.agent import Agent
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A profile, and its program's version or why it cannot be used."""

    name: str
    use: str
    model: str
    there: bool
    message: str


@click.command("agents", short_help="Show the profiles, what each has done, and which would be chosen.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """Show the profiles of the settings and whether the program of each is installed.

    With choose = "learn" under [agent], also show the record of each profile in each role: stories that ended and that
    landed, their cost, the lower and upper bound of verified stories per dollar, and which profile would be chosen
    next.
    """
    site = here(settings=True)
    settings = trusted_conditions(site, environment()).settings
    present = asyncio.run(_present(site, settings, environment()))
    choices = _choices(site, settings)
    if as_json:
        say(_document(settings, present, choices))
        return
    reasons = (part for line in _reasons(settings, choices) for part in phrases.at_words(line))
    click.echo("\n".join([*_roster(present), "", *reasons]))


async def _present(site: Site, settings: Settings, env: Mapping[str, str]) -> list[Presence]:
    everybody = {settings.agent.use: settings.agent, **settings.profiles}
    sandboxes = await open_sandboxes(site, settings, env)
    agents = build_agents(settings, Place(env=env, sandbox=sandboxes.agents, root=site.root))
    asked = await asyncio.gather(*(_version(agents[name]) for name in everybody))
    return [
        Presence(name=name, use=profile.use, model=profile.model, there=there, message=message)
        for (name, profile), (there, message) in zip(everybody.items(), asked, strict=True)
    ]


async def _version(agent: Agent) -> tuple[bool, str]:
    try:
        return True, await agent.probe()
    except ShiftworkError as error:
        return False, error.message


def _choices(site: Site, settings: Settings) -> dict[str, Choice]:
    """By role: the roles with a record, and the role that every workflow has."""
    candidates = work_policy_of(settings).candidates
    if not candidates:
        return {}
    queries = open_queries(site)
    return choices(candidates, answer(queries.profiles))


def _roster(present: Sequence[Presence]) -> list[str]:
    """With headings; only what the agent says of itself is cut to fit."""
    states = {True: "ok", False: "missing"}
    rows = [("state", "profile", "model", "version")]
    rows += [(states[item.there], item.name, item.model or "default model", item.message) for item in present]
    wide = [max(cells(row[place]) for row in rows) for place in range(3)]
    heads = ["  ".join(phrases.padded(text, size) for text, size in zip(row, wide, strict=False)) for row in rows]
    return [
        f"{head}  {phrases.shortened(row[3], max(phrases.width() - cells(head) - 2, 20))}"
        for head, row in zip(heads, rows, strict=True)
    ]


def _reasons(settings: Settings, choices: Mapping[str, Choice]) -> list[str]:
    if not choices:
        return [f'{settings.agent.use} is assigned to every role without a profile in the workflow (choose = "fixed")']
    lines: list[str] = []
    for role, choice in choices.items():
        per = "$" if choice.priced else "story"
        lines += [f"role {role}: {choice.profile} would be chosen: {choice.why}"]
        lines += [f"  {_score(status, per)}" for status in choice.scores]
    return lines


def _score(status: Score, per: str) -> str:
    tally = status.tally
    least = "at least " if tally.unpriced else ""
    cost = "cost unknown" if tally.cost_usd is None else f"{least}${tally.cost_usd:.2f}"
    record = (
        f"{tally.tries} tried, {tally.verified} of {tally.ended} verified, {cost if tally.ended else 'no cost yet'}"
    )
    return f"{tally.profile}: {record}, {status.low:.2f} to {status.high:.2f} verified per {per}"


def _document(settings: Settings, present: Sequence[Presence], choices: Mapping[str, Choice]) -> documents.Agents:
    agents = [
        documents.AgentLine(
            name=presence.name,
            use=presence.use,
            model=presence.model or None,
            installed=presence.there,
            detail=presence.message,
        )
        for presence in present
    ]
    roles = [_role(role, choice) for role, choice in choices.items()]
    return documents.Agents(choose=settings.agent.choose, agents=agents, roles=roles)


def _role(role: str, choice: Choice) -> documents.RoleChoice:
    scores = [
        documents.ProfileScore(
            agent=status.tally.profile,
            tries=status.tally.tries,
            ended=status.tally.ended,
            verified=status.tally.verified,
            cost_usd=status.tally.cost_usd,
            unpriced=status.tally.unpriced,
            low=status.low,
            high=status.high,
        )
        for status in choice.scores
    ]
    return documents.RoleChoice(role=role, chosen=choice.profile, why=choice.why, priced=choice.priced, scores=scores)
