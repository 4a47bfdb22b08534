"""Records histories of this release in tests/golden/histories; every later release must be able to read them.

  python scripts/record_histories.py v2

writes the files `v2-*.json`. Files of earlier releases must not change: they are what the test checks.
"""

import itertools
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any, Final

from shiftwork.domain.budget.amounts import Amount, Budget, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import FRAME, Commit, StepId
from shiftwork.domain.gates.gate import GateReport, GateResult, NotNeeded
from shiftwork.domain.landing import facts as q
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.evolve import evolve_queue
from shiftwork.domain.landing.owed_gates import Blamed
from shiftwork.domain.landing.state import QueueState
from shiftwork.domain.notices.notice import NoticePlan, Occasion
from shiftwork.domain.run import facts as r
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as f
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.state import FailureCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.workflow import DYNAMIC, Route, StepKind, Workflow
from shiftwork.testing.builders import asked, assignment, landing_request, planned, run_plan
from shiftwork.testing.histories import result_of, rows_of
from shiftwork.testing.simulation.landing_queue import QueueSimulation
from shiftwork.testing.simulation.run import RunSimulation
from shiftwork.testing.simulation.simulation import Chance, FirstChoice, Play
from shiftwork.testing.simulation.story import StorySimulation

FOLDER: Final = Path(__file__).resolve().parent.parent / "tests/golden/histories"
BOUND: Final = 5_000
FRAMED: Final = Workflow(id="framed", version=1, steps=(planned("plan", plans=True), *DYNAMIC.steps))

LEFT: Final = {q.EntryWithdrawn, q.BaseMissed, q.CandidateFailed, q.EntryRefused, q.BaseMoved}
REPAIRED: Final = {
    *(f.WorkflowEditRequested, f.WorkflowEdited, f.WorkflowEditRejected),
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
    f.RepairPlanned,
    f.BaseMerged,
    f.StoryCompleted,
}
CANCELLED: Final = {f.StepCompleted, f.StepCancelled, f.StoryCancelRequested, f.StoryFailed}
CANCELLED_FIRST: Final = {
    r.CancelRequested,
    r.CancelForwarded,
    r.StoryEnded,
    r.StoryRetryRequested,
    r.SpecUpdateFailed,
    r.NoteShared,
    r.MemoryKept,
}
STEERED: Final = {
    r.RunPaused,
    r.RunUnpaused,
    r.PauseForwarded,
    r.StoryCancellationRequested,
    r.StoryAdded,
    r.StoryEdited,
    r.StoriesReordered,
    r.StoryUndoRequested,
    r.UndoPosted,
    r.UndoLanded,
    r.StoryUndone,
    r.UndoRefused,
}
ROUTED: Final = {
    f.StepRouted,
    f.WorkRefused,
    f.QuestionAsked,
    f.StoryReleased,
    f.WaitingReported,
    f.StoryCompleted,
    f.StepDeferred,
    f.WaitEnded,
}
RETRIED: Final = {f.StoryReopened, f.StoryPaused, f.StoryUnpaused, f.StoryCompleted}
JOINED: Final = {q.BatchClosed, q.BaseMoved}
CONTESTED: Final = {q.BaseMissed, q.BaseMoved, q.CandidateFailed, q.CandidateUnproved, q.EntryRefused}


@dataclass(slots=True)
class Seeded:
    """Random choices that are the same every time."""

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
    limits = Limits(story=Budget(usd=2.0), repairs=2, conflicts=2)
    return _story(
        chance, f.StoryStarted(at=0, assignment=assignment(limits=limits), steps=(*steps, planned(names[-1])))
    )


def routed_story(chance: Chance) -> Play[StoryState]:
    """A story whose review sends work back, and whose agents ask questions."""
    routes = (Route(value="good", target="final_review"), Route(value="bad", target="coding", back=True))
    review = planned("review", decision_key="DECISION", routes=routes)
    steps = (planned("coding", max_retries=3), review, planned("linting"), planned("final_review"))
    return _story(chance, f.StoryStarted(at=0, assignment=assignment(), steps=steps))


def _story(chance: Chance, started: Fact) -> Play[StoryState]:
    context = StorySimulation(chance=chance, mishaps=4, answers=4)
    play = Play(decide=decide_story, evolve=evolve_story, answer=context.answer, state=StoryState())
    play.open([started])
    return play


