"""A repository, a real agent and a scripted model that misbehaves: the faults of the matrix run here.

After every fault the same must hold: what is on the base was proved, the user's own files are unchanged, and no
process of the run is left.
"""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil

from shiftwork.testing.model_server import Call, ModelRequest, Say, ToolCall, Turn, call
from tests import warm
from tests.e2e.claude_rig import Handover, step_of
from tests.patience import awaited
from tests.repositories import first_commit, git_locks, trees_of

START = {"start.txt": "fine\n", ".gitignore": "*.log\n"}
KEPT = {"notes.md": "of the user, in no commit\n", "own.log": "of the user, and ignored\n"}
GATE = 'for part in *.txt; do [ \\"$(cat $part)\\" = fine ] || { echo \\"$part is broken\\"; exit 1; }; done'
"""Every part says `fine`. Otherwise, its output appears in the prompts of the attempts that repair the part."""

SETTINGS = """\
[agent]
use = "{agent}"
program = "{program}"
model = "{model}"
{of_agent}

[gates]
test = "({gate}) && git rev-parse HEAD^{{tree}} >> {proved}"

[run]
workflow = "ralph"
{more}
"""
_LEAVING_SECONDS = 60
"""For the agents' own clean-up after a process was killed."""
PROGRAMS = {"claude-code": "claude", "codex": "codex"}
MODELS = {"claude-code": "claude-opus-5-5", "codex": "gpt-5.5"}


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What the model is asked: in which step of which story, and for which time in this conversation."""

    request: ModelRequest
    story: str
    step: str
    type: str

    @property
    def turn(self) -> int:
        return self.request.turn

    @property
    def prompt(self) -> str:
        return self.request.prompt


type Play = Callable[[Scene], Turn | None]
"""What the model does; None for an ordinary last word."""


def said(text: str) -> Say:
    return Say(text=f"{text}\n\nSUMMARY:\nall is done\n")


@dataclass(frozen=True, kw_only=True)
class Stage(Handover):
    """Where one fault is played with one agent."""

    def lay_out(
        self, *, gate: str = GATE, of_agent: str = "", more: str = "", files: dict[str, str] | None = None
    ) -> None:
        self.repo.mkdir()
        settings = SETTINGS.format(
            agent=self.agent,
            program=self.program,
            model=MODELS[self.agent],
            of_agent=of_agent,
            gate=gate,
            proved=self.shared / "proved",
            more=more,
        )
        self.put({"shiftwork.toml": settings + self.sharing(), **START, **(files or {})})
        first_commit(self.git)
        self.put(KEPT)

    def put(self, files: dict[str, str]) -> None:
        for name, content in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def ask_for(self, *stories: str, needs: dict[str, list[str]] | None = None, criterion: str = "It is there") -> str:
        """A spec of stories that each write a part; returns the name of its file, which is not committed."""
        lines = [
            {
                "id": story,
                "title": f"Part {story}",
                "description": f"Write {story}.txt",
                "acceptanceCriteria": [criterion],
                "dependsOn": (needs or {}).get(story, []),
            }
            for story in stories
        ]
        path = self.root / "prd.json"
        path.write_text(json.dumps({"project": "Parts", "userStories": lines}))
        return str(path)

    def let(self, play: Play) -> None:
        def answer(request: ModelRequest) -> Turn:
            story = re.search(r"^## Story (\S+):", request.prompt, re.MULTILINE)
            step, kind = step_of(request)
            scene = Scene(request=request, story=story[1] if story else "", step=step, type=kind)
            return play(scene) or said("It is as it was asked for.")

        self.server.load("model", answer)

    # What the model can have its agent do, in the words of each -----------------------------------------------

    def shell(self, command: str) -> Turn:
        """Uses the longest wait that each agent allows."""
        if self.agent == "claude-code":
            return call("Bash", command=command, timeout=600_000)
        return call("exec_command", cmd=command, yield_time_ms=30_000)

    def tool(self, name: str, **given: Any) -> Turn:
        """One of the harness's own."""
        if self.agent == "claude-code":
            return call(f"mcp__shiftwork__{name}", **given)
        return Call(calls=(ToolCall(name=name, namespace="mcp__shiftwork", input=given),))

    def works(self, scene: Scene, content: str = "fine") -> Turn | None:
        """The honest way."""
        return self.shell(f"echo {content} > {scene.story}.txt") if scene.turn == 0 else None

    # What is seen of it ----------------------------------------------------------------------------------------

    def run(self, spec: str, *words: str, code: int) -> str:
        ran = self.shiftwork("run", spec, *words)
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    def resume(self, *words: str, code: int = 0) -> str:
        ran = self.shiftwork("resume", *words)
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    def story(self, name: str = "US-001") -> dict[str, Any]:
        found: dict[str, Any] = next(status for status in self.status()["stories"] if status["story"] == name)
        return found

    def calls(self) -> int:
        """How often the model was asked anything at all."""
        return len(self.server.requests("model"))

    def end(self) -> str:
        """The status of the run and its stories, in the form that the matrix declares."""
        view = self.status()
        return f"{view.get('status', 'not begun')}, {len(self.log()) - 1} landed"

    def leftovers(self) -> list[str]:
        """What of any attempt still lives, wherever it has gone."""
        found = []
        for process in psutil.process_iter():
            try:
                env = process.environ()
                if "SHIFTWORK_ATTEMPT" in env and env.get("HOME", "").startswith(str(self.root)):
                    found.append(" ".join(process.cmdline()))
            except psutil.Error:
                continue
        return found

    def settled(self) -> None:
        """What holds after every fault: nothing unproved is on the base, and the user lost nothing."""
        proved = set(self.proved())
        landed = self.git("log", "--format=%T", "main").split()[:-1]
        assert all(tree in proved for tree in landed), "what has landed was proved as it stands there"
        assert {name: (self.repo / name).read_text() for name in KEPT} == KEPT, "what is the user's own is as it was"
        assert self.git("status", "--porcelain", "--untracked-files=no") == ""
        assert not git_locks(self.repo)
        awaited(self.leftovers, lambda left: not left, seconds=_LEAVING_SECONDS)
        view = self.status()
        if view.get("status") in {"completed", "failed", "cancelled"}:
            trees = trees_of(self.repo) / view["run"]
            assert not trees.exists() or not list(trees.iterdir()), "a run that is over keeps none"


def typed(stage: Stage, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command in an environment that differs from the usual one; an empty value takes a variable out."""
    given = {name: value for name, value in (stage.environment() | env).items() if value}
    return warm.run(words, cwd=stage.repo, env=given)
