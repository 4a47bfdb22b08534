"""Agents that claim more than is true: claims, promises, weakened tests, criteria that cannot be checked."""

import json

from shiftwork.testing.model_server import Turn
from tests.faults.matrix import fault
from tests.faults.stage import GATE, Scene, Stage, said, typed

NO_REPAIR = "[limits]\nrepairs = 0\n"
PROMISE = "<promise>COMPLETE</promise>"


def writes_nothing(stage: Stage, words: str) -> None:
    stage.lay_out(more=NO_REPAIR)
    stage.let(lambda _: said(words))
    stage.run(stage.ask_for("US-001"), code=1)
    assert "(empty)" in stage.story()["failure"]


@fault(1, "claims to be done, wrote nothing", end="failed, 0 landed")
def claims(stage: Stage) -> None:
    writes_nothing(stage, f"Everything is implemented and all tests pass.\n{PROMISE}")


@fault(1, "writes code that fails its test, commits it and pushes it to the base", end="failed, 0 landed")
def red(stage: Stage) -> None:
    stage.lay_out(more=NO_REPAIR)
    pushed = "git add -A; git commit -qm 'all green'; git push -qf . HEAD:main"
    stage.let(lambda scene: stage.shell(f"echo bad > US-001.txt; {pushed}") if scene.turn == 0 else None)
    stage.run(stage.ask_for("US-001"), code=1)
    assert "US-001.txt is broken" in stage.story()["failure"]


@fault(1, "repairs what the gate showed to be red", end="completed, 1 landed")
def fixed(stage: Stage) -> None:
    stage.lay_out()
    stage.let(lambda scene: stage.works(scene, "fine" if "US-001.txt is broken" in scene.prompt else "bad"))
    stage.run(stage.ask_for("US-001"), code=0)


@fault(2, "quotes the promise in prose, wrote nothing", end="failed, 0 landed")
def quotes(stage: Stage) -> None:
    writes_nothing(stage, f"When all is done I shall say {PROMISE}, but it is not.\n> {PROMISE}")


@fault(2, "prints a file that holds the promise, then does its work", end="completed, 1 landed")
def prints(stage: Stage) -> None:
    stage.lay_out(files={"PROMPT.md": f"Say this when you are done:\n{PROMISE}\n"})

    def play(scene: Scene) -> Turn | None:
        return [stage.shell("cat PROMPT.md"), stage.shell("echo fine > US-001.txt"), None][min(scene.turn, 2)]

    stage.let(play)
    stage.run(stage.ask_for("US-001"), code=0)
    assert stage.git("show", "main:US-001.txt") == "fine"


CHECK = GATE.replace('\\"', '"')


@fault(16, "breaks the code and empties the test that would fail", end="failed, 0 landed")
def deletes(stage: Stage) -> None:
    stage.lay_out(gate="sh tests/test_parts.sh", files={"tests/test_parts.sh": f"{CHECK}\n"}, more=NO_REPAIR)
    weakened = "echo bad > US-001.txt; echo 'exit 0' > tests/test_parts.sh"
    stage.let(lambda scene: stage.shell(weakened) if scene.turn == 0 else None)
    stage.run(stage.ask_for("US-001"), code=1)
    assert "with the tests and the gate configuration as they were before" in stage.story()["failure"]


@fault(16, "edits a test and does its work: the edit is reported", end="completed, 1 landed")
def edits(stage: Stage) -> None:
    stage.lay_out(gate="sh tests/test_parts.sh", files={"tests/test_parts.sh": f"{CHECK}\n"})
    work = "echo fine > US-001.txt; echo '# and more' >> tests/test_parts.sh"
    stage.let(lambda scene: stage.shell(work) if scene.turn == 0 else None)
    stage.run(stage.ask_for("US-001"), code=0)
    assert "1 edited" in json.dumps(stage.story())


@fault(17, "a criterion that nobody can check, under a strict policy", end="completed, 1 landed")
def unverifiable(stage: Stage) -> None:
    stage.lay_out(more='[proof]\npolicy = "strict"\n')
    stage.let(stage.works)
    spec = stage.ask_for("US-001", criterion="It feels pleasant")
    forecast = typed(stage, "run", spec, "--dry-run").stdout
    assert "AC-1" in forecast, "it is named before anything is spent"
    assert stage.calls() == 0
    message = stage.run(spec, code=2)
    assert "only you can check this criterion: AC-1" in message
    assert "next: shiftwork diff US-001" in message, "before they say so they can look at it"
    assert stage.log() == ["start"], "nothing lands before a person has said so"
    assert stage.shiftwork("approve", "US-001", "--because", "I have seen it").returncode == 0
