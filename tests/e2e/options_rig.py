"""Agents that report the name and the arguments they were started with, for tests of the options a run keeps."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import warm
from tests.e2e.cli_rig import Project, lives, new_project
from tests.patience import eventually

WORKING = """\
echo "NAME $*" >> WHERE/played
touch WHERE/begun
if [ ! -f WHERE/go ]; then sleep 600; fi
echo done > "$SHIFTWORK_STORY.txt"
"""

COMMAND = f"cat > /dev/null\n{WORKING}echo SUMMARY:\necho did it\n"

CODEX = f"""\
#!/bin/sh
case "$1" in
  --version) echo codex-cli 0.0.0; exit 0;;
  login) echo Logged in; exit 0;;
esac
cat > /dev/null
{WORKING}cat <<'END'
{{"type":"thread.started","thread_id":"1"}}
{{"type":"turn.started"}}
{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"SUMMARY:\\ndid it\\n"}}}}
{{"type":"turn.completed","usage":{{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20}}}}
END
"""
"""Looks like Codex to the program that starts it."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A project with a plain command and a Codex as agents, both of which wait until `release`."""

    project: Project
    where: Path

    def settle(self, agent: str = 'use = "command"', *, gates: str = "", more: str = "") -> None:
        """The settings; the workflow has one step."""
        command = f'command = "sh {self.where}/command.sh"'
        text = f'[agent]\n{agent}\n{command}\n\n[run]\nworkflow = "ralph"\n\n[gates]\n{gates}\n\n{more}\n'
        text += f'[sandbox.agents]\nwritable = ["{self.where}"]\n'
        (self.project.root / "shiftwork.toml").write_text(text, encoding="utf-8")

    def types(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, cwd=self.project.root, env=self._env(**env))

    def interrupted(self, *words: str, **env: str) -> str:
        """Type it, stop it in order while an agent works, and give the id of the run."""
        (self.where / "begun").unlink(missing_ok=True)
        with tempfile.TemporaryFile("w+") as out:
            started = warm.start(words, cwd=self.project.root, env=self._env(**env), out=out.fileno(), err=out.fileno())
            try:
                eventually(lambda: (self.where / "begun").exists() or not lives(started.pid))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(started.pid, signal.SIGINT)
                code = started.wait()
            out.seek(0)
            assert code == 130, out.read()
        return str(self.status()["run"])

    def status(self) -> dict[str, Any]:
        result = self.types("status", "--json")
        assert result.returncode == 0, result
        document: dict[str, Any] = json.loads(result.stdout)
        return document

    def played(self) -> list[str]:
        """Which agent was started with which arguments, in order."""
        return (self.where / "played").read_text(encoding="utf-8").splitlines()

    def release(self) -> None:
        (self.where / "go").touch()

    def _env(self, **more: str) -> dict[str, str]:
        return self.project.environment(**{"PATH": f"{self.where}/bin:/usr/local/bin:/usr/bin:/bin", **more})


def new_stage(folder: Path) -> Stage:
    where = folder / "agents"
    (where / "bin").mkdir(parents=True)
    for name, path, script in (("command", where / "command.sh", COMMAND), ("codex", where / "bin" / "codex", CODEX)):
        path.write_text(script.replace("NAME", name).replace("WHERE", str(where)), encoding="utf-8")
        path.chmod(0o755)
    stage = Stage(project=new_project(folder), where=where)
    stage.settle()
    return stage
