"""`just fuzz`: runs random legal command lines, interrupts some, resumes, and reports which had an internal error.

The seed decides the lines; how far a line has come when it is interrupted depends on the machine.
"""

import argparse
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import warm
from tests.e2e.cli_rig import environment
from tests.fuzz.campaign import Campaign, play, table
from tests.own_folders import use_own_folders


def main() -> int:
    asked = _asked()
    os.nice(asked.nice)
    # In the background of a script it is ignored, and would be in all that this starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seed = random.SystemRandom().randrange(100_000) if asked.seed is None else asked.seed
    _say(f"seed {seed}, {asked.sequences} sequences, at most {asked.minutes:g} minutes")
    began = time.monotonic()
    until = began + 60 * asked.minutes
    campaigns = [Campaign(seed=seed + 100_000 * number) for number in range(asked.jobs)]
    shares = [asked.sequences * (n + 1) // asked.jobs - asked.sequences * n // asked.jobs for n in range(asked.jobs)]
    warm.run(["--version"], cwd=Path.cwd(), env=environment())
    with ThreadPoolExecutor(asked.jobs) as pool:
        for done in [
            pool.submit(play, campaign, share, until, _say) for campaign, share in zip(campaigns, shares, strict=True)
        ]:
            done.result()
    warm.close()
    played, wrong = (
        sum(campaign.sequences for campaign in campaigns),
        sum(len(campaign.wrong) for campaign in campaigns),
    )
    _say("\n".join(("", *table(campaigns), "")))
    if wrong:
        _say(f"again with: just fuzz --seed {seed} --sequences {asked.sequences} --jobs {asked.jobs}")
    _say(f"{played} sequences in {time.monotonic() - began:.0f} s, wrong {wrong}")
    return 1 if wrong or played < asked.sequences else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just fuzz", description=__doc__)
    parser.add_argument("--sequences", type=int, default=5000, help="how many")
    parser.add_argument("--seed", type=int, help="of an earlier campaign")
    parser.add_argument("--minutes", type=float, default=120.0, help="when to stop with what was reached")
    parser.add_argument("--jobs", type=int, default=2, help="how many at the same time")
    parser.add_argument("--nice", type=int, default=10, help="how much others go first")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is a program


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
