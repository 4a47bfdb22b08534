"""Limits of a run: from settings and options, refused if they cannot be enforced, and how to raise one."""

from collections.abc import Mapping, Sequence
from typing import Final

from shiftwork.app.views.amounts import money, reached_of
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.work.prices import price
from shiftwork.config.agents.kinds import AGENTS
from shiftwork.config.settings.sections import AgentSettings, LimitSettings
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.domain.budget.amounts import Budget, counted
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import Workflow
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.cli.render import next_steps, raise_hint
from shiftwork.errors import UsageError

_NO_LIMITS: Final = Limits()


def typed(bounds: Bounds) -> Limits:
    return Limits(
        run=Budget(usd=bounds.max_cost, tokens=bounds.max_tokens, sessions=bounds.max_sessions),
        story=Budget(usd=bounds.max_story_cost, tokens=bounds.max_story_tokens, sessions=bounds.max_story_sessions),
        step=Budget(usd=bounds.max_step_cost, tokens=bounds.max_step_tokens),
    )


def limits(settings: LimitSettings, bounds: Bounds, spec: Limits = _NO_LIMITS) -> Limits:
    """Given limits override the settings, which override those of the spec."""
    chosen = settings.limits.raised(typed(bounds))
    return chosen.raised(spec.raised(chosen))


def check(settings: Settings, workflow: Workflow, wanted: Limits) -> None:
    """Raises UsageError if a limit cannot be enforced: a money limit needs costs from the agent or prices of its model;
    a token limit needs an agent that counts tokens, and then also covers money.
    """
    budgets = (wanted.run, wanted.story, wanted.step)
    tokens = any(budget.tokens is not None for budget in budgets)
    if not tokens and all(budget.usd is None for budget in budgets):
        return
    everybody = {settings.agent.use: settings.agent, **settings.profiles}
    for name, model in _profiles(settings, workflow, everybody):
        agent = everybody[name]
        if tokens and not agent.kind.counts_tokens:
            message = f"tokens are limited, but {name} ({agent.use}) does not report how many it uses"
            raise UsageError(message, hint=_instead(agent))
        if not tokens and not _reports_costs(agent, model or agent.model):
            raise UsageError(_unpriced(name, agent, model or agent.model), hint=_instead(agent))


def _profiles(
    settings: Settings, workflow: Workflow, everybody: Mapping[str, AgentSettings]
) -> Sequence[tuple[str, str]]:
    """Every agent that may be used, with the model that the workflow names for it: the run's own, those of the
    workflow, those that it could learn to choose, the one for escalation, and fallbacks.
    """
    own = settings.agent.use
    played = [(agent.profile if agent.profile in everybody else own, agent.model) for agent in workflow.agents]
    learnt = everybody if settings.agent.choose == "learn" else ()
    repairs = (settings.proof.escalate,) if settings.proof.escalate else ()
    named = [(own, ""), *played, *((name, "") for name in (*learnt, *repairs))]
    return [*named, *((other, "") for name, _ in named for other in everybody[name].fallback)]


def _reports_costs(agent: AgentSettings, model: str) -> bool:
    priced = agent.kind.counts_tokens and bool(model) and price(model, Usage(input_tokens=1)) is not None
    return agent.kind.limits_cost or priced


def _unpriced(name: str, agent: AgentSettings, model: str) -> str:
    of_it = f"the price of its model {model} is not known" if model else "no model is named whose price could be known"
    return f"money is limited, but {name} ({agent.use}) does not report what it costs, and {of_it}"


def _instead(agent: AgentSettings) -> str:
    if not agent.kind.counts_tokens:
        *others, last = (name for name, kind in AGENTS.items() if kind.counts_tokens)
        return f"leave the limit out, or use an agent that reports its usage: {', '.join(others)} or {last}"
    naming = "" if agent.model else f", or name its model in {SETTINGS_FILE}"
    return f"limit tokens as well or instead: --max-tokens N{naming}"


def check_raised(view: RunView, bounds: Bounds) -> None:
    """Raises UsageError for a limit below what has been used: it would change nothing."""
    held = next_steps.at_limit(view)
    bars = [bar for story in held if (reached := reached_of(story)) for bar in raise_hint.bars(reached)]
    dearest = max((story.used.cost_usd or 0.0 for story in held), default=0.0)
    busiest = max((story.used.tries for story in held), default=0)
    longest = max((story.used.input_tokens + story.used.output_tokens for story in held), default=0)
    for option, limit, known in (
        ("--max-cost", bounds.max_cost, view.used.cost_usd or 0.0),
        ("--max-story-cost", bounds.max_story_cost, dearest),
        ("--max-tokens", bounds.max_tokens, view.used.input_tokens + view.used.output_tokens),
        ("--max-story-tokens", bounds.max_story_tokens, longest),
        ("--max-sessions", bounds.max_sessions, view.used.attempts),
        ("--max-story-sessions", bounds.max_story_sessions, busiest),
    ):
        used = max((known, *(bar.spent for bar in bars if bar.option == option)))
        if limit is not None and limit <= used:
            raise UsageError(
                f"already spent: {_sum(option, used)}, so a limit of {_sum(option, limit)} changes nothing",
                hint=f"shiftwork resume {view.run.run} {option} {raise_hint.figure(option, 2 * used)}",
            )


def _sum(option: str, amount: float) -> str:
    if option.endswith("sessions"):
        return counted(int(amount))
    return f"{amount:.0f} tokens" if option.endswith("tokens") else money(amount)


def lifting(view: RunView) -> str:
    """The command that continues the run."""
    held = next_steps.at_limit(view)
    return raise_hint.command(view.run.run, reached_of(held[0])) if held else f"shiftwork resume {view.run.run}"
