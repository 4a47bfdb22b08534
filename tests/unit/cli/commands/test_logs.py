"""Following logs: every attempt is shown to its end, including attempts that ended before the command started."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.entrypoints.cli.commands.logs import AttemptPrinter
from shiftwork.entrypoints.cli.logs.log_lookup import Chosen, Wanted, choose, follow
from shiftwork.ports.views import StepRow
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row

FOLLOWING = Wanted(run="", story="", step="", attempt=None, follow=True)


class Logs:
    """A folder of logs, each written a little later than the one before."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._written = folder, 0

    def step(self, number: int, status: str, *, attempts: int = 1, story: str = "US-001", **more: str) -> StepRow:
        row = step_row("r1", story, f"step-00{number}")
        log = self._folder / story / f"step-00{number}-{attempts}.jsonl"
        return replace(row, status=status, attempts=attempts, started_at=float(number), log=str(log), **more)  # type: ignore[arg-type]

    def write(self, number: int, text: str, *, attempt: int = 1, story: str = "US-001") -> None:
        log = self._folder / story / f"step-00{number}-{attempt}.jsonl"
        log.parent.mkdir(exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(text)
        self._written += 1
        os.utime(log, (self._written, self._written))


def working(*stories: list[StepRow], activity: Activity = Activity.WORKING) -> RunView:
    views = [
        StoryView(
            story=replace(
                story_row("r1", steps[0].story),
                status="in_progress" if any(step.status == "in_progress" for step in steps) else "completed",
            ),
            steps=steps,
        )
        for steps in stories
    ]
    return RunView(run=run_row("r1"), activity=activity, worker=None, stories=views)


def followed(*looks: Callable[[], RunView]) -> list[str]:
    """What is read where the run looks like this from one time to the next."""
    left = iter(looks)

    def look() -> RunView:
        return next(left)()

    return [
        f"{chosen.log.parent.name} {chosen.log.stem} {line}"
        for chosen, lines in follow(look, FOLLOWING, pause=lambda _: None)
        for line in filter(None, lines)
    ]


def test_an_attempt_is_read_to_its_end_before_the_next_and_none_is_left_out(tmp_path: Path) -> None:
    logs = Logs(tmp_path)

    def first() -> RunView:
        logs.write(1, "begins\nha")
        return working([logs.step(1, "in_progress")])

    def later() -> RunView:
        logs.write(1, "lf a line\nends without a new line")
        logs.write(2, "short\n")
        logs.write(3, "not good\n")
        logs.write(2, "again\n", attempt=2)
        logs.write(3, "good\n", attempt=2)
        done = [logs.step(1, "completed"), logs.step(2, "completed", attempts=2)]
        return working([*done, logs.step(3, "in_progress", attempts=2)])

    def last() -> RunView:
        logs.write(3, "over", attempt=2)
        done = [logs.step(1, "completed"), logs.step(2, "completed", attempts=2)]
        return working([*done, logs.step(3, "completed", attempts=2)], activity=Activity.OVER)

    assert followed(first, later, last) == [
        "US-001 step-001-1 begins",
        "US-001 step-001-1 half a line",
        "US-001 step-001-1 ends without a new line",
        "US-001 step-002-1 short",
        "US-001 step-003-1 not good",
        "US-001 step-002-2 again",
        "US-001 step-003-2 good",
        "US-001 step-003-2 over",
    ]


def test_the_end_of_a_story_is_read_before_another_is_followed_and_nothing_is_read_twice(tmp_path: Path) -> None:
    logs = Logs(tmp_path)

    def first() -> RunView:
        logs.write(1, "one\n")
        return working([logs.step(1, "in_progress")])

    def other() -> RunView:
        logs.write(1, "one ends\n")
        logs.write(2, "its last step\n")
        logs.write(1, "long ago\n", story="US-002")
        logs.write(2, "two\n", story="US-002")
        mine = [logs.step(1, "completed"), logs.step(2, "completed")]
        return working(mine, [logs.step(1, "completed", story="US-002"), logs.step(2, "in_progress", story="US-002")])

    def over() -> RunView:
        mine = [logs.step(1, "completed"), logs.step(2, "completed")]
        theirs = [logs.step(1, "completed", story="US-002"), logs.step(2, "completed", story="US-002")]
        return working(mine, theirs, activity=Activity.OVER)

    assert followed(first, other, over) == [
        "US-001 step-001-1 one",
        "US-001 step-001-1 one ends",
        "US-001 step-002-1 its last step",
        "US-002 step-002-1 two",
    ]


def test_who_follows_waits_for_a_first_attempt() -> None:
    nothing = RunView(run=run_row("r1"), activity=Activity.WORKING, worker=None, stories=())
    assert followed(lambda: nothing, lambda: replace(nothing, activity=Activity.OVER)) == []


ANSWER = {"type": "assistant", "message": {"content": [{"type": "text", "text": "All done."}]}}
RESULT = {"type": "result", "result": "All done.", "total_cost_usd": 0.5}


def outcome_of(chosen: Chosen, *lines: object) -> str:
    import click  # noqa: PLC0415 - as the command prints

    @click.command()
    def command() -> None:
        writeback = AttemptPrinter()
        writeback(chosen, [json.dumps(line) for line in lines])
        writeback.end(chosen)

    return CliRunner().invoke(command).output


def chosen(step: StepRow) -> Chosen:
    found = choose(working([step]), FOLLOWING)
    assert found
    return found


def test_an_answer_is_reported_once(tmp_path: Path) -> None:
    step = chosen(Logs(tmp_path).step(1, "completed"))
    assert outcome_of(step, ANSWER, RESULT).split() == ["All", "done.", "--", "cost", "0.50", "USD"]
    assert outcome_of(step, RESULT).split() == ["answer", "All", "done.", "--", "cost", "0.50", "USD"]


@pytest.mark.parametrize(
    ("status", "error", "lines", "last"),
    [
        ("failed", "the agent crashed (exit code 3)", (), "-- the agent crashed (exit code 3)"),
        ("failed", "the agent crashed (exit code 3)", (ANSWER,), "-- the agent crashed (exit code 3)"),
        ("failed", "", (), "-- it printed nothing"),
        ("completed", "", (), "-- it printed nothing"),
        ("in_progress", "", (), "-- it has printed nothing yet"),
        ("in_progress", "", (ANSWER,), "All done."),
    ],
)
def test_what_came_of_an_attempt_is_reported_though_its_log_does_not_say(
    tmp_path: Path, status: str, error: str, lines: tuple[object, ...], last: str
) -> None:
    step = chosen(Logs(tmp_path).step(1, status, error=error))
    assert " ".join(outcome_of(step, *lines).splitlines()[-1].split()) == last