def run_of_three(chance: Chance) -> Play[RunState]:
    play = Play(decide=decide_run, evolve=evolve_run, answer=RunSimulation(chance=chance).answer, state=RunState())
    stories = (asked(1), asked(2, after=(1,)), asked(3), asked(4))
    started = r.RunStarted(at=0, plan=run_plan(*stories, parallel=2, source="prd-json:prd.json"))
    play.open([started, r.StoryAdopted(at=0, story=stories[-1].id)])
    return play


def waiting_run() -> Play[RunState]:
    """A run in which another story starts while the first waits for a person; people are notified of its end."""
    answer = RunSimulation(chance=FirstChoice()).answer
    play = Play(decide=decide_run, evolve=evolve_run, answer=answer, state=RunState())
    first = asked(1)
    notices = NoticePlan(occasions=tuple(Occasion), channels=("webhook",))
    play.open([r.RunStarted(at=0, plan=replace(run_plan(first, asked(2)), notices=notices))])
    play.open([r.StoryDispatched(at=1, story=first.id, slot=0), r.StoryWaits(at=2, story=first.id, waiting=True)])
    return play


def framed_run() -> Play[RunState]:
    """A run with its own steps around its stories."""
    answer = RunSimulation(chance=FirstChoice()).answer
    play = Play(decide=decide_run, evolve=evolve_run, answer=answer, state=RunState())
    play.open([r.RunStarted(at=0, plan=run_plan(asked(1), steps=FRAMED))])
    return play


def frame() -> Play[StoryState]:
    """The run's own steps, as a story: a plan, work that lands before the stories, the stories, and nothing after."""
    play = Play(decide=decide_story, evolve=evolve_story, answer=lambda *_: (), state=StoryState())
    base, tip, landed = Commit("base-1"), Commit("tip-1"), Commit("landed-1")
    step, loop = StepId("step-001"), StepId("step-002")
    own = replace(asked(1, may_be_empty=True), id=FRAME)
    play.open(
        [
            f.StoryStarted(at=0, assignment=assignment(own), steps=FRAMED.frame),
            f.WorkspacePrepared(at=1, number=1, base=base, head=base),
            f.StepStarted(at=2, step=step, attempt=1, commit=base, log=""),
            f.StoriesPlanned(at=3, by=step, stories=(asked(1), asked(2, after=(1,)))),
            f.StepCompleted(
                at=4, step=step, attempt=1, commit=tip, notes="planned", outputs=(("style", "calm"),), usage=Usage()
            ),
            f.LandingRequested(at=5, number=1, tip=tip),
            f.LandingAccepted(at=6, commit=landed, ref="main", base=base),
            f.WorkRenewed(at=7, commit=landed),
            f.LoopBegun(at=8, step=loop, attempt=1),
            f.LoopEnded(at=9, round=1, landed=2, failed=(), context=(("changes", "two files"),)),
            f.StoryCompleted(at=10, commit=landed),
        ]
    )
    return play


def budgeted_run() -> Play[RunState]:
    """A run with a limit that is reached, then raised."""
    play = Play(decide=decide_run, evolve=evolve_run, answer=lambda *_: (), state=RunState())
    story, limits, used = asked(1), Limits(run=Budget(usd=1.0)), Usage(input_tokens=9, cost_usd=1.25)
    play.open(
        [
            r.RunStarted(at=0, plan=replace(run_plan(story), limits=limits)),
            r.StoryDispatched(at=1, story=story.id, slot=0),
            r.AllowanceAsked(at=2, story=story.id, number=1, kind="coding", bounded=True),
            r.AmountReserved(at=3, story=story.id, number=1, amount=Amount(usd=1.0, tokens=9)),
            r.AttemptSettled(at=4, story=story.id, number=1, used=used),
            r.AllowanceAsked(at=5, story=story.id, number=2, kind="coding", bounded=True),
            r.ShortageReported(at=6, story=story.id, number=2),
            r.LimitsRaised(at=7, limits=Limits(run=Budget(usd=9.0))),
            r.OptionsChanged(at=8, named=("agent", "model"), agent="codex", model="cheap", parallel=2),
        ]
    )
    return play


