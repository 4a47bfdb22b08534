"""What needs a person: permissions, trust, questions. Each is a state with a command that ends it, never a hang."""

import json
from collections.abc import Callable

from shiftwork.testing.conformance.notify import receiving
from tests.faults.matrix import fault
from tests.faults.money import asks_first
from tests.faults.stage import Stage, typed

FORBIDDEN = "touch US-001.txt && cp start.txt US-001.txt"
LOGGED_IN = {
    "ANTHROPIC_API_KEY": "",
    "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-scripted",
    "CODEX_API_KEY": "",
    "SCRIPTED_KEY": "sk-scripted",
}
"""Without a key of ours each uses what it finds in the user's home: a login, and rules."""

CODEX = """\
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""


@fault(12, "is refused a tool by the user's own rules", end="completed, 1 landed")
def refused(stage: Stage) -> None:
    stage.lay_out(of_agent='env = ["SCRIPTED_KEY"]')
    allow = forbid(stage)
    stage.let(lambda scene: stage.shell(FORBIDDEN) if scene.turn == 0 else None)
    ran = typed(stage, "run", stage.ask_for("US-001"), **LOGGED_IN)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert "was not allowed to use" in stage.story()["waiting"]
    allow()
    answered = typed(stage, "answer", "US-001", "1", **LOGGED_IN)
    assert answered.returncode == 0, answered.stdout + answered.stderr
    (step,) = stage.story()["steps"]
    assert (step["attempts"], step["status"]) == (2, "completed"), "it cost none of its retries"


def forbid(stage: Stage) -> Callable[[], None]:
    """Lay down rules that refuse the command; what is returned allows it again."""
    if stage.agent == "claude-code":
        path = stage.root / ".claude" / "settings.json"
        text = json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}})
    else:
        path = stage.root / ".codex" / "rules" / "default.rules"
        text = 'prefix_rule(pattern=["touch"], decision="forbidden")\n'
        (stage.root / ".codex").mkdir()
        (stage.root / ".codex" / "config.toml").write_text(CODEX.format(url=stage.server.url("model")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path.unlink


@fault(19, "the repository's settings name commands that nobody has trusted", end="completed, 1 landed")
def untrusted(stage: Stage) -> None:
    ran_by_gate, ran_by_setup = stage.shared / "gate", stage.shared / "setup"
    stage.lay_out(gate=f"touch {ran_by_gate}", more=f'[workspace]\nsetup = "touch {ran_by_setup}"\n')
    stage.let(stage.works)
    spec = stage.ask_for("US-001")
    own = {"SHIFTWORK_TRUST": "", "SHIFTWORK_CONFIG_HOME": str(stage.root / "config")}
    refused = typed(stage, "run", spec, **own)
    assert refused.returncode != 0
    assert "shiftwork trust" in refused.stderr
    assert stage.calls() == 0
    assert not ran_by_gate.exists()
    assert not ran_by_setup.exists()
    assert typed(stage, "trust", **own).returncode == 0
    ran = typed(stage, "run", spec, **own)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran_by_setup.exists()


@fault(20, "asks a question", end="completed, 1 landed")
def question(stage: Stage) -> None:
    with receiving() as phone:
        stage.lay_out(more=f'[notify]\nurls = ["json://{phone.address}"]\n')
        stage.let(lambda scene: asks_first(stage, scene))
        stopped = stage.run(stage.ask_for("US-001"), code=2)
        assert "next: shiftwork answer US-001" in stopped
        ((_, notice),) = phone.requests
        assert b"Tabs or blanks?" in notice
        assert "Tabs or blanks?" in stage.shiftwork("status").stdout
        answered = stage.shiftwork("answer", "US-001", "2")
        assert answered.returncode == 0, answered.stdout + answered.stderr
    assert "Answer: blanks" in stage.asked()[-1]
