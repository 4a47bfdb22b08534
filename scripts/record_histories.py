"""Records histories as this release writes them into tests/golden/histories, where every later release must read them.

    python scripts/record_histories.py v2

writes the files `v2-*.json`. Files of earlier releases stay as they are: they are what the test is about.
"""

import itertools
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model import queue_facts as q
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.queue import QueueState
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import Limits, StoryState
from shiftwork.domain.model.workflow import DYNAMIC, StepKind
from shiftwork.domain.rules.decide_queue import decide_queue
from shiftwork.domain.rules.decide_run import decide_run
from shiftwork.domain.rules.decide_story import decide_story
from shiftwork.domain.rules.evolve_queue import evolve_queue
from shiftwork.domain.rules.evolve_run import evolve_run
from shiftwork.domain.rules.evolve_story import evolve_story
from shiftwork.testing.builders import asked, assignment, landing_request, planned, run_plan
from shiftwork.testing.histories import rows_of, snapshot
from shiftwork.testing.simulated_queue import QueueWorld
from shiftwork.testing.simulated_run import RunWorld
from shiftwork.testing.simulated_story import StoryWorld
from shiftwork.testing.simulation import Chance, FirstChoice, Play

FOLDER: Final = Path(__file__).resolve().parent.parent / "tests/golden/histories"
BOUND: Final = 5_000

MENDED: Final = {
    f.WorkflowEdited,
    f.WorkflowEditRejected,
    f.StepYielded,
    f.StepFailed,
    f.StepRetried,
    f.StepInterrupted,
    f.WorkspaceLost,
    f.StepCancelled,
    f.NoteWritten,
    f.EvidenceReported,
    f.StoryHeld,
    f.StoryReleased,
    f.LandingRefused,
    f.MendingPlanned,
    f.BaseMerged,
    f.StoryCompleted,
}
CANCELLED: Final = {f.StepCompleted, f.StepCancelled, f.StoryCancelRequested, f.StoryFailed}
CALLED_OFF: Final = {r.CancelRequested, r.CancelForwarded, r.StoryEnded, r.StoryRetryRequested, r.SpecTickFailed}
CONTESTED: Final = {q.BaseMissed, q.BaseMoved, q.CandidateFailed, q.EntryRefused}


@dataclass(slots=True)
class Seeded:
    """Chance that is the same every time."""

    seed: int
    source: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.source = random.Random(self.seed)  # noqa: S311 - nothing secret is drawn

    def pick[T](self, options: Sequence[T]) -> T:
        return self.source.choice(options)


def happy_story(chance: Chance) -> Play[StoryState]:
    return _story(chance, f.StoryStarted(at=0, assignment=assignment(), steps=DYNAMIC.story_steps))


def troubled_story(chance: Chance) -> Play[StoryState]:
    names = ("planning", "coding", "linting", "final_review")
    steps = (*(planned(name, max_retries=2) for name in names[:-1]), planned("sign_off", StepKind.APPROVAL))
    limits = Limits(story_usd=2.0, repairs=2, conflicts=2)
    return _story(
        chance, f.StoryStarted(at=0, assignment=assignment(limits=limits), steps=(*steps, planned(names[-1])))
    )


def _story(chance: Chance, started: f.Fact) -> Play[StoryState]:
    world = StoryWorld(chance=chance, mishaps=4, answers=4)
    play = Play(decide=decide_story, evolve=evolve_story, answer=world.answer, state=StoryState())
    play.open([started])
    return play


def run_of_three(chance: Chance) -> Play[RunState]:
    play = Play(decide=decide_run, evolve=evolve_run, answer=RunWorld(chance=chance).answer, state=RunState())
    stories = (asked(1), asked(2, after=(1,)), asked(3), asked(4))
    started = r.RunStarted(at=0, plan=run_plan(*stories, parallel=2, source="prd-json:prd.json"))
    play.open([started, r.StoryAdopted(at=0, story=stories[-1].id)])
    return play


def queue_of_a_few(chance: Chance) -> Play[QueueState]:
    world = QueueWorld(chance=chance)
    play = Play(decide=decide_queue, evolve=evolve_queue, answer=world.answer, state=QueueState())
    play.open([q.EntryQueued(at=0, branch="main", request=landing_request(9)), f.MessagesRead(at=0, upto=1)])
    return play


def first_with(kinds: set[Any], begin: Callable[[Chance], Play[Any]]) -> Play[Any]:
    """The first world by number in which a history holds all of these kinds of facts."""
    for seed in itertools.count():
        play = begin(Seeded(seed))
        play.run(BOUND)
        if kinds <= {type(fact) for fact in play.history}:
            return play
    raise AssertionError("there are numbers enough")


def recorded(plays: dict[str, Play[Any]]) -> str:
    streams = {
        stream: {"facts": rows_of(play.history), "state": snapshot(play.state)} for stream, play in plays.items()
    }
    return json.dumps(streams, indent=1, ensure_ascii=False) + "\n"


def main(release: str) -> None:
    happy: dict[str, Play[Any]] = {
        "run/r1": run_of_three(FirstChoice()),
        "story/r1/US-001": happy_story(FirstChoice()),
        "landing/repository/main": queue_of_a_few(FirstChoice()),
    }
    for play in happy.values():
        play.run(BOUND)
    troubled: dict[str, Play[Any]] = {
        "run/r1": first_with(CALLED_OFF, run_of_three),
        "story/r1/US-001": first_with(MENDED, troubled_story),
        "story/r1/US-002": first_with(CANCELLED, troubled_story),
        "landing/repository/main": first_with(CONTESTED, queue_of_a_few),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{release}-happy.json").write_text(recorded(happy), encoding="utf-8")
    (FOLDER / f"{release}-mended.json").write_text(recorded(troubled), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
