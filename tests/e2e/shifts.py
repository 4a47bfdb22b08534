"""Shifts whose agent reports its usage, which no plain command does. Each runs in its own process.

`Project.shift` starts a shift by its name. The agent has the command's name, so that the command can take over.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.app.commands.runs import Order
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import CACHE_HOME, STATE_HOME, environment, find_site
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId, landing_stream
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.domain.usage.forecast import Band, Forecast
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.domain.workflow.workflow import DYNAMIC
from shiftwork.entrypoints.cli.work.foreground import Shift
from shiftwork.entrypoints.cli.work.run_command import starting, work

_AGENT: Final = "command"
_BAND: Final = Band(low_usd=0.2, high_usd=0.3, known=4)


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """What every step does, the exceptions, the limits and the forecast."""

    usually: Turn
    limits: Limits
    special: Mapping[str, Turn] = field(default_factory=dict)
    forecast: Forecast | None = None


SHIFTS: Final = {
    "costly": Outcomes(
        usually=Turn(answer="SUMMARY:\nexpensive thoughts", usage=Usage(cost_usd=0.4)),
        limits=Limits(story=Budget(usd=1.0)),
    ),
    # It reports a cost, only tokens (worth more than a dollar at the model's price), or nothing at all.
    "unequal": Outcomes(
        usually=Turn(
            answer="SUMMARY:\nthought",
            usage=Usage(input_tokens=12_300, cached_tokens=9_000, output_tokens=450, cost_usd=0.05),
            model="opus",
        ),
        special={
            "coding": Turn(
                answer="SUMMARY:\ncoded",
                usage=Usage(input_tokens=1_000_000, output_tokens=2_000),
                model="gpt-5-codex",
                write={"hello.txt": "hello\n"},
            ),
            "review": Turn(answer="SUMMARY:\nreviewed", model=""),
        },
        limits=Limits(run=Budget(usd=10.0), attempt=Amount(usd=0.5, tokens=0)),
        forecast=Forecast(whole=_BAND, usual=_BAND),
    ),
}


def main(name: str, root: Path) -> int:
    played, site = SHIFTS[name], find_site(root, {name: environment()[name] for name in (CACHE_HOME, STATE_HOME)})
    greets = (Criterion(id="AC-1", text="it greets"),)
    story = Story(id=StoryId("US-001"), title="Add a greeting", description="", criteria=greets)
    order = Order(
        spec=Spec(title="Greetings", description="", stories=(story,)),
        workflow=DYNAMIC,
        branch="main",
        landing=landing_stream(site.project, "main"),
        agent=_AGENT,
        limits=played.limits,
        forecast=played.forecast,
    )
    turns = dict.fromkeys(DYNAMIC_STEPS, (played.usually,)) | {step: (turn,) for step, turn in played.special.items()}
    agents = {_AGENT: ScriptedAgent(turns)}
    shift = Shift(site=site, settings=load_settings(root, environment()), begin=starting(order), agents=agents)
    return work(site, shift, "", as_json=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
