"""Many sequences of lines: an interrupted run, then random commands, then `resume`."""

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.fuzz.stage import MODES, Ended, Stage, new_stage
from tests.fuzz.typed import Line, commands, line

SEQUENCES_A_START: Final = 40
"""So many sequences begin from one and the same state; making that takes longest."""

_TRIES: Final = 12
_REPORT_EVERY: Final = 50
_RESUMED: Final = 0.3
_LONGEST_SECONDS: Final = 1.5

_SELDOM: Final = {"demo": 1, "plan": 4, "run": 6, "doctor": 8, "init": 8, "proof": 8, "undo": 12, "retry": 12}
"""They take seconds; every other command is typed twenty times where these are so often."""

_INTERESTING: Final = frozenset({"Add a greeting", "prd.json", "one.json"})

_INTERRUPTIONS: Final = (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
_SIGNALLED: Final = frozenset({0, 1, 2, 64, 130, -signal.SIGTERM, -signal.SIGKILL, -signal.SIGINT})
_ORDINARY: Final = frozenset({0, 1, 2, 64})


@dataclass
class Campaign:
    """What was typed, and what was wrong with what came back."""

    seed: int
    sequences: int = 0
    typed: Counter[str] = field(default_factory=Counter)
    codes: Counter[int] = field(default_factory=Counter)
    interrupted: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def play(campaign: Campaign, sequences: int, until: float, say: Callable[[str], None]) -> None:
    """As many sequences as that, or as time allows."""
    random = Random(campaign.seed)  # noqa: S311 - nothing is kept secret by it
    while campaign.sequences < sequences and time.monotonic() < until:
        with new_stage() as stage:
            _begin(campaign, stage, random)
            stage.save()
            for _ in range(min(SEQUENCES_A_START, sequences - campaign.sequences)):
                if time.monotonic() > until:
                    return
                before = len(campaign.wrong)
                _sequence(campaign, stage, random)
                for problem in campaign.wrong[before:]:
                    say(problem)
                stage.restore()
                if campaign.sequences % _REPORT_EVERY == 0:
                    say(f"seed {campaign.seed}: {campaign.sequences} sequences")


def _begin(campaign: Campaign, stage: Stage, random: Random) -> None:
    """One run or two, each with any options, and interrupted at any moment; most of what is typed begins none."""
    history: list[Line] = []
    wanted = random.choice((1, 1, 2))
    for _ in range(_TRIES):
        if len(stage.runs()) < wanted:
            _change(stage, random)
            typed = line(random, "run", stage.runs(), most=2)
            while typed.words[-1] not in _INTERESTING or "--dry-run" in typed.words:
                typed = line(random, "run", stage.runs(), most=2)
            _type(campaign, stage, random, typed, history)


def _sequence(campaign: Campaign, stage: Stage, random: Random) -> None:
    history: list[Line] = []
    weights = {name: _SELDOM.get(name, 20) for name in commands()}
    for name in random.choices(list(weights), list(weights.values()), k=random.choice((1, 1, 1, 2))):
        _change(stage, random)
        _type(campaign, stage, random, line(random, name, stage.runs()), history)
    if random.random() < _RESUMED:
        _change(stage, random)
        _type(campaign, stage, random, line(random, "resume", stage.runs()), history)
    campaign.sequences += 1


def _change(stage: Stage, random: Random) -> None:
    """Agents behave differently, and the settings may have been edited."""
    stage.behave(random.choice(MODES))
    if random.random() < 0.4:
        stage.settle(random)


def _type(campaign: Campaign, stage: Stage, random: Random, wanted: Line, history: list[Line]) -> None:
    env = {"SHIFTWORK_TRUST": random.choice(("1", "1", "1", ""))}
    ended = stage.types(wanted, env, random.choice(_INTERRUPTIONS), random.uniform(0.05, _LONGEST_SECONDS))
    history.append(wanted)
    campaign.typed[wanted.command] += 1
    campaign.codes[ended.code] += 1
    campaign.interrupted[ended.signalled] += bool(ended.signalled)
    found = [*wrong(ended), *(f"an internal error:\n{text}" for text in stage.crashes())]
    if found:
        before = "\n".join(f"    shiftwork {' '.join(map(repr, line.words))}" for line in history)
        campaign.wrong.append("\n".join((*found, "after:", before, f"{ended.out[-1500:]}\n{ended.err[-1500:]}")))


def wrong(ended: Ended) -> Iterator[str]:
    """What must never happen, for any command lines and interruptions."""
    said = f"{ended.out}\n{ended.err}"
    if ended.hangs:
        yield f"{ended.line.command} hangs"
    elif ended.code not in (_SIGNALLED if ended.signalled else _ORDINARY):
        yield f"{ended.line.command} ends with {ended.code}"
    if "Traceback (most recent" in said or "this should not have happened" in said:
        yield f"{ended.line.command} has an internal error"
    elif ended.code in {1, 64} and not _leads_on(ended):
        yield f"{ended.line.command} refuses with {ended.code} and no next command"


def _leads_on(ended: Ended) -> bool:
    """Whether a refusal says what to type or to do next; one that a program reads may be a result with its reasons."""
    if not ended.line.as_json:
        return "  try: " in f"{ended.out}\n{ended.err}" or "next: " in ended.out or "try: " in ended.err
    documents = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{")]
    errors = [document for document in documents if document["schema"] == "shiftwork/error/1"]
    return all(error["hint"] for error in errors) and bool(documents)


def table(campaigns: Sequence[Campaign]) -> Iterator[str]:
    typed, codes, interrupted = Counter[str](), Counter[int](), Counter[str]()
    for campaign in campaigns:
        typed += campaign.typed
        codes += campaign.codes
        interrupted += campaign.interrupted
    yield f"{'command':<20} typed"
    yield from (f"{name:<20} {typed[name]:>5}" for name in commands())
    yield f"exit codes: {', '.join(f'{code}: {count}' for code, count in sorted(codes.items()))}"
    yield f"interrupted: {', '.join(f'{name}: {count}' for name, count in sorted(interrupted.items()))}"
