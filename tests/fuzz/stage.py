"""The repository with fake agents in which the lines run; it is restored between two sequences."""

import contextlib
import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from tests import warm
from tests.e2e.cli_rig import environment, git
from tests.fuzz.typed import Line

SLOWEST_SECONDS: Final = 90.0
"""After which a command that was asked to end hangs."""

_AGENT: Final = """\
cat > /dev/null
case "$(cat HERE/mode)" in
  fails) exit 1;;
  sleeps) sleep 20;;
  asks) printf 'STATUS: blocked\\nQUESTION: which one?\\nSUMMARY:\\nasked\\n'; exit 0;;
  idles) printf 'SUMMARY:\\nnothing to do\\n'; exit 0;;
esac
echo done > "$SHIFTWORK_STORY.txt"
"""
_ANSWER: Final = "printf 'SUMMARY:\\ndid it\\n'\n"
_VERSION: Final = '#!/bin/sh\ncase "$1" in --version|login) echo 1.0.0; exit 0;; esac\n'
_CODEX: Final = """\
echo '{"type":"thread.started","thread_id":"1"}'
echo '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"SUMMARY:\\\\ndid it\\\\n"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20}}'
"""
_CLAUDE: Final = """\
echo '{"type":"result","subtype":"success","is_error":false,"result":"SUMMARY:\\\\ndid it\\\\n","total_cost_usd":0.01,\
"usage":{"input_tokens":100,"output_tokens":20}}'
"""

MODES: Final = ("works", "works", "fails", "sleeps", "sleeps", "asks", "idles")

_OWN: Final = "id: own\nversion: 1\nsteps:\n  - id: only\n    type: coding\n"
_ASKING: Final = "id: asking\nversion: 1\nsteps:\n  - id: only\n    type: coding\n  - id: yes\n    ask: Is it right?\n"
_PROFILED: Final = (
    "id: profiled\nversion: 1\nagents:\n  - id: coder\n    profile: other\n"
    "steps:\n  - id: only\n    type: coding\n    agent: coder\n"
)
_OTHER: Final = '[profiles.other]\nuse = "command"\ncommand = "sh HERE/agent.sh"\n'
_GREEN: Final = '[gates]\ngreen = { command = "true", kind = "other" }\n'

SETTINGS: Final = (
    "",
    _GREEN,
    f'{_GREEN}red = {{ command = "false", kind = "other" }}\n',
    _OTHER,
    f'{_OTHER}model = "dear"\n[proof]\nescalate = "other"\n',
    "[limits]\nrun_tokens = 5000000\nrepairs = 0\n",
    '[run]\nparallel = 1\n[workspace]\nbranch = "side"\n',
    "[mistake]\nthis = 1\n",
)
"""What follows the tables of the agent and the workflow, from one command to the next."""

