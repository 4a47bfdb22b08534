"""Compares the options and the gates that a run started with to the settings at the time it is resumed."""

from collections.abc import Collection, Iterator, Mapping
from json import dumps
from typing import Final

from shiftwork.domain.run.state import RunPlan
from shiftwork.domain.run.steering.options import needed_profiles
from shiftwork.errors import ProfileGoneError, UsageError
from shiftwork.records import dataclass

_NO_VALUE: Final = "none"

_GATES: Final = "gates."
_COMMAND: Final = "command"
_MINUTES: Final = "minutes"
_GATE_FIELDS: Final = frozenset({_COMMAND, _MINUTES, "kind", "blind", "cwd", "paths", "attach", "namespaces"})
"""What the settings say of a gate. Its minutes may change: they do not decide what it proves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A setting whose value has changed since the run started. `kept`: the value `in_force` belongs to the run, and the
    file does not change it; the `option` of `resume` does, if there is one.
    """

    setting: str
    before: str
    after: str
    in_force: str
    kept: bool
    option: str = ""


def check_profiles(plan: RunPlan, known: Collection[str], instead: str = "claude-code") -> None:
    """Raises ProfileGoneError if the run's agent or a profile that it needs is not `known`; the hint names the agent
    to use `instead`.
    """
    if plan.agent not in known:
        raise ProfileGoneError(
            f"run {plan.run} uses the agent {plan.agent!r}, which no longer exists",
            hint=f"shiftwork resume {plan.run} --agent {instead}",
        )
    for name, why in needed_profiles(plan).items():
        if name not in known:
            raise ProfileGoneError(
                f"run {plan.run} needs the profile {name!r}, which the settings no longer have: {why}",
                hint=f"add [profiles.{name}] to shiftwork.toml again, then: shiftwork resume {plan.run}; or end the "
                f"run: shiftwork cancel {plan.run}",
            )


def differences(plan: RunPlan, now: Mapping[str, str], usual: Mapping[str, str]) -> tuple[Difference, ...]:
    """Returns the settings that have changed since the run started, and which value is in force. `usual` are the
    defaults. Hidden values are recorded as digests, so only the fact of the change is known.
    """
    then, kept = dict(plan.settings), _kept(plan)
    found = []
    for name in sorted({*then, *now}):
        before, after = (known.get(name, usual.get(name, _NO_VALUE)) for known in (then, now))
        if before != after:
            held = name in kept
            found.append(
                Difference(
                    setting=name,
                    before=before,
                    after=after,
                    in_force=kept[name] if held else after,
                    kept=held,
                    option=_OPTIONS.get(name, ""),
                )
            )
    return tuple(found)


def _kept(plan: RunPlan) -> dict[str, str]:
    """Returns the settings that a run records when it starts, with its current values."""
    limits = plan.limits
    named = {"agent.use": plan.agent, "agent.model": plan.model, "run.parallel": plan.parallel}
    values: dict[str, object] = {
        **{setting: value for setting, value in named.items() if _FIELDS[setting] in plan.named},
        "run.workflow": plan.workflow.id,
        "run.keep_going": plan.keep_going,
        "workspace.branch": plan.branch,
        "landing.review": plan.review,
        "limits.run_usd": limits.run.usd,
        "limits.run_tokens": limits.run.tokens,
        "limits.run_sessions": limits.run.sessions,
        "limits.story_usd": limits.story.usd,
        "limits.story_tokens": limits.story.tokens,
        "limits.story_sessions": limits.story.sessions,
        "limits.step_usd": limits.step.usd,
        "limits.step_tokens": limits.step.tokens,
        "limits.attempt_usd": limits.attempt.usd,
        "limits.attempt_tokens": limits.attempt.tokens,
        "limits.repairs": limits.repairs,
        "limits.conflicts": limits.conflicts,
        "proof.policy": plan.proof.value,
        "proof.escalate": limits.escalate,
        "notify.on": [str(occasion) for occasion in plan.notices.occasions],
    }
    if plan.ordered:
        values["run.parallel"] = 1
    return {name: dumps(value) for name, value in values.items()}


_FIELDS: Final = {"agent.use": "agent", "agent.model": "model", "run.parallel": "parallel"}
"""Settings that a run keeps only if the user named them, with their fields in the plan."""

_OPTIONS: Final = {
    "agent.use": "--agent",
    "agent.model": "--model",
    "run.parallel": "--parallel",
    "limits.run_usd": "--max-cost",
    "limits.run_tokens": "--max-tokens",
    "limits.run_sessions": "--max-sessions",
    "limits.story_usd": "--max-story-cost",
    "limits.story_tokens": "--max-story-tokens",
    "limits.story_sessions": "--max-story-sessions",
    "limits.step_usd": "--max-step-cost",
    "limits.step_tokens": "--max-step-tokens",
}
"""The option of `resume` that changes each value that a run keeps."""


def check_gates(plan: RunPlan, now: Mapping[str, str]) -> None:
    """Raises UsageError if a gate of the run is missing `now` or judges otherwise. In a terminal a person sees that
    before the run continues; without one, work would land past a gate and nothing would say so.
    """
    if changes := ", ".join(_changes(plan, now)):
        raise UsageError(
            f"the gates here are not those that run {plan.run} was started with: {changes}. To continue it with the "
            f"present gates: shiftwork resume {plan.run} in a terminal",
            hint=f"restore the gates, or: shiftwork resume {plan.run}",
        )


def accepted(plan: RunPlan, now: Mapping[str, str]) -> tuple[tuple[str, str], ...] | None:
    """The settings that the run keeps once a person has continued it with other gates; None if they stay."""
    if not any(_changes(plan, now)):
        return None
    others = {name: value for name, value in plan.settings if not name.startswith(_GATES)}
    return tuple(sorted({**others, **{name: value for name, value in now.items() if name.startswith(_GATES)}}.items()))


def _changes(plan: RunPlan, now: Mapping[str, str]) -> Iterator[str]:
    present = _gates(now)
    for name, gate in _gates(dict(plan.settings)).items():
        if name not in plan.without_gates and gate != present.get(name):
            yield f"{name} is {'changed' if name in present else 'missing'}"


def _gates(settings: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The gates by name; a gate that is only a command is the same as a table with that command."""
    found: dict[str, dict[str, str]] = {}
    for place, value in settings.items():
        if place.startswith(_GATES):
            whole = place.removeprefix(_GATES)
            name, _, field = whole.rpartition(".")
            if not name or field not in _GATE_FIELDS:
                name, field = whole, _COMMAND
            gate = found.setdefault(name, {})
            if field != _MINUTES:
                gate[field] = value
    return found
