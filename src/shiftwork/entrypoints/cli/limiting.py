"""Limits of a run: from settings and options, refused where nothing could hold them, and how one is raised."""

from shiftwork.app.queries import RunView
from shiftwork.bootstrap.prices import price
from shiftwork.config.settings import AgentSettings, LimitSettings, Settings
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.domain.model.budget import Budget
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import Workflow
from shiftwork.domain.rules.allowing import raised
from shiftwork.domain.rules.budgets import tokens_of
from shiftwork.domain.rules.spending import dollars
from shiftwork.entrypoints.cli import words
from shiftwork.entrypoints.cli.bounds import Bounds
from shiftwork.errors import UsageError


def typed(bounds: Bounds) -> Limits:
    return Limits(
        run=Budget(usd=bounds.max_cost, tokens=bounds.max_tokens),
        story=Budget(usd=bounds.max_story_cost, tokens=bounds.max_story_tokens),
        step=Budget(usd=bounds.max_step_cost, tokens=bounds.max_step_tokens),
    )


def limits(settings: LimitSettings, bounds: Bounds) -> Limits:
    """What was typed goes before what the file says."""
    return raised(settings.limits, typed(bounds))


def check(settings: Settings, workflow: Workflow, wanted: Limits) -> None:
    """Money can only be limited where somebody tells what an agent costs: itself, or the prices of its model."""
    budgets = (wanted.run, wanted.story, wanted.step)
    if all(budget.usd is None for budget in budgets) or any(budget.tokens is not None for budget in budgets):
        return
    named = {agent.profile: agent.model for agent in workflow.agents if agent.profile in settings.profiles}
    known = {name: settings.profiles[name] for name in named}
    for name, agent in {settings.agent.use: settings.agent, **known}.items():
        model = named.get(name) or agent.model
        if not _tells_costs(agent, model):
            raise UsageError(_unpriced(name, agent, model), hint=_instead(agent))


def _tells_costs(agent: AgentSettings, model: str) -> bool:
    return agent.use == "claude-code" or (bool(model) and price(model, Usage(input_tokens=1)) is not None)


def _unpriced(name: str, agent: AgentSettings, model: str) -> str:
    of_it = f"the price of its model {model} is not known" if model else "no model is named whose price could be known"
    return f"money is limited, but {name} ({agent.use}) does not tell what it costs, and {of_it}"


def _instead(agent: AgentSettings) -> str:
    naming = "" if agent.model else f", or name its model in {SETTINGS_FILE}"
    return f"limit tokens as well or instead: --max-tokens N{naming}"


def check_raised(view: RunView, bounds: Bounds) -> None:
    """A limit below what has been used would change nothing."""
    held = [one.story for one in view.stories if one.story.waiting.startswith("limit")]
    dearest = max((story.cost_usd or 0.0 for story in held), default=0.0)
    longest = max((story.input_tokens + story.output_tokens for story in held), default=0)
    for option, limit, used in (
        ("--max-cost", bounds.max_cost, view.used.cost_usd or 0.0),
        ("--max-story-cost", bounds.max_story_cost, dearest),
        ("--max-tokens", bounds.max_tokens, tokens_of(view.used)),
        ("--max-story-tokens", bounds.max_story_tokens, longest),
    ):
        if limit is not None and limit <= used:
            raise UsageError(
                f"{_sum(option, used)} are spent already, so a limit of {_sum(option, limit)} changes nothing",
                hint=f"shiftwork resume {view.run.run} {option} {_sum(option, 2 * used).split()[0]}",
            )


def _sum(option: str, amount: float) -> str:
    return f"{amount} tokens" if option.endswith("tokens") else f"{dollars(amount)} USD"


def lifting(view: RunView) -> str:
    """What to type so that the run goes on, with twice what has been used."""
    resume = f"shiftwork resume {view.run.run}"
    waiting = next((one.story for one in view.stories if one.story.waiting.startswith("limit")), None)
    if waiting is None:
        return resume
    option = words.limit_option(waiting.waiting)
    whole = option in {"--max-cost", "--max-tokens"}
    if option.endswith("tokens"):
        used = tokens_of(view.used) if whole else waiting.input_tokens + waiting.output_tokens
        return f"{resume} {option} {max(2 * used, 1000)}"
    spent = (view.used.cost_usd if whole else waiting.cost_usd) or 0.0
    return f"{resume} {option} {max(2 * spent, 1.0):.0f}"
