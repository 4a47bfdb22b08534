"""What to type so that a story that waits at a limit goes on. Apart from `limiting`, which takes long to load."""

import math
import re
from typing import Final

_SPENT_OF: Final = re.compile(r"spent (?:at least )?([\d.]+) of ([\d.]+) ")
"""What `budgets.told` says first: by it `option` is known, too."""
_NEEDS: Final = re.compile(r" may need ([\d.]+) ")


def option(waiting: str) -> str:
    """The option that raises the limit which a story waits for: the run's, the story's or a step's own."""
    whose = "" if ": the run" in waiting else "story-" if ": the story" in waiting else "step-"
    return f"--max-{whose}{'cost' if 'USD' in waiting else 'tokens'}"


def told(waiting: str) -> tuple[float, float]:
    """What was spent of what, guesses included, as the story that waits was told it."""
    found = _SPENT_OF.search(waiting)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def figure(option: str, amount: float) -> str:
    """What to type: whole dollars, or so many tokens."""
    return f"{max(amount, 1000):.0f}" if option.endswith("tokens") else str(math.ceil(max(amount, 1.0)))


def command(run: str, waiting: str) -> str:
    """Twice what has been used, and never less than may be used now."""
    wanted, (spent, limit) = option(waiting), told(waiting)
    needs = _NEEDS.search(waiting)
    amount = max(2 * spent, 2 * limit, spent + float(needs[1]) if needs else 0.0)
    return f"shiftwork resume {run} {wanted} {figure(wanted, amount)}"
