"""What `just full` runs: every recipe with arguments small enough that all of it takes 90 minutes on two cores.

The benchmarks print their figures. If one ends with `bench.limits.LIMIT_MISSED`, its row shows that and is not red: a
figure of one run on a busy machine proves nothing.
"""

from dataclasses import dataclass
from typing import Final

MOST_MINUTES: Final = 90.0
_PATIENCE: Final = 3.0
_LEAST_SECONDS: Final = 300.0


@dataclass(frozen=True, kw_only=True)
class Row:
    """A recipe and its arguments. `minutes` is what it may take when nothing else runs on two cores; it is ended after
    three times as long, and not before five minutes. A recipe with an `address` serves until it is ended: its row is
    green if that answers.
    """

    recipe: str
    words: tuple[str, ...] = ()
    minutes: float
    address: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        return ("just", self.recipe, *self.words)

    @property
    def most_seconds(self) -> float:
        return max(_LEAST_SECONDS, 60 * self.minutes * _PATIENCE)


def row(line: str, minutes: float, address: str = "") -> Row:
    recipe, *words = line.split()
    return Row(recipe=recipe, words=tuple(words), minutes=minutes, address=address)


ROWS: Final = (
    row("setup", 0.2),
    row("lint", 2),
    row("quick", 0.5),
    row("web", 1),
    row("all-tests", 30),
    row("durability tests/durability/test_kill_steering.py", 1),
    # All rows of these are tests above; here they start as programs, with a few rows or a part of the campaign.
    row("test tests/unit/domain/core", 0.2),
    row("test-times tests/unit/domain/core", 0.2),
    row("attacks hostile", 1),
    row("seeded-defects --trust-green", 13),
    row("faults 1 7", 1),
    row("sandboxed tests/e2e/test_tamper.py", 2),
    row("newcomers codetether", 1),
    row("repositories rust go", 3),
    row("chaos --kills 24 --minutes 4", 4),
    row("fuzz --sequences 150 --minutes 4", 4),
    row("fuzz-answers --inputs 20000", 1),
    row("follow-events --minutes 1 --clients 50", 1.5),
    row("board -k demo", 0.5),
    # What writes files of the repository: the work tree must be as before.
    row("fmt", 0.2),
    row("docs", 0.5),
    row("record-outputs", 0.5),
    row("lock", 0.3),
    row("prices", 0.1),
    row("web-schema", 0.2),
    row("openapi .cache/full/openapi.json", 0.1),
    row("board-pictures .cache/full", 2),
    row("agents", 0.1),
    row("web-dev --port 5199 --strictPort", 0.2, "http://localhost:5199/"),
    row("demo-web", 1),
    row("bench-bandit", 1),
    row("bench-cli", 1),
    row("bench-history --facts 20000", 3),
    row("bench-idle", 1),
    row("bench-install", 0.5),
    row("bench-landing", 1.5),
    row("bench-loop 1", 1),
    row("bench-makespan", 0.5),
    row("bench-overhead", 0.5),
    row("bench-prewarm 2", 0.5),
    row("bench-prompts", 0.2),
    row("bench-sandbox --rounds 10", 0.5),
    row("bench-scaling", 0.6),
    row("bench-serve", 1),
    row("bench-sessions", 2),
    row("bench-web --minutes 0.5", 2),
)

NOT_STARTED: Final = {
    "default": "lists the recipes",
    "has": "every recipe starts with it",
    "check": "is `lint` and `test`",
    "row-seconds": "measures rows of `all-tests` for the gate, and writes them down",
    "ci": "is the gate: its tests are some of `all-tests`",
    "full": "is this table",
}
"""Recipes without a row, each with the reason."""
