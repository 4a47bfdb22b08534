"""Agents that do not end by themselves, or leave something behind: every attempt ends, and nothing outlives it."""

import signal

from shiftwork.testing.model_server import Hang, Say, Turn
from tests.faults.leftovers import naming
from tests.faults.matrix import fault
from tests.faults.stage import Scene, Stage, said
from tests.patience import SECONDS

TWICE = 2
"""Every step is tried again once before it fails."""


@fault(3, "its process is killed before it reports", end="failed, 0 landed")
def dies(stage: Stage) -> None:
    stage.lay_out()
    stage.let(lambda _: stage.shell("kill -9 $PPID"))
    stage.run(stage.ask_for("US-001"), code=1)
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("failed", TWICE)
    assert "SIGKILL" in step["error"]


@fault(3, "ends without the report it was asked for", end="completed, 1 landed")
def silent_end(stage: Stage) -> None:
    """Its work is kept, and the same session is asked once more."""
    stage.lay_out()

    def play(scene: Scene) -> Turn | None:
        if scene.turn < 2:
            return stage.works(scene) if scene.turn == 0 else Say(text="Done, trust me.")
        return Say(text="SUMMARY:\nwrote the file")

    stage.let(play)
    stage.run(stage.ask_for("US-001"), code=0)
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("completed", 2)
    assert step["notes"] == "wrote the file"


@fault(3, "contradicts itself in its report", end="failed, 0 landed")
def contradicts(stage: Stage) -> None:
    stage.lay_out()
    stage.let(lambda _: Say(text="STATUS: done\nSTATUS: retry"))
    stage.run(stage.ask_for("US-001"), code=1)
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("failed", TWICE)
    assert "ambiguous" in step["error"]


@fault(3, "works on and on: its time is up", end="failed, 0 landed")
def endless(stage: Stage) -> None:
    stage.lay_out(of_agent="time_factor = 0.002")
    stage.let(lambda _: stage.shell("for i in $(seq 100); do echo still at it; sleep 0.2; done"))
    stage.run(stage.ask_for("US-001"), code=1)
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("cancelled", TWICE)
    assert "still running after" in step["error"]


@fault(3, "makes the same call again and again", end="failed, 0 landed")
def loops(stage: Stage) -> None:
    stage.lay_out(of_agent="identical_calls = 4")
    stage.let(lambda _: stage.shell("cat start.txt"))
    stage.run(stage.ask_for("US-001"), code=1)
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("cancelled", TWICE)


@fault(4, "its model never answers", end="failed, 0 landed", within=90)
def hangs(stage: Stage) -> None:
    # An agent on a busy machine needs many seconds until it asks its model; it must not count as silent before.
    stage.lay_out(of_agent="silence_minutes = 0.4")
    stage.let(lambda _: Hang(seconds=600))
    with stage.started("run", stage.ask_for("US-001")) as run:
        # The harness soon ends a silent agent: to observe the silence, the test stops the harness.
        assert stage.server.wait_for("model", 1, SECONDS)
        run.send_signal(signal.SIGSTOP)
        stage.wait_until(lambda stories: bool(stories) and stories["US-001"]["activity"] == "stuck")
        run.send_signal(signal.SIGCONT)
        assert run.wait(timeout=SECONDS) == 1
    (step,) = stage.story()["steps"]
    assert (step["status"], step["attempts"]) == ("cancelled", TWICE)
    assert "no output for" in step["error"]


@fault(11, "leaves daemons behind", end="completed, 1 landed")
def daemons(stage: Stage) -> None:
    stage.lay_out()
    marks = [stage.shared / "plain", stage.shared / "hidden"]
    daemon = "sh -c 'touch $0; sleep 600'"
    plain, hidden = f"setsid {daemon} {marks[0]}", f"setsid env -i {daemon} {marks[1]}"
    begun = "; ".join(f"until test -e {mark}; do sleep 0.1; done" for mark in marks)
    both = f"{plain} >/dev/null 2>&1 & ({hidden} >/dev/null 2>&1 &); {begun}"
    stage.let(lambda scene: stage.shell(f"{both}; echo fine > US-001.txt") if scene.turn == 0 else None)
    with stage.started("run", stage.ask_for("US-001")) as run:
        assert run.wait(timeout=SECONDS) == 0
    assert stage.leftovers() == []
    assert [naming(mark) for mark in marks] == [[], []]


@fault(15, "answers and remembers without measure", end="completed, 2 landed")
def verbose(stage: Stage) -> None:
    stage.lay_out()
    flood = "x" * 99 + "\n"

    def play(scene: Scene) -> Turn | None:
        if scene.turn == 0:
            return stage.tool("write_note", text=flood * 3_000)
        if scene.turn == 1:
            return stage.shell(f"yes {flood[:60]} | head -c 3000000; echo fine > {scene.story}.txt")
        return said(f"{flood * 3_000}\n\nSUMMARY:\n{flood * 3_000}")

    stage.let(play)
    stage.run(stage.ask_for("US-001", "US-002", needs={"US-002": ["US-001"]}), code=0)
    assert max(map(len, stage.asked())) < 60_000, "every section of a prompt has its limit"
