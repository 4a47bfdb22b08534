"""Types random legal lines, interrupts some, resumes, and tells which ended in an internal error: `just fuzz`.

The seed decides what is typed; what has happened when a line is interrupted is up to the machine.
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
        for done in [pool.submit(play, one, share, until, _say) for one, share in zip(campaigns, shares, strict=True)]:
            done.result()
    warm.close()
    played, wrong = sum(one.sequences for one in campaigns), sum(len(one.wrong) for one in campaigns)
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
    sys.exit(main())
