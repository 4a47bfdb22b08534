"""Work that landed beside the branch of its run: where it is, why, and the commands that merge it."""

import pytest

from shiftwork.app.views.run_views import Activity
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.entrypoints.cli.render import next_steps
from shiftwork.entrypoints.cli.run_status import status_text
from shiftwork.ports.rows.row_parts import WaitCause
from tests.unit.cli.render.test_next_steps import story, view


def test_what_has_been_merged_since_is_not_to_be_merged() -> None:
    held = story("US-001", "completed", commit="98b0361d2f", ref="shiftwork/landed/main", ended_at=9.0)
    run = view(Activity.OVER, held, status="completed")
    assert list(next_steps.after(run)) == [("git merge shiftwork/landed/main", "")]
    assert list(next_steps.after(run, None)) == [("git show --text 98b0361d2f", "")]


@pytest.mark.parametrize("activity", [Activity.WORKING, Activity.WAITING, Activity.INTERRUPTED, Activity.OVER])
def test_work_beside_the_branch_is_reported_also_if_the_run_is_not_done(activity: Activity) -> None:
    held = story("US-001", "completed", commit="98b0361d2f", ref="shiftwork/landed/main", ended_at=9.0)
    other = story("US-002", "in_progress", waiting="may it land?", hold=WaitCause.APPROVAL)
    if activity is Activity.OVER:
        other = story("US-002", "failed", failure="no luck", ended_at=8.0)
    run = view(activity, held, other, status="failed" if activity is Activity.OVER else "running")
    lines = status_text(run, obstacle=Obstacle(files=("a.txt",))).splitlines()
    assert "landed: on shiftwork/landed/main and not on main, because you have edits in a.txt" in lines
    assert "git stash push -u -- a.txt    (or commit these edits)" in [line.strip() for line in lines]
    assert lines[-1].removeprefix("next:").strip() == "git merge shiftwork/landed/main"
    merged = status_text(run, obstacle=None)
    assert "shiftwork/landed" not in merged.replace("landed on shiftwork/landed/main", "")
    assert "git merge" not in merged


def test_a_merge_is_typed_for_the_worktree_that_has_the_branch_checked_out() -> None:
    held = story("US-001", "completed", commit="98b0361d2f", ref="shiftwork/landed/main", ended_at=9.0)
    run = view(Activity.OVER, held, status="completed")
    obstacle = Obstacle(files=("a.txt",), tree="/home/me/other tree")
    assert [command for command, _ in next_steps.after(run, obstacle)] == [
        "git -C '/home/me/other tree' stash push -u -- a.txt",
        "git -C '/home/me/other tree' merge shiftwork/landed/main",
    ]
    message = next_steps.held_because("main", obstacle)
    assert message == "because you have edits in a.txt (worktree /home/me/other tree)"
