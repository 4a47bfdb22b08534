"""Kills orchestrators and agents at random, two hundred times and more, and reports what was lost: `just chaos`. On
Postgres the server is restarted as well, and a second project works on the same database.

The seed decides which process is killed, where and when; what runs at that moment depends on the machine.
"""

import argparse
import random
import sys
import time

from tests.chaos.campaign import BACKENDS, Campaign, fight, table
from tests.own_folders import use_own_folders


def main() -> int:
    asked = _asked()
    seed = random.SystemRandom().randrange(100_000) if asked.seed is None else asked.seed
    backends = [asked.backend] if asked.backend else list(BACKENDS)
    _say(f"seed {seed}, {asked.kills} kills, at most {asked.minutes:g} minutes")
    deadline = time.monotonic() + 60 * asked.minutes
    campaigns = [Campaign(backend=backend, seed=seed) for backend in backends]
    for number, campaign in enumerate(campaigns):
        kills = asked.kills * (number + 1) // len(backends) - asked.kills * number // len(backends)
        until = deadline - (deadline - time.monotonic()) * (len(backends) - number - 1) / (len(backends) - number)
        with BACKENDS[campaign.backend]() as databases:
            fight(campaign, databases, kills, _say, until)
    _say("\n" + "\n".join(table(campaigns)) + "\n")
    killed = sum(campaign.kills.total() for campaign in campaigns)
    if killed < asked.kills:
        _say(f"stopped by the clock after {killed} of {asked.kills} kills")
    violations = sum(len(campaign.violations) for campaign in campaigns)
    if violations:
        _say(
            f"again with: just chaos --seed {seed} --kills {asked.kills}"
            + f" --backend {asked.backend}" * bool(asked.backend)
        )
    _say(f"violations {violations}")
    return 1 if violations else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many, over all databases")
    parser.add_argument("--seed", type=int, help="of an earlier campaign")
    parser.add_argument("--backend", choices=list(BACKENDS), help="one database only")
    parser.add_argument("--minutes", type=float, default=30.0, help="when to stop with what was reached")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is a program


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
