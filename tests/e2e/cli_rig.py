"""Runs the command in its own process, in a repository whose agent is a small shell script written by the test."""

import contextlib
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiftwork.adapters.agents.outer_session import CLAUDE_CODE_SESSION, CODEX_SESSION
from tests import warm
from tests.documented import at_a_prompt
from tests.own_folders import HOMES
from tests.patience import SECONDS, eventually
from tests.tier import TIER, TIER_VARIABLE

SHIFTWORK = Path(sys.executable).with_name("shiftwork")

WORKING = """\
cat > /dev/null
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo hello > hello.txt; fi
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
"""
"""An agent that does its work; others are this one with something before it."""

GATE = "test ! -e hello.txt || grep -q hello hello.txt"
"""Green without the work, and with it where it is right."""

NO_STORY_WRONG = "! grep -l wrong US-*.txt"
"""Green without the files of stories, and with them where nothing in them is wrong."""


@dataclass(frozen=True, kw_only=True)
class Project:
    """A repository whose agent is the script `agent`, kept outside so that it can be changed between two commands."""

    root: Path
    agent: Path
    tier: str = TIER

    @property
    def shared(self) -> Path:
        """The agent's own folder, outside of the repository; `settle` shows it to scripts and gates that name it."""
        return self.agent.parent

    @property
    def state(self) -> Path:
        """Where the product keeps what it knows of the runs."""
        return self.root / ".git/shiftwork"

    def settle(self, *, agent: str = WORKING, gates: str = f'test = "{GATE}"') -> None:
        self.agent.write_text(agent, encoding="utf-8")
        settings = f'[agent]\nuse = "command"\ncommand = "sh {self.agent}"\n\n[gates]\n{gates}\n'
        (self.root / "shiftwork.toml").write_text(settings + self._sharing(agent, gates), encoding="utf-8")

    def _sharing(self, agent: str, gates: str) -> str:
        """The settings that let programs in a sandbox write to a folder outside it."""
        named = [name for name, text in (("agents", agent), ("gates", gates)) if str(self.shared) in text]
        return "".join(f'\n[sandbox.{name}]\nwritable = ["{self.shared}"]\n' for name in named)

    def shiftwork(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """In a process that has loaded the product already."""
        return warm.run(words, cwd=self.root, env=self.environment(**env))

    def shift(self, name: str) -> subprocess.CompletedProcess[str]:
        """One of `shifts`, from its beginning to its end."""
        words = ("-m", "tests.e2e.shifts", name, str(self.root))
        return warm.run(words, cwd=Path(__file__).parents[2], env=environment())

    def types(self, commands: str, **env: str) -> subprocess.CompletedProcess[str]:
        """As at a prompt, with nothing on the path but the installed command and what every machine has."""
        return at_a_prompt(commands, self.root, self.environment(PATH="/usr/local/bin:/usr/bin:/bin", **env))

    def started(self, *words: str) -> contextlib.AbstractContextManager[warm.OutputListener]:
        """The command in progress, in such a process; it is ended on exit."""
        return warm.received(words, cwd=self.root, env=self.environment())

    @contextlib.contextmanager
    def installed(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """As `started`, from the first moment of the installed command on: for tests of what signals do."""
        with subprocess.Popen(
            [SHIFTWORK, *words],
            cwd=self.root,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def environment(self, **more: str) -> dict[str, str]:
        """Whose settings and trust are the test's own."""
        own = {TIER_VARIABLE: self.tier, "SHIFTWORK_CONFIG_HOME": str(self.root.parent / "config")}
        return environment(**{**own, **more})

    def status(self, run: str = "") -> dict[str, Any]:
        completed = self.shiftwork("status", "--json", *([run] if run else []))
        assert completed.returncode == 0, completed
        document: dict[str, Any] = json.loads(completed.stdout)
        return document

    def outputs(self, key: str) -> int:
        """How much of that kind has been left for the run."""
        with contextlib.closing(sqlite3.connect(self.state / "state.db", timeout=SECONDS)) as store:
            return int(store.execute("SELECT count(*) FROM inbox WHERE key LIKE ?", (key,)).fetchone()[0])

    def git(self, *words: str) -> str:
        return git(self.root, *words)


def environment(**more: str) -> dict[str, str]:
    """The test run's own, without what would lead the command elsewhere."""
    inherited = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251 - a test's own
        if (not name.startswith("SHIFTWORK_") or name in HOMES) and name not in CLAUDE_CODE_SESSION | CODEX_SESSION
    }
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "SHIFTWORK_TRUST": "1", TIER_VARIABLE: TIER}
    return {**inherited, **own, **more}


def git(root: Path, *words: str) -> str:
    completed = subprocess.run(
        ["git", *words], cwd=root, env=environment(), capture_output=True, text=True, timeout=SECONDS, check=True
    )
    return completed.stdout.strip()


def new_project(folder: Path) -> Project:
    project = Project(root=folder / "project", agent=folder / "shared/agent.sh")
    project.root.mkdir()
    project.shared.mkdir()
    project.git("init", "-q", "-b", "main")
    project.git("config", "user.name", "Test")
    project.git("config", "user.email", "test@localhost")
    (project.root / "README").write_text("start\n", encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "start")
    project.settle()
    return project


def sleeping(where: Path) -> str:
    """An agent that, while coding, writes its pid to a file and sleeps until the file `go` is beside it."""
    return (
        f'if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -f {where}/go ]; then\n'
        f"  {writing_pid(where / 'pid')}; sleep 600\nfi\n{WORKING}"
    )


def writing_pid(file: Path, of: str = "$$") -> str:
    """A shell command that writes a pid, and in which namespace it is one, so that `written_pid` can find it."""
    return f"echo {of} $(readlink /proc/self/ns/pid) > {file}.new; mv {file}.new {file}"


def written_pid(file: Path) -> int:
    """The pid by which this process knows the one that has written to the file, whichever sandbox it is in."""
    eventually(file.exists)
    pid, *namespace = file.read_text(encoding="utf-8").split()
    if not namespace or namespace == [str(Path("/proc/self/ns/pid").readlink())]:
        return int(pid)
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            inner = re.search(r"^NSpid:.*\s(\d+)$", status.read_text(encoding="utf-8"), re.MULTILINE)
            if inner and inner[1] == pid and [str((status.with_name("ns") / "pid").readlink())] == namespace:
                return int(status.parent.name)
    raise ProcessLookupError(f"no process is {pid} in {namespace}")


def lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()


def on_a_terminal(project: Project, *words: str, typed: bytes = b"", **env: str) -> tuple[int, bytes]:
    """What the command writes to a terminal of 80 by 24 on which something may be typed, and its exit code."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    env = project.environment(**{"TERM": "xterm-256color", **env})
    process = warm.start(words, cwd=project.root, env=env, out=theirs, err=theirs, read=theirs)
    os.close(theirs)
    try:
        os.write(ours, typed)
        screen = bytearray()
        # On Linux, reading fails when the last user of the other end is gone.
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 65536):
                screen += chunk
        return process.wait(), bytes(screen)
    finally:
        process.kill()
        os.close(ours)


def interrupt(process: subprocess.Popen[str] | warm.Started) -> None:
    process.send_signal(signal.SIGINT)
