"""Agents that would continue to spend: idle, cancelled, over their limit, or refused by their service."""

import json
import time
from collections.abc import Mapping

from shiftwork.testing.model_server import Fail, Say, Tokens, Turn
from tests.faults.matrix import fault
from tests.faults.stage import Scene, Stage, typed
from tests.patience import SECONDS, Stopwatch, eventually

MUCH = Tokens(input=20_000, output=2_000)
QUIET_SECONDS = 3


@fault(5, "nothing to do but wait: nobody is asked", end="completed, 1 landed")
def idle(stage: Stage) -> None:
    stage.lay_out()
    stage.let(lambda scene: asks_first(stage, scene))
    stage.run(stage.ask_for("US-001"), code=2)
    before = stage.calls()
    time.sleep(QUIET_SECONDS)
    stage.resume(code=2)
    assert stage.calls() == before, "waiting, looking and carrying on with nothing to do cost nothing"
    answered = stage.shiftwork("answer", "US-001", "blanks")
    assert answered.returncode == 0, answered.stdout + answered.stderr
    before = stage.calls()
    stage.shiftwork("resume")
    stage.shiftwork("report")
    assert stage.calls() == before, "neither does a run that is over"


def asks_first(stage: Stage, scene: Scene) -> Turn | None:
    if "Answer:" in scene.prompt:
        return stage.works(scene)
    return stage.tool("ask", question="Tabs or blanks?", options=["tabs", "blanks"]) if scene.turn == 0 else None


@fault(6, "is cancelled in the middle of a long command", end="cancelled, 0 landed")
def cancelled(stage: Stage) -> None:
    stage.lay_out()
    stage.let(lambda _: stage.shell(f"echo $$ > {stage.shared}/pid; sleep 300; echo x; sleep 300"))
    with stage.started("run", stage.ask_for("US-001")) as run:
        eventually((stage.shared / "pid").exists)
        watch = Stopwatch()
        assert stage.shiftwork("cancel").returncode == 0
        run.wait(timeout=SECONDS)
        assert watch.within(15), "its whole tree of processes is ended within seconds"
    assert stage.leftovers() == []
    before = stage.calls()
    time.sleep(1)
    assert stage.calls() == before


@fault(6, "would spend more than it may", end="completed, 2 landed")
def spends(stage: Stage) -> None:
    stage.lay_out()

    def play(scene: Scene) -> Turn | None:
        return stage.works(scene) or Say(text="SUMMARY:\nall is done\n", usage=MUCH)

    stage.let(play)
    spec = stage.ask_for("US-001", "US-002", needs={"US-002": ["US-001"]})
    message = stage.run(spec, "--max-tokens", "30000", code=2)
    assert "of 30000 tokens" in message
    assert len(stage.log()) == 2, "the first story has landed; the second was not begun, for it might cost as much"
    before = stage.calls()
    stage.resume(code=2)
    assert stage.calls() == before, "without a higher limit no agent is asked"
    stage.resume("--max-tokens", "900000")


def login(stage: Stage) -> Mapping[str, str]:
    """The environment variables of a logged-in user: their service reports when a limit ends."""
    if stage.agent != "claude-code":
        return {}
    return {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-scripted"}


def refusal(stage: Stage, seconds: float) -> Fail:
    """A limit that ends in so many seconds, reported as each service reports it."""
    ends = int(time.time() + seconds)  # noqa: TID251 - a server's own clock
    if stage.agent == "claude-code":
        values = {"status": "rejected", "reset": str(ends), "representative-claim": "five_hour"}
        headers = {f"anthropic-ratelimit-unified-{name}": value for name, value in values.items()}
        return Fail(status=429, headers={**headers, "retry-after": "3600"})
    body = {"error": {"type": "usage_limit_reached", "message": "used up", "resets_at": ends}}
    headers = {
        "x-codex-primary-used-percent": "100.0",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": str(ends),
    }
    return Fail(status=429, body=body, headers=headers)


def sent_away_once(stage: Stage, seconds: float) -> None:
    """The first request is refused for so long; then the work is done."""
    refused: list[Scene] = []

    def play(scene: Scene) -> Turn | None:
        if refused:
            return stage.works(scene)
        refused.append(scene)
        return refusal(stage, seconds)

    stage.let(play)
    ran = typed(stage, "run", stage.ask_for("US-001"), **login(stage))
    assert ran.returncode == 0, ran.stdout + ran.stderr


@fault(7, "its service sends it away until a time", end="completed, 1 landed")
def limited(stage: Stage) -> None:
    stage.lay_out()
    sent_away_once(stage, 8)
    (step,) = stage.story()["steps"]
    assert (step["attempts"], step["restarts"]) == (2, 0)
    history = json.loads(stage.shiftwork("export").stdout)["stories"]["US-001"]["history"]
    troubles = [entry["details"]["trouble"] for entry in history if entry["action"] == "step_cancelled"]
    assert troubles == ["limited"]


@fault(7, "its service sends it away, and another profile is there", end="completed, 1 landed")
def falls_back(stage: Stage) -> None:
    second = f'[profiles.second]\nuse = "{stage.agent}"\nprogram = "{stage.program}"\n'
    stage.lay_out(of_agent='fallback = ["second"]', more=second)
    sent_away_once(stage, 3600)
    (step,) = stage.story()["steps"]
    assert (step["attempts"], step["agent"]) == (2, "second")


@fault(7, "its service never has room for it", end="failed, 0 landed")
def never(stage: Stage) -> None:
    stage.lay_out(more="[limits]\nwaits = 1\nwait_hours = 0.0005\n")
    stage.let(lambda _: Fail(status=429))
    stage.run(stage.ask_for("US-001"), code=1)
    assert "429" in stage.story()["failure"]
    assert "too often" in stage.story()["failure"]


@fault(7, "prints a file about rate limits", end="completed, 1 landed")
def echoes(stage: Stage) -> None:
    text = 'HTTP 429 Too Many Requests: rate limit exceeded, {"type":"error","error":{"type":"rate_limit_error"}}\n'
    stage.lay_out(files={"errors.md": text})

    def play(scene: Scene) -> Turn | None:
        turns = (stage.shell("cat errors.md"), stage.shell("echo fine > US-001.txt"))
        return turns[scene.turn] if scene.turn < len(turns) else None

    stage.let(play)
    stage.run(stage.ask_for("US-001"), code=0)
    (step,) = stage.story()["steps"]
    assert step["attempts"] == 1
