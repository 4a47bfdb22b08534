"""The command in a repository of its own, killed and started again."""

import json
import os
import re
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests import warm
from tests.documented import at_a_prompt
from tests.own_folders import HOMES
from tests.repositories import first_commit, git_locks, trees_of
from tests.tier import TIER, TIER_VARIABLE

_HANG_UP = """\
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

AGENT = """\
#!/bin/sh
# Keeps the contract; tells an outside file of every attempt it makes, so that a test can count them.
cat > /dev/null
echo "$SHIFTWORK_STEP" >> "{ledger}"
{special}
case "$SHIFTWORK_STEP_TYPE" in
coding) echo "work of $SHIFTWORK_STEP" >> work.txt ;;
esac
echo "SUMMARY:"
echo "$SHIFTWORK_STEP_TYPE done"
"""

SPEC = """\
{"project": "bench", "userStories": [
  {"id": "US-001", "title": "Make work.txt", "acceptanceCriteria": ["It is there"], "passes": false},
  {"id": "US-000", "title": "Begin", "passes": true}
]}
"""

GATE = "test ! -e work.txt || test -s work.txt"

SETTINGS = """\
[agent]
use = "command"
command = "{agent}"

[run]
workflow = "dynamic"

[gates]
test = "{gate}"

[limits]
wait_hours = 0.0003

[sandbox.agents]
writable = ["{shared}"]
"""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A repository with an agent; `store_url` is empty for SQLite."""

    root: Path
    store_url: str
    tier: str = TIER

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def spec(self) -> Path:
        return self.root / "prd.json"

    @property
    def shared(self) -> Path:
        """What the agent may write to beside its tree, also in a sandbox."""
        return self.root / "shared"

    @property
    def ledger(self) -> Path:
        return self.shared / "ledger"

    def environment(self, failpoint: str = "") -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", *HOMES) if name in os.environ}  # noqa: TID251 - a test's
        stores = {"SHIFTWORK_STORE_URL": self.store_url} if self.store_url else {}
        armed = {"SHIFTWORK_FAILPOINT": failpoint} if failpoint else {}
        return {
            **kept,
            **stores,
            **armed,
            "HOME": str(self.root),
            "SHIFTWORK_TRUST": "1",
            TIER_VARIABLE: self.tier,
        }

    def shiftwork(self, *args: str, failpoint: str = "") -> subprocess.CompletedProcess[str]:
        return warm.run(args, cwd=self.repo, env=self.environment(failpoint))

    def type(self, commands: str) -> subprocess.CompletedProcess[str]:
        """As at a prompt, with the installed command on the path."""
        return at_a_prompt(commands, self.repo, self.environment())

    def start(self, *args: str, failpoint: str = "") -> warm.Started:
        """Started; its output is ignored."""
        with Path(os.devnull).open("w") as nowhere:
            ends = {"out": nowhere.fileno(), "err": nowhere.fileno()}
            return warm.start(args, cwd=self.repo, env=self.environment(failpoint), **ends)

    def git(self, *args: str) -> str:
        ran = subprocess.run(("git", *args), cwd=self.repo, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def status(self) -> dict[str, Any]:
        shown = self.shiftwork("status", "--json")
        assert shown.returncode == 0, shown.stderr
        view: dict[str, Any] = json.loads(shown.stdout)
        return view

    def attempts(self) -> Counter[str]:
        return Counter(self.ledger.read_text().split()) if self.ledger.exists() else Counter()

    def dies(self, *args: str, failpoint: str, engine: str = "kept") -> None:
        """Killed there; what the engine remembers of it is `kept` or `deleted`."""
        died = self.shiftwork(*args, failpoint=failpoint)
        assert died.returncode == -signal.SIGKILL, f"{failpoint} was not reached:\n{died.stdout}{died.stderr}"
        if engine == "deleted":
            self.forget_engine()

    def subjects(self) -> list[str]:
        """Of the commits on the base, the newest first."""
        return self.git("log", "--format=%s", "main").splitlines()

    @property
    def state(self) -> Path:
        return self.repo / ".git/shiftwork"

    def forget_engine(self) -> None:
        """Delete what the engine remembers on Postgres; the history stays. On SQLite it remembers nothing."""
        if not self.store_url:
            return
        with psycopg.connect(self.store_url, autocommit=True) as connection:
            # A query of the killed process may still be in progress, and lock what is dropped here.
            connection.execute(_HANG_UP)
            connection.execute("DROP SCHEMA IF EXISTS dbos CASCADE")

    def marked(self) -> list[int]:
        """Processes that bear a marker of an attempt and work somewhere below this bench, or in its trees."""
        return [process.pid for process in psutil.process_iter() if self._is_marked(process)]

    def _is_marked(self, process: psutil.Process) -> bool:
        try:
            place = Path(process.cwd())
            here = place.is_relative_to(self.root) or place.is_relative_to(trees_of(self.repo))
            return here and "SHIFTWORK_ATTEMPT" in process.environ()
        except (psutil.Error, OSError):  # gone, or in a folder whose path is too long to be read
            return False


def make_bench(root: Path, store_url: str, special: str = "", tier: str = TIER) -> Bench:
    bench = Bench(root=root, store_url=store_url, tier=tier)
    bench.repo.mkdir()
    bench.shared.mkdir()
    bench.spec.write_text(SPEC)
    agent = root / "agent.sh"
    agent.write_text(AGENT.format(ledger=bench.ledger, special=special))
    agent.chmod(0o755)
    (bench.repo / "shiftwork.toml").write_text(SETTINGS.format(agent=agent, shared=bench.shared, gate=GATE))
    first_commit(bench.git)
    return bench


def assert_landed_once(bench: Bench, *, again: int) -> None:
    """The run is finished, its story is on the base once, at most `again` attempts were made twice, nothing is left."""
    assert bench.subjects() == ["feat: US-001 - Make work.txt", "start"]
    assert bench.git("show", "main:work.txt") == "work of step-005"
    assert bench.git("status", "--porcelain") == "", "the user's checkout is clean and up to date"
    attempts = bench.attempts()
    assert set(attempts) == {f"step-{number:03d}" for number in range(1, 11)}
    assert sum(attempts.values()) <= 10 + again, f"finished steps did not run again: {attempts}"
    assert bench.marked() == []
    assert not git_locks(bench.repo)
    view = bench.status()
    assert (view["status"], view["worker"]) == ("completed", None)
    note = r', "notes": "Landed as [0-9a-f]{12} by shiftwork run \w+, [^"]+"'
    spec = re.sub(note, "", bench.spec.read_text(), count=1)
    assert spec == SPEC.replace("false", "true"), "the spec says what has landed, once"
    assert not list(bench.root.glob(".*.shiftwork")), "no half of a file is left"
    trees = trees_of(bench.repo) / view["run"]
    assert not trees.exists() or not any(trees.iterdir())