def budgeted_story() -> Play[StoryState]:
    """A story whose attempt is cut short, and which waits until its run has more budget."""
    play = Play(decide=decide_story, evolve=evolve_story, answer=lambda *_: (), state=StoryState())
    given, base, step = assignment(limits=Limits(run=Budget(usd=1.0))), Commit("base-1"), StepId("step-001")
    used = Usage(input_tokens=9, cost_usd=1.25)
    reached = Reached(whose=Whose.RUN, limit=Budget(usd=1.0), spent=Budget(usd=1.25))
    missed = partial(f.SummaryMissed, at=11, step=step, attempt=2, commit=base, usage=used)
    play.open(
        [
            f.StoryStarted(at=0, assignment=given, steps=(planned("coding"),)),
            f.WorkspacePrepared(at=1, number=1, base=base, head=base),
            f.AllowanceClaimed(at=2, number=1),
            f.AllowanceGranted(at=3, number=1, cap=1.0),
            f.StepStarted(at=4, step=step, attempt=1, commit=base, log="", agent="scripted"),
            f.StepCutShort(at=5, step=step, attempt=1, usage=used, diff="half.diff"),
            f.AllowanceSettled(at=6, number=1),
            f.AllowanceClaimed(at=7, number=2),
            f.AllowanceRefused(at=8, number=2, detail="the run has spent 1.25 of 1.00 USD", reached=reached),
            f.AllowanceGranted(at=9, number=2, cap=6.0),
            f.StepStarted(at=10, step=step, attempt=2, commit=base, log="", agent="scripted"),
            missed(outputs=(("status", "done"),), session="session-1", home="home-1", note="1 file changed"),
        ]
    )
    return play


def run_limited_later() -> Play[RunState]:
    """A run that gets its limit when the first story has ended and the second is in progress."""
    play = Play(decide=decide_run, evolve=evolve_run, answer=lambda *_: (), state=RunState())
    first, second, used = asked(1), asked(2), Usage(input_tokens=9, cost_usd=1.25, attempts=1)
    play.open(
        [
            r.RunStarted(at=0, plan=run_plan(first, second, parallel=2)),
            r.StoryDispatched(at=1, story=first.id, slot=0),
            r.StoryDispatched(at=2, story=second.id, slot=1),
            r.StoryEnded(
                at=3,
                story=first.id,
                status=StoryStatus.FAILED,
                commit=Commit(""),
                reason="no luck",
                cause=FailureCause.STEP,
                usage=used,
                unrecorded=used,
            ),
            r.LimitsRaised(at=4, limits=Limits(run=Budget(usd=9.0))),
            r.LimitsForwarded(at=5, story=second.id),
            r.AttemptSettled(at=6, story=second.id, number=0, used=used),
        ]
    )
    return play


def story_limited_later() -> Play[StoryState]:
    """A story that receives a limit after its first attempt."""
    play = Play(decide=decide_story, evolve=evolve_story, answer=lambda *_: (), state=StoryState())
    base, step = Commit("base-1"), StepId("step-001")
    used = Usage(input_tokens=9, cost_usd=1.25)
    play.open(
        [
            f.StoryStarted(at=0, assignment=assignment(), steps=(planned("coding"), planned("final_review"))),
            f.WorkspacePrepared(at=1, number=1, base=base, head=base),
            f.StepStarted(at=2, step=step, attempt=1, commit=base, log="", agent="scripted"),
            f.StepCompleted(at=3, step=step, attempt=1, commit=Commit("tip-1"), notes="", outputs=(), usage=used),
            f.LimitsSet(at=4, limits=Limits(run=Budget(usd=9.0), story=Budget(tokens=99))),
            f.AllowanceSettled(at=5, number=0),
        ]
    )
    return play


def steered_run(chance: Chance) -> Play[RunState]:
    """A run that receives many requests from people."""
    context = RunSimulation(chance=chance, cancels=0, retries=6, notes=0, wishes=60)
    play = Play(decide=decide_run, evolve=evolve_run, answer=context.answer, state=RunState())
    play.open([r.RunStarted(at=0, plan=run_plan(asked(1), asked(2, after=(1,)), *map(asked, range(3, 9)), parallel=2))])
    return play


