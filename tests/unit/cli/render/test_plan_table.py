"""What is said about the order of stories before a run or a plan is started."""

from dataclasses import replace

import pytest

from shiftwork.app.views.documents.commands.plan_documents import plan_values
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec
from shiftwork.entrypoints.cli.render.plan_table import lines, starting
from shiftwork.planning.preview import StartOrder, preview
from shiftwork.testing.builders import asked, story_id

HOW = "  --parallel N works on independent stories at once; --keep-going continues after one that failed"

FIVE = "US-001, US-002, US-003, US-004, US-005"


def found(count: int, *, ordered: bool = True, **more: int | bool) -> StartOrder:
    stories: tuple[StoryId, ...] = tuple(map(story_id, range(1, count + 1)))
    known = {"planned": False, "stating": 0, "free": 1, "at_once": 1, **more}
    return StartOrder(ordered=ordered, stories=stories, **known)  # type: ignore[arg-type]  # by their names


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (found(1), []),
        (
            found(2),
            ["2 stories, one after the other because none states a dependency: US-001, US-002", HOW],
        ),
        (
            found(7),
            [
                f"7 stories, one after the other because none states a dependency: {FIVE} and 2 more",
                HOW,
            ],
        ),
        (found(3, ordered=False, at_once=3), []),
        (
            found(3, ordered=False, stating=1, free=2, at_once=2),
            ["2 of 3 stories can start at once: 1 states what it depends on"],
        ),
        (
            found(7, ordered=False, stating=2, free=5, at_once=3),
            ["5 of 7 stories can start at once, 3 of them with --parallel 3: 2 state what they depend on"],
        ),
        (
            found(3, ordered=False, stating=2),
            ["1 of 3 stories can start at once: 2 state what they depend on"],
        ),
        (
            found(1, planned=True),
            ["the planned stories are worked on one after the other, unless they state dependencies", HOW],
        ),
        (found(1, planned=True, ordered=False), []),
    ],
)
def test_how_stories_will_start_is_said_before_the_run(order: StartOrder, said: list[str]) -> None:
    assert list(starting(order)) == said


def test_an_ordered_plan_lists_its_stories_in_the_order_of_work() -> None:
    spec = Spec(title="Several", description="", stories=(asked(1), replace(asked(2), priority=-1)))
    shown = preview(spec, (), ordered=True)
    text = list(lines(shown))
    assert text[1:3] == [
        "2 stories, one after the other: none states a dependency",
        "run --parallel N works on independent stories at once",
    ]
    assert [line.split()[:2] for line in text[5:7]] == [["US-002", "-"], ["US-001", "US-002"]]
    assert plan_values(shown, ())["ordered"] is True
    assert "2 stories, 2 can start at once" in list(lines(preview(spec, ())))[1]
