"""Stories that meet each other, a changed repository or a dead orchestrator: nothing is lost, doubled or mixed up."""

import json
from pathlib import Path

from shiftwork.testing.model_server import Say, Turn
from tests.faults.matrix import fault
from tests.faults.stage import Scene, Stage, said
from tests.patience import SECONDS, eventually

WIPE = (
    """python3 -c 'import os, shutil; [shutil.rmtree(one, True) for one in os.listdir()]; shutil.rmtree(os.getcwd())'"""
)
"""In other words than those that agents refuse by themselves."""

PARALLEL = ("--parallel", "2")


def meeting(stage: Stage, scene: Scene) -> str:
    """A command that ends when both stories have come this far."""
    other = {"US-001": "US-002", "US-002": "US-001"}[scene.story]
    return f"touch {stage.shared}/{scene.story}; until test -e {stage.shared}/{other}; do sleep 0.1; done"


@fault(8, "two stories change the same line", end="completed, 2 landed")
def conflict(stage: Stage) -> None:
    stage.lay_out(files={"shared.md": "begin\n"})

    def play(scene: Scene) -> Turn | None:
        if scene.turn:
            return None
        if scene.type == "rebase_resolve":
            return stage.shell("printf 'US-001\\nUS-002\\n' > shared.md")
        return stage.shell(f"{meeting(stage, scene)}; echo {scene.story} > shared.md; echo fine > {scene.story}.txt")

    stage.let(play)
    stage.run(stage.ask_for("US-001", "US-002"), *PARALLEL, code=0)
    assert stage.git("show", "main:shared.md").split() == ["US-001", "US-002"]


@fault(8, "cannot resolve the conflict, and says so", end="failed, 1 landed")
def unresolved(stage: Stage) -> None:
    stage.lay_out(files={"shared.md": "begin\n"})

    def play(scene: Scene) -> Turn | None:
        if scene.turn or scene.type == "rebase_resolve":
            return said("I could not resolve the conflict.")
        return stage.shell(f"{meeting(stage, scene)}; echo {scene.story} > shared.md; echo fine > {scene.story}.txt")

    stage.let(play)
    stage.run(stage.ask_for("US-001", "US-002"), *PARALLEL, code=1)
    landed = stage.git("show", "main:shared.md")
    assert landed in {"US-001", "US-002"}, "whole, and without a marker"


@fault(9, "a dependency fails", end="failed, 1 landed")
def dependency(stage: Stage) -> None:
    stage.lay_out(more="[limits]\nrepairs = 0\n")
    stage.let(lambda scene: stage.works(scene, "bad" if scene.story == "US-001" else "fine"))
    stage.run(stage.ask_for("US-001", "US-002", "US-003", needs={"US-002": ["US-001"]}), *PARALLEL, code=1)
    assert stage.story("US-002")["status"] == "blocked"
    assert not any("## Story US-002" in prompt for prompt in stage.asked()), "what waits for it was never begun"
    assert stage.log()[0] == "feat: US-003 - Part US-003", "what does not is done"


@fault(10, "cleans up without mercy, in its tree and beside it", end="completed, 1 landed")
def cleans(stage: Stage) -> None:
    stage.lay_out()

    def play(scene: Scene) -> Turn | None:
        if "the answer is ambiguous" in scene.prompt:
            return stage.works(scene)
        if scene.turn == 0:
            return stage.shell(
                "echo precious > precious.md; git clean -ffdx -e precious.md; git reset --hard; cd ..; ls"
            )
        return Say(text="I have tidied up.\n\nSTATUS: done\nSTATUS: retry")

    stage.let(play)
    stage.run(stage.ask_for("US-001"), code=0)
    history = json.loads(stage.shiftwork("export").stdout)["stories"]["US-001"]["history"]
    (failed,) = (entry for entry in history if entry["action"] == "step_failed")
    assert "+precious" in Path(failed["details"]["diff"]).read_text(), "what it had done is kept before it is undone"


