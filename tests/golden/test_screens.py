"""What a terminal shows of a run, in every state, at 80 and 120 columns: `screens/*.txt`.

`PYTHONPATH=.:src python tests/golden/test_screens.py` writes the files anew; look at each of them before you commit it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from shiftwork.app.views.overview import overview
from shiftwork.app.views.queries import RunRows, assembled
from shiftwork.app.views.run_views import RunView
from shiftwork.entrypoints.cli.live.story_lines import Sheet
from shiftwork.entrypoints.cli.live.table import run_lines
from shiftwork.ports.rows.row_parts import LandingPart, LimitPart, ProofPart, UsedPart, WaitCause, WaitingPart
from shiftwork.ports.views import Owner, RunRow, StepRow, StoryRow

FOLDER: Final = Path(__file__).parent / "screens"
SIZES: Final = ((80, 20), (120, 36))
NOW: Final = 1320.0
HERE: Final = Owner(executor="", host="laptop", pid=812, pid_started=0.0)
TITLES: Final = (
    "Parcels have a tracking number",
    "Parcels have a state",
    "States change in one direction",
    "A parcel shows its history",
    "Couriers report a position",
    "Positions are on a map",
    "Returned parcels",
    "Arrival day",
    "Notify by e-mail",
    "Courier timeouts",
    "Search by recipient",
    "Search by postal code",
    "Import from CSV",
    "Export to CSV",
)


def story(number: int, status: str = "unclaimed", **more: Any) -> StoryRow:
    row = StoryRow(
        run="1nfmvp",
        story=f"US-{number:03}",
        position=number,
        title=TITLES[number - 1],
        status=status,
        step="S-001" if status == "in_progress" else "",
        failure="",
        cause="",
        started_at=None if status in {"unclaimed", "blocked"} else 60.0 * number,
        ended_at=None,
    )
    return replace(row, **more)


def landed(number: int) -> StoryRow:
    return story(
        number,
        "completed",
        ended_at=60.0 * number + 300,
        landing=LandingPart(progress="landed", commit="4e1c9aa0b1", ref="main"),
        proof=ProofPart(level="proved", shown=2, criteria=2),
        used=UsedPart(cost_usd=0.35, tries=3),
    )


def working(number: int, **more: Any) -> StoryRow:
    return story(number, "in_progress", used=UsedPart(cost_usd=0.31, tries=2), **more)


def failed(number: int, **more: Any) -> StoryRow:
    failure = "not landed (gates) after 2 repairs: gate test failed\nAssertionError: expected 1 error, got 0"
    refused = LandingPart(progress="refused", refusal="gates")
    return story(number, "failed", ended_at=1200.0, failure=failure, landing=refused, **more)


def step(number: int, name: str, status: str = "in_progress", **more: Any) -> StepRow:
    row = StepRow(
        run="1nfmvp",
        story=f"US-{number:03}",
        step="S-001",
        position=0,
        name=name,
        type=name,
        kind="agent",
        status=status,
        description="",
        attempts=1,
        restarts=0,
        notes="",
        error="",
        skip_reason="",
        started_at=NOW - 62,
        ended_at=None,
        log="log",
    )
    return replace(row, **more)


def asks(cause: WaitCause, detail: str, *choices: str, **more: Any) -> dict[str, Any]:
    return {"waiting": WaitingPart(cause=cause, detail=detail, choices=choices), **more}


QUESTION = asks(WaitCause.QUESTION, "Should a returned parcel keep its tracking number?", "keep", "new number")
APPROVAL = asks(WaitCause.APPROVAL, "its gates passed; it changes 4 files")
LIMIT = asks(
    WaitCause.LIMIT,
    "the run has spent 19.20 of 20.00 USD, and the next attempt may need 1.40 USD",
    limit=LimitPart(whose="run", usd=20.0, spent_usd=19.2, needed_usd=1.4),
)
RATE = {"waiting": WaitingPart(cause=WaitCause.RATE_LIMIT, detail="5 hour limit reached", until=3600.0)}
SIX = tuple(landed(number) for number in range(1, 7))
QUEUE = (story(11, depends_on=("US-009",)), story(12), story(14))
GATES = {"landing": LandingPart(progress="requested")}
AT_WORK = (working(8, **GATES), working(9), working(10))
STEPS = {
    "US-008": [step(8, "final_review", "completed", ended_at=NOW - 31)],
    "US-009": [step(9, "coding", attempts=2, started_at=NOW - 250)],
    "US-010": [step(10, "review")],
}
DOING = {
    "US-008": "test is running, then landing",
    "US-009": "editing mailer.py",
    "US-010": "running git diff --stat main",
}
ONE = [
    step(1, "sizing", "completed", ended_at=NOW - 900, seconds=12.0),
    step(1, "coding", "completed", step="S-002", position=1, seconds=200.0, attempts=2),
    step(1, "repair", step="S-003", position=2),
    step(1, "final_review", "pending", step="S-004", position=3, attempts=0, started_at=None),
]


def seen(
    *stories: StoryRow, steps: Mapping[str, Sequence[StepRow]] = STEPS, worker: Owner | None = HERE, **run: Any
) -> RunView:
    row = RunRow(
        run="1nfmvp",
        title="Parcel tracking",
        status="running",
        workflow="default",
        agent="claude-code",
        branch="main",
        stories=len(stories),
        completed=0,
        failed=0,
        cost_usd=None,
        started_at=0.0,
        ended_at=None,
        max_usd=20.0,
        options=json.dumps({"parallel": 3}),
    )
    rows = RunRows(run=replace(row, **run), stories=stories, steps=steps, waited=(), spent=())
    return assembled(rows, worker)


SCREENS: Final[dict[str, RunView]] = {
    "working": seen(*SIX, *AT_WORK, *QUEUE),
    "everything": seen(*SIX, working(7, **QUESTION), *AT_WORK, *QUEUE[:2], failed(13), QUEUE[2]),
    "approval": seen(*SIX, working(7, **APPROVAL), *AT_WORK, *QUEUE),
    "limit": seen(*SIX, working(8, **LIMIT), working(9, **LIMIT), *QUEUE),
    "rate_limit": seen(*SIX, working(9, **RATE), *QUEUE),
    "paused": seen(*SIX, replace(working(9), status="paused"), *QUEUE, status="paused"),
    "blocked": seen(*SIX, failed(9), story(11, "blocked", failure="US-009 failed"), story(12)),
    "many": seen(
        *(replace(working(10), story=f"US-{number}", position=number) for number in range(20, 32)),
        *(replace(story(12), story=f"US-{number}", position=number) for number in range(40, 90)),
        *(replace(failed(13), story=f"US-{number}", position=number) for number in range(95, 97)),
    ),
    "undone": seen(*SIX[:5], replace(SIX[5], status="undone"), story(7, "cancelled")),
    "over": seen(*SIX, status="completed", ended_at=1200.0, worker=None),
    "one_story": seen(working(1), steps={"US-001": ONE}),
    "one_question": seen(working(1, **QUESTION), steps={"US-001": ONE}),
    "queued": seen(story(1), story(2, depends_on=("US-001",)), options=json.dumps({"ordered": True})),
}


def screen(name: str, width: int, height: int) -> str:
    view = SCREENS[name]
    ids = {item.story.story for item in view.stories}
    doing = {story: text for story, text in DOING.items() if story in ids and view.moves}
    if name == "one_story":
        doing = {"US-001": "running pytest -q tests/test_states.py"}
    if name == "rate_limit":
        doing = {"US-009": "until 01:00:00: 5 hour limit reached"}
    sheet = Sheet(view=view, glance=overview(view, NOW), doing=doing, now=NOW, room=width)
    return "\n".join(line.text.rstrip() for line in run_lines(sheet, height)) + "\n"


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_it_was_looked_at(name: str, width: int, height: int) -> None:
    assert screen(name, width, height) == (FOLDER / f"{name}-{width}.txt").read_text(encoding="utf-8")


def test_no_other_screen_is_kept() -> None:
    kept = {path.stem for path in FOLDER.glob("*.txt")}
    assert kept == {f"{name}-{width}" for name in SCREENS for width, _ in SIZES}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in SCREENS:
        for width, height in SIZES:
            (FOLDER / f"{name}-{width}.txt").write_text(screen(name, width, height), encoding="utf-8")
