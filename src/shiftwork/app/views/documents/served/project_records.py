"""What a project has learnt and spent, as documents: the record of each profile, and the costs of runs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from shiftwork.app.views import amounts
from shiftwork.app.views.amounts import usage_of
from shiftwork.app.views.documents.document import Document, Time, known_moment
from shiftwork.app.views.documents.usage_records import AgentUse, Cost, ModelUse, Used
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.usage.totals import by_agent, by_model, merged
from shiftwork.domain.usage.usage import NOTHING_USED, Share
from shiftwork.ports.views import AttemptRow, RunRow, SpentRow, StoryRow
from shiftwork.records import dataclass

_SQUARE: Final = 1.96**2
"""For an interval that is right in 95 of 100 cases."""

_LIMITED: Final = "reached a limit of the agent"
_ENDED: Final = frozenset({"completed", "failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord(Used):
    """A profile: of the `ended` stories that it worked on, `verified` have landed. `low_share` and `high_share`
    bound the share that lands, with 95 % confidence; both are null without an ended story. `shiftwork agents` also says
    whether its program is installed.
    """

    agent: str
    use: str
    model: str | None
    ended: int
    verified: int
    low_share: float | None
    high_share: float | None
    story_cost_usd: float | None
    limit_waits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecords(Document):
    """The profiles of the settings and those that have worked, from the newest `run_count` runs."""

    SCHEMA: ClassVar[str] = "agent-records"

    choose: str
    run_count: int
    agents: Sequence[AgentRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost(Cost):
    """What the ended stories of a run have cost, and how many of its stories have landed."""

    run: str
    title: str
    story_count: int
    completed_count: int
    started_at: Time | None
    ended_at: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs(Document):
    """The costs of the newest runs, and what each profile and each model has used in them."""

    SCHEMA: ClassVar[str] = "costs"

    runs: Sequence[RunCost]
    agents: Sequence[AgentUse]
    models: Sequence[ModelUse]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentRuns:
    """The rows of the newest runs."""

    runs: Sequence[RunRow] = ()
    stories: Sequence[StoryRow] = ()
    spent: Sequence[SpentRow] = ()
    attempts: Sequence[AttemptRow] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProfile:
    """A profile of the settings."""

    use: str
    model: str


def agents_document(past: RecentRuns, choose: str, profiles: Mapping[str, KnownProfile]) -> AgentRecords:
    names = dict.fromkeys((*profiles, *(row.agent for row in past.spent)))
    used = by_agent(_shares(past.spent))
    statuses = {(row.run, row.story): row.status for row in past.stories if row.story != FRAME}
    worked: dict[str, set[tuple[str, str]]] = {}
    for row in past.spent:
        worked.setdefault(row.agent, set()).add((row.run, row.story))
    return AgentRecords(
        choose=choose,
        run_count=len(past.runs),
        agents=[
            _agent(name, profiles.get(name), [statuses.get(key, "") for key in worked.get(name, ())]).made(
                amounts.plain(used.get(name, NOTHING_USED)), past.attempts
            )
            for name in names
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is counted of a profile."""

    name: str
    profile: KnownProfile | None
    ended: int
    verified: int

    def made(self, used: Mapping[str, object], attempts: Iterable[AttemptRow]) -> AgentRecord:
        low, high = interval(self.verified, self.ended)
        cost = used["cost_usd"]
        return AgentRecord(
            **used,  # type: ignore[arg-type]  # by their names
            agent=self.name,
            use=self.profile.use if self.profile else "",
            model=(self.profile.model or None) if self.profile else None,
            ended=self.ended,
            verified=self.verified,
            low_share=low,
            high_share=high,
            story_cost_usd=cost / self.verified if isinstance(cost, float) and self.verified else None,
            limit_waits=sum(row.agent == self.name and row.ending == _LIMITED for row in attempts),
        )


def _agent(name: str, profile: KnownProfile | None, statuses: Sequence[str]) -> _Known:
    ended = [status for status in statuses if status in _ENDED]
    return _Known(name=name, profile=profile, ended=len(ended), verified=ended.count("completed"))


def interval(successes: int, tries: int) -> tuple[float, float] | tuple[None, None]:
    """The bounds of Wilson: they stay within 0 and 1, and are wide for few tries."""
    if not tries:
        return None, None
    rate = successes / tries
    middle = (rate + _SQUARE / (2 * tries)) / (1 + _SQUARE / tries)
    reach = math.sqrt(rate * (1 - rate) / tries + _SQUARE / (4 * tries**2)) * math.sqrt(_SQUARE) / (1 + _SQUARE / tries)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def costs_document(runs: Iterable[RunRow], spent: Iterable[SpentRow]) -> Costs:
    shares = _shares(spent)
    return Costs(
        runs=[
            RunCost(
                run=row.run,
                title=row.title,
                cost_usd=row.cost_usd,
                estimated=bool(row.estimated),
                unpriced=row.unpriced,
                story_count=row.stories,
                completed_count=row.completed,
                started_at=known_moment(row.started_at),
                ended_at=known_moment(row.ended_at),
            )
            for row in runs
        ],
        agents=[AgentUse(agent=agent, **amounts.plain(used)) for agent, used in by_agent(shares).items()],
        models=[ModelUse(model=model or None, **amounts.plain(used)) for model, used in by_model(shares).items()],
    )


def _shares(rows: Iterable[SpentRow]) -> tuple[Share, ...]:
    return merged(Share(agent=row.agent, model=row.model, usage=usage_of(row)) for row in rows)