_AGENTS: Final = (
    'use = "command"',
    'use = "command"',
    'use = "codex"\nmodel = "cheap"',
    'use = "claude-code"',
    'use = "acp"',
)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What became of a line: below zero the signal that ended it; `hangs` where it had to be killed."""

    line: Line
    code: int
    out: str
    err: str
    signalled: str = ""
    hangs: bool = False


class Stage:
    """Its own folder, whose content can be saved and restored."""

    def __init__(self, folder: Path) -> None:
        self._here = folder / "here"
        self._saved = folder / "saved"
        self._root = self._here / "project"
        self._root.mkdir(parents=True)
        for name in ("bin", "home", "cache", "config"):
            (self._here / name).mkdir()
        agent = _AGENT.replace("HERE", str(self._here))
        for path, text in (
            ("agent.sh", agent + _ANSWER),
            ("bin/codex", _VERSION + agent + _CODEX),
            ("bin/claude", _VERSION + agent + _CLAUDE),
            ("project/own.yml", _OWN),
            ("project/asking.yml", _ASKING),
            ("project/profiled.yml", _PROFILED),
            ("project/prd.json", _spec(("US-001", ()), ("US-002", ("US-001",)), ("US-003", ()))),
            ("project/one.json", _spec(("US-001", ()))),
        ):
            (self._here / path).write_text(text, encoding="utf-8")
            (self._here / path).chmod(0o755)
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Test"),
            ("config", "user.email", "test@localhost"),
            ("add", "-A"),
            ("commit", "-q", "-m", "start"),
            ("branch", "side"),
        ):
            git(self._root, *words)
        self.behave("works")

    def behave(self, mode: str) -> None:
        (self._here / "mode").write_text(mode, encoding="utf-8")

    def settle(self, random: Random) -> None:
        agent, rest = random.choice(_AGENTS), random.choice(SETTINGS)
        text = f'[agent]\n{agent}\ncommand = "sh HERE/agent.sh"\n\n{rest}'
        if "[run]" not in rest:
            text += '\n[run]\nworkflow = "ralph"\n'
        (self._root / "shiftwork.toml").write_text(text.replace("HERE", str(self._here)), encoding="utf-8")

    def save(self) -> None:
        shutil.rmtree(self._saved, ignore_errors=True)
        shutil.copytree(self._here, self._saved, symlinks=True)

    def restore(self) -> None:
        """In place: the repository's folder and git's stay the very same, only what is in them is put back."""
        _empty(self._here, keep=(self._root, self._root / ".git"))
        shutil.copytree(self._saved, self._here, symlinks=True, dirs_exist_ok=True)

    def runs(self) -> tuple[str, ...]:
        """Of the last line, whose runs are known by their logs."""
        logs = self._root / ".git/shiftwork" / "logs"
        return tuple(sorted(path.name for path in logs.iterdir())) if logs.is_dir() else ()

    def types(self, line: Line, env: Mapping[str, str], number: int = 0, after: float = SLOWEST_SECONDS) -> Ended:
        """Type it, and signal it after so many seconds; one that was to end in order has its time, and no more."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            started = warm.start(
                line.words, cwd=self._root, env=self._environment(env), out=out.fileno(), err=err.fileno()
            )
            fuse = _Fuse(started.pid, number or signal.SIGINT, after)
            with fuse:
                code = started.wait()
            out.seek(0)
            err.seek(0)
            name = signal.Signals(fuse.sent).name if fuse.sent else ""
            return Ended(line=line, code=code, out=out.read(), err=err.read(), signalled=name, hangs=fuse.hangs)

    def crashes(self) -> list[str]:
        """What internal errors have left."""
        state = self._root / ".git/shiftwork"
        return [path.read_text(encoding="utf-8") for path in state.glob("crash-*")] if state.is_dir() else []

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        here = self._here
        own = {
            "PATH": f"{here}/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": f"{here}/home",
            "SHIFTWORK_CACHE_HOME": f"{here}/cache",
            "SHIFTWORK_CONFIG_HOME": f"{here}/config",
        }
        return environment(**own, **more)


class _Fuse:
    """Signals a process after some seconds, and kills it some seconds later if it is still there."""

    def __init__(self, pid: int, number: int, after: float) -> None:
        self._pid, self._number, self._after = pid, number, after
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._burn, daemon=True)
        self.sent = 0
        self.hangs = False

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _burn(self) -> None:
        if self._over.wait(self._after):
            return
        self.sent = self._number
        self._send(self._number)
        if not self._over.wait(SLOWEST_SECONDS):
            self.hangs = True
            self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, number)


@contextlib.contextmanager
def new_stage() -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="shiftwork-fuzz-")).resolve()
    try:
        yield Stage(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _empty(folder: Path, keep: tuple[Path, ...]) -> None:
    for path in folder.iterdir():
        if path in keep:
            _empty(path, keep)
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _spec(*stories: tuple[str, tuple[str, ...]]) -> str:
    listed = [
        {"id": name, "title": f"Do {name}", "acceptanceCriteria": ["It is done"], "dependsOn": needs, "passes": False}
        for name, needs in stories
    ]
    return json.dumps({"project": "p", "branchName": "main", "description": "d", "userStories": listed})
