"""Counts and states in plain words."""

import pytest

from shiftwork.app.views.live.board import Change
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.spec.spec import Spec
from shiftwork.entrypoints.cli.commands.diff import counted
from shiftwork.entrypoints.cli.live.progress_lines import line
from shiftwork.entrypoints.cli.render.plan_table import lines
from shiftwork.planning.preview import preview
from shiftwork.ports.changes import Difference


@pytest.mark.parametrize(("done", "message"), [(1, "the only story is done"), (2, "all 2 stories are done")])
def test_what_is_done_is_counted(done: int, message: str) -> None:
    nothing = preview(Spec(title="Greetings", description="", stories=()), ())
    assert list(lines(nothing, done))[1] == message


@pytest.mark.parametrize(
    ("added", "message"),
    [(1, "1 file changed, 1 line added, 1 removed"), (2, "1 file changed, 2 lines added, 1 removed")],
)
def test_lines_are_counted(added: int, message: str) -> None:
    changed = FileChange(path="a.py", added=added, removed=1)
    assert counted(Difference(files=(changed,), patch="")).splitlines()[-1] == message


@pytest.mark.parametrize(("text", "message"), [("cancelled", "cancelled"), ("too slow", "cancelled: too slow")])
def test_a_reason_that_says_nothing_more_is_left_out(text: str, message: str) -> None:
    change = Change(at=0.0, event="step_cancelled", story="US-001", name="coding", text=text)
    assert line(change, 120).endswith(f"  {message}")


@pytest.mark.parametrize(
    ("event", "text", "shown"),
    [
        ("landing_requested", "changes to tests: 1 edited", "ready to merge (changes to tests: 1 edited)"),
        ("landing_requested", "", "ready to merge"),
        ("landing_refused", "gate test failed: 1 error", "landing refused, gate test failed: 1 error"),
        ("repair_planned", "Repair the change: gates failed", "sent back to repair the change: gates failed"),
        ("landed", "main", "landed on main"),
        ("step_routed", "approved", "decided: approved"),
    ],
)
def test_a_line_joins_what_happened_and_its_text_as_one_sentence(event: str, text: str, shown: str) -> None:
    assert line(Change(at=0.0, event=event, story="US-001", text=text), 200).endswith(f"  {shown}")