def retried_story(chance: Chance) -> Play[StoryState]:
    """A story that ends, and is started again under a pause if it fails."""
    play = troubled_story(chance)
    play.run(BOUND)
    given = assignment()
    play.open([f.StoryReopened(at=900, assignment=given, steps=DYNAMIC.story_steps, from_scratch=True, cursor=99)])
    play.open([f.StoryPaused(at=901), f.StoryUnpaused(at=902)])
    return play


def queue_of_a_few(chance: Chance) -> Play[QueueState]:
    context = QueueSimulation(chance=chance)
    play = Play(decide=decide_queue, evolve=evolve_queue, answer=context.answer, state=QueueState())
    play.open([q.EntryQueued(at=0, branch="main", request=landing_request(9)), MessagesRead(at=0, upto=1)])
    return play


def queue_that_is_left(chance: Chance) -> Play[QueueState]:
    context = QueueSimulation(chance=chance, requests=5, withdrawals=3)
    return Play(decide=decide_queue, evolve=evolve_queue, answer=context.answer, state=QueueState())


def story_reverted() -> Play[StoryState]:
    """A story that is paused while it waits to land, requests to land again when it continues, and is then
    cancelled.
    """
    base, step, context = Commit("base-0"), StepId("step-001"), StorySimulation(chance=FirstChoice())
    play = Play(decide=decide_story, evolve=evolve_story, answer=context.answer, state=StoryState())
    play.open(
        [
            f.StoryStarted(at=0, assignment=assignment(), steps=(planned("coding"),)),
            f.WorkspacePrepared(at=1, number=1, base=base, head=base),
            f.StepStarted(at=2, step=step, attempt=1, commit=base, log="", agent="scripted"),
            f.StepCompleted(at=3, step=step, attempt=1, commit=Commit("tip-1"), notes="", outputs=(), usage=Usage()),
            f.LandingRequested(at=4, number=1, tip=Commit("tip-1")),
            f.StoryPaused(at=5),
            f.LandingWithdrawalAsked(at=6, number=1),
            f.LandingWithdrawn(at=7, number=1),
            f.StoryUnpaused(at=8),
            f.LandingRequested(at=9, number=2, tip=Commit("tip-1")),
            f.StoryCancelRequested(at=10),
            f.LandingWithdrawalAsked(at=11, number=2),
            f.LandingWithdrawn(at=12, number=2),
        ]
    )
    play.run(BOUND)
    return play


def missing_run() -> Play[RunState]:
    """A run whose branch is moved back when its story has landed, and forward again; then it is moved back for good."""
    play = Play(decide=decide_run, evolve=evolve_run, answer=lambda *_: (), state=RunState())
    story = asked(1)
    play.open(
        [
            r.RunStarted(at=0, plan=run_plan(story, asked(2, after=(1,)))),
            r.StoryDispatched(at=1, story=story.id, slot=0),
            r.StoryEnded(
                at=2,
                story=story.id,
                status=StoryStatus.COMPLETED,
                commit=Commit("landed-1"),
                base=Commit("base-1"),
                reason="",
                cause=None,
                usage=Usage(),
            ),
            r.LandedSought(at=3, missing=(story.id,)),
            r.LandedSought(at=4, found=(story.id,)),
            r.LandedSought(at=5, missing=(story.id,)),
        ]
    )
    return play


def missing_story() -> Play[StoryState]:
    """The landed story of that run."""
    play = happy_story(FirstChoice())
    play.run(BOUND)
    reason = "landed as landed-1, no longer found on main"
    play.open([f.StoryMissed(at=901, reason=reason), f.StoryMissed(at=902, reason="")])
    play.open([f.StoryMissed(at=903, reason=reason)])
    return play


def withdrawn() -> dict[str, Play[Any]]:
    return {
        "story/r7/US-001": story_reverted(),
        "landing/repository/main": first_with(LEFT, queue_that_is_left),
        "run/r8": missing_run(),
        "story/r8/US-001": missing_story(),
    }


