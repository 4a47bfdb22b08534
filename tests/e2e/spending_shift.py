"""A shift in a process of its own, whose agent tells a cost here, only tokens there, and elsewhere nothing at all."""

import sys
from pathlib import Path

from shiftwork.app.commands import Order
from shiftwork.bootstrap.agents import Turn, scripted_agent
from shiftwork.config.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.domain.model.budget import Amount, Budget
from shiftwork.domain.model.catalogue import DYNAMIC_STEPS
from shiftwork.domain.model.forecast import Band, Forecast
from shiftwork.domain.model.ids import StoryId, landing_stream
from shiftwork.domain.model.spec import Criterion, Spec, Story
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import DYNAMIC
from shiftwork.entrypoints.cli.ordering import starting, work
from shiftwork.entrypoints.cli.session import Shift

TELLS = Usage(input_tokens=12_300, cached_tokens=9_000, output_tokens=450, cost_usd=0.05)
COUNTS = Usage(input_tokens=1_000_000, output_tokens=2_000)
"""By the price of its model, more than a dollar."""

BAND = Band(low_usd=0.2, high_usd=0.3, known=4)


def main(root: Path) -> int:
    """Ten US dollars for the run, of which half a dollar is set aside for an attempt of a kind not seen before."""
    site = find_site(root, {})
    thinks = Turn(answer="SUMMARY:\nthought", usage=TELLS, model="opus")
    codes = Turn(answer="SUMMARY:\ncoded", usage=COUNTS, model="gpt-5-codex", write={"hello.txt": "hello\n"})
    reviews = Turn(answer="SUMMARY:\nreviewed", model="")
    asked = (Criterion(id="AC-1", text="it greets"),)
    story = Story(id=StoryId("US-001"), title="Add a greeting", description="", criteria=asked)
    order = Order(
        spec=Spec(title="Greetings", description="", stories=(story,)),
        workflow=DYNAMIC,
        branch="main",
        landing=landing_stream(site.repository, "main"),
        agent="command",
        limits=Limits(run=Budget(usd=10.0), attempt=Amount(usd=0.5, tokens=0)),
        foreseen=Forecast(whole=BAND, usual=BAND),
    )
    turns = dict.fromkeys(DYNAMIC_STEPS, (thinks,)) | {"coding": (codes,), "review": (reviews,)}
    agents = {"command": scripted_agent(turns)}
    shift = Shift(site=site, settings=load_settings(root, {}), begin=starting(order), agents=agents)
    return work(site, shift, "", as_json=False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