@fault(10, "destroys its own tree and repository", end="completed, 1 landed")
def destroys(stage: Stage) -> None:
    stage.lay_out()

    def play(scene: Scene) -> Turn | None:
        if ", attempt 1" in scene.prompt:
            return stage.shell(WIPE) if scene.turn == 0 else Say(text="Gone.")
        return stage.works(scene)

    stage.let(play)
    stage.run(stage.ask_for("US-001"), code=0)


@fault(13, "kill -9 of the orchestrator; an orphan commits later", end="completed, 2 landed")
def killed(stage: Stage) -> None:
    stage.lay_out()
    begun, dead, resumed, late = (stage.shared / name for name in ("begun", "dead", "resumed", "late"))
    harm = f"echo late > US-001.txt; echo late > late.txt; git add -A; git commit -qm late; touch {late}"
    orphan = f"until test -e {resumed}; do sleep 0.1; done; {harm}"

    def play(scene: Scene) -> Turn | None:
        if not dead.exists():
            return stage.shell(f"touch {begun}; setsid sh -c '{orphan}'")
        if ", attempt 1" not in scene.prompt or scene.story != "US-001":
            resumed.touch()  # work continues: a process left over from before would do its harm now
        return stage.works(scene)

    stage.let(play)
    with stage.started("run", stage.ask_for("US-001", "US-002"), "--parallel", "1") as run:
        eventually(begun.exists)
        dead.touch()
        run.kill()
        run.wait(timeout=SECONDS)
    stage.resume()
    assert resumed.exists()
    assert not late.exists(), "what was left over was ended before anything went on"
    assert sorted(stage.log()) == ["feat: US-001 - Part US-001", "feat: US-002 - Part US-002", "start"]
    assert "late.txt" not in stage.git("ls-tree", "--name-only", "main")


@fault(14, "leaves locks and broken files in its repository", end="completed, 2 landed")
def locks(stage: Stage) -> None:
    stage.lay_out()
    mess = (
        "git config user.name Somebody; echo nonsense >> .git/config; mkdir -p .git/refs/heads;"
        " : > .git/index.lock; : > .git/HEAD.lock; : > .git/refs/heads/main.lock;"
    )

    def play(scene: Scene) -> Turn | None:
        if scene.turn:
            return None
        own = (
            f"echo 'of {scene.story}' > note.tmp; {meeting(stage, scene)}; grep -q {scene.story} note.tmp; rm note.tmp"
        )
        return stage.shell(f"{mess} {own}; echo fine > {scene.story}.txt")

    stage.let(play)
    before = (stage.repo / ".git" / "config").read_bytes()
    stage.run(stage.ask_for("US-001", "US-002"), *PARALLEL, code=0)
    assert (stage.repo / ".git" / "config").read_bytes() == before
    assert stage.status()["worker"] is None, "no worker holds the run"


@fault(18, "two stories listen on a port of their own", end="completed, 2 landed", alone=True)
def ports(stage: Stage) -> None:
    stage.lay_out()
    serve = (
        "import os, socket, time; from pathlib import Path;"
        " port = int(os.environ['SHIFTWORK_PORT_BASE']); place = socket.create_server(('127.0.0.1', port));"
        " Path('{file}').write_text(str(port) + ' ' + os.environ['COMPOSE_PROJECT_NAME']);"
        " time.sleep(1)"
    )

    def play(scene: Scene) -> Turn | None:
        if scene.turn:
            return None
        file = stage.shared / f"{scene.story}.port"
        server = f'python3 -c "{serve.format(file=file)}" & until test -s {file}; do sleep 0.1; done'
        return stage.shell(f"{server}; {meeting(stage, scene)}; wait; echo fine > {scene.story}.txt")

    stage.let(play)
    stage.run(stage.ask_for("US-001", "US-002"), *PARALLEL, code=0)
    first, second = ((stage.shared / f"US-00{number}.port").read_text().split() for number in (1, 2))
    assert first[0] != second[0]
    assert first[1] != second[1], "and what they start has names of its own"