def dismissed() -> dict[str, Play[Any]]:
    """A story that failed for good and that a person dismissed, and its run, which ends again without it."""
    run = Play(decide=decide_run, evolve=evolve_run, answer=lambda *_: (), state=RunState())
    run.open([r.RunStarted(at=1, plan=run_plan(asked(1)))])
    failed = r.StoryEnded(
        at=3,
        story=asked(1).id,
        status=StoryStatus.FAILED,
        commit=Commit(""),
        reason="no luck",
        cause=FailureCause.STEP,
        usage=Usage(),
    )
    run.open([r.StoryDispatched(at=2, story=asked(1).id), failed, r.RunEnded(at=4, status=RunStatus.FAILED)])
    run.open([r.StoryDismissalRequested(at=5, story=asked(1).id), r.DismissalForwarded(at=6, story=asked(1).id)])
    story = Play(decide=decide_story, evolve=evolve_story, answer=lambda *_: (), state=StoryState())
    story.open(
        [
            f.StoryStarted(at=2, assignment=assignment(), steps=(planned("coding"),)),
            f.StoryFailed(at=3, cause=FailureCause.STEP, reason="no luck"),
            f.StoryReported(at=3),
            f.StoryDismissed(at=5),
        ]
    )
    queue = queue_of_a_few(FirstChoice())
    queue.run(BOUND)
    return {"run/r9": run, "story/r9/US-001": story, "landing/repository/main": queue}


def queue_with_debt() -> Play[Any]:
    """A landing that skipped a gate, which is red on the tip later."""
    play = queue_of_a_few(FirstChoice())
    play.run(BOUND)
    skipped = NotNeeded(name="api", reason="no changed file matches api/**")
    facts = [
        replace(fact, report=replace(fact.report, not_needed=(skipped,)))
        if isinstance(fact, q.CandidateVerified)
        else fact
        for fact in play.history
    ]
    state = reduce(evolve_queue, facts, QueueState())
    (debt,) = state.owed
    report = GateReport(commit=Commit("tip"), results=(GateResult(name="api", passed=False, seconds=1.5),))
    found = q.OwedGatesRun(at=20, report=report, blamed=(Blamed(gate="api", landed=debt.landed[0]),), gone=("web",))
    owing: Play[Any] = Play(decide=decide_queue, evolve=evolve_queue, answer=play.answer, state=QueueState())
    owing.open([*facts, found])
    return owing


def first_with(kinds: set[Any], begin: Callable[[Chance], Play[Any]]) -> Play[Any]:
    """The first simulation, by seed, whose history contains all of these kinds of facts."""
    for seed in itertools.count():
        play = begin(Seeded(seed))
        play.run(BOUND)
        if kinds <= {type(fact) for fact in play.history}:
            return play
    raise AssertionError("unreachable: seeds are unlimited")


def recorded(plays: dict[str, Play[Any]]) -> str:
    streams = {
        stream: {"facts": rows_of(play.history), **result_of(stream, play.history)} for stream, play in plays.items()
    }
    return json.dumps(streams, indent=1, ensure_ascii=False) + "\n"


def main(release: str) -> None:
    happy: dict[str, Play[Any]] = {
        "run/r1": run_of_three(FirstChoice()),
        "story/r1/US-001": happy_story(FirstChoice()),
        "landing/repository/main": queue_of_a_few(FirstChoice()),
        "run/r3": waiting_run(),
        "run/r4": framed_run(),
        "story/r4/_run": frame(),
    }
    for play in happy.values():
        play.run(BOUND)
    troubled: dict[str, Play[Any]] = {
        "run/r1": first_with(CANCELLED_FIRST, run_of_three),
        "story/r1/US-001": first_with(REPAIRED, troubled_story),
        "run/r2": first_with(STEERED, steered_run),
        "story/r1/US-002": first_with(CANCELLED, troubled_story),
        "story/r3/US-001": first_with(ROUTED, routed_story),
        "story/r2/US-001": first_with(RETRIED, retried_story),
        "landing/repository/main": first_with(CONTESTED, queue_of_a_few),
        "run/r5": budgeted_run(),
        "story/r5/US-001": budgeted_story(),
        "run/r6": run_limited_later(),
        "story/r6/US-002": story_limited_later(),
    }
    troubled["story/r2/US-001"].open([f.StoryReverted(at=999, commit=Commit("taken-back"))])
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, plays in (
        ("happy", happy),
        ("repaired", troubled),
        ("withdrawn", withdrawn()),
        ("dismissed", dismissed()),
        ("owed", {"landing/repository/main": queue_with_debt()}),
        ("joined", {"landing/repository/main": first_with(JOINED, queue_that_is_left)}),
    ):
        (FOLDER / f"{release}-{name}.json").write_text(recorded(plays), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
