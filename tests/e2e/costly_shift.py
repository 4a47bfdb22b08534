"""A shift in a process of its own, worked by an agent that tells what it costs: started by the test of limits."""

import sys
from pathlib import Path

from shiftwork.app.commands import Order
from shiftwork.bootstrap.agents import Turn, scripted_agent
from shiftwork.config.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.domain.model.budget import Budget
from shiftwork.domain.model.catalogue import DYNAMIC_STEPS
from shiftwork.domain.model.ids import landing_stream
from shiftwork.domain.model.spec import one_shot
from shiftwork.domain.model.story import Limits
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.model.workflow import DYNAMIC
from shiftwork.entrypoints.cli.ordering import starting, work
from shiftwork.entrypoints.cli.session import Shift


def main(root: Path) -> int:
    """Every step costs 0.40 USD, and a story may cost 1.00 USD. The agent goes by the name of the command's."""
    site = find_site(root, {})
    turn = Turn(answer="SUMMARY:\nexpensive thoughts", usage=Usage(cost_usd=0.4))
    order = Order(
        spec=one_shot("Add a greeting"),
        workflow=DYNAMIC,
        branch="main",
        landing=landing_stream(site.repository, "main"),
        agent="command",
        limits=Limits(story=Budget(usd=1.0)),
    )
    shift = Shift(
        site=site,
        settings=load_settings(root, {}),
        begin=starting(order),
        agents={"command": scripted_agent(dict.fromkeys(DYNAMIC_STEPS, (turn,)))},
    )
    return work(site, shift, "", as_json=False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
