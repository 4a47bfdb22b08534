"""Takes one repository through `init`, `doctor --gates` and `run`, and checks what landed without asking shiftwork."""

import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.ordinary.agent import Agent, agent_for, write
from tests.ordinary.landed import Landed, landed_on
from tests.ordinary.row import Row
from tests.ordinary.user import User

type Done = subprocess.CompletedProcess[str]

_UNGATED: Final = re.compile(r"without any gate|no gates|the only check was that something changed")
"""What is said of work that no gate has looked at: the shorter in cells of a table and in trailers."""

_PROVED: Final = re.compile(r"\bproved\b", re.IGNORECASE)
_LAST: Final = 25
"""Lines of a command's output that are shown where a row is not as it must be."""


@dataclass(frozen=True, kw_only=True)
class Doctor:
    """What `doctor --gates` says of the tree it made: times in seconds, what the canary found by gate."""

    seconds: float | None = None
    reused: bool = False
    sights: tuple[tuple[str, str], ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def environment(self) -> str:
        if self.seconds is None:
            return "-"
        return f"{self.seconds:.1f} s{' reused' if self.reused else ''}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the table shows of a row: `environment` is how long its first one took; `wrong` says why the row is not
    as it must be, and is empty where it is.
    """

    row: Row
    environment: str
    first: Doctor
    second: Doctor
    refused: str
    landed: str
    seconds: float
    consents: int = 0
    wrong: tuple[str, ...] = ()
    said: str = field(default="", repr=False)


def tried(row: Row, folder: Path, *, measured: bool = True) -> Outcome:
    """In an empty folder, which holds all of it afterwards; `measured` asks `doctor` for what the table shows."""
    user = built(row, folder)
    began = time.monotonic()
    initialised = user.shiftwork("init", "--json")
    consents = _consented(user, initialised)
    agent = agent_for(row, folder / "agent")
    settle(user, agent)
    installed = _installed(user.root)
    first = _doctor(user) if measured else Doctor()
    base = user.git("rev-parse", "main")
    run = user.shiftwork("run", "prd.json", "--workflow", "ralph")
    second = _doctor(user) if measured else Doctor()
    seconds = time.monotonic() - began
    landed = landed_on("main", base, user, folder / "fresh")
    wrong = [*_not_as_it_must_be(landed, run), *(() if row.gated else _called_proved(user, run))]
    wrong += _falsely_reported(user)
    if consents != (row.database and _has_sandbox(user)):
        wrong.append(f"{consents} consents were asked for: {initialised.stdout}")
    if why := _setup_failure(initialised):
        wrong.append(f"the setup command does not work: {why}")
    if changed := sorted(installed ^ _installed(user.root)):
        wrong.append(f"the user's own environment was changed: {', '.join(path for path, _, _ in changed[:5])}")
    return Outcome(
        row=row,
        environment=_first_environment(initialised),
        first=first,
        second=second,
        refused=_refused(row, agent, landed),
        landed="yes" if landed.right else "no",
        consents=consents,
        seconds=seconds,
        wrong=tuple(wrong),
        said="\n".join(_said(initialised, run, first)) if wrong else "",
    )


def _consented(user: User, initialised: Done) -> int:
    """How often the user has agreed to more than the sandbox gives: they type the first command that was shown."""
    try:
        shown: list[str] = json.loads(initialised.stdout)["choices"]
    except (ValueError, KeyError):
        return 0
    for command in shown[:1]:
        program, *words = shlex.split(command)
        if program != "shiftwork" or user.shiftwork(*words).returncode:
            raise RuntimeError(f"{command} does not work")
    return len(shown[:1])


def _has_sandbox(user: User) -> bool:
    checks: list[dict[str, Any]] = json.loads(user.shiftwork("doctor", "--json").stdout)["checks"]
    return any(values["name"] == "sandbox" and values["detail"].startswith("bubblewrap") for values in checks)


def built(row: Row, folder: Path) -> User:
    """The repository, committed and installed as its users have it."""
    user = User(root=folder / "checkout", private=folder / "private", row=row)
    for path, text in {**row.files, "prd.json": _prd(row)}.items():
        write(user.root / path, text)
    if row.lock:
        user.prepares(row.lock)
    user.git("init", "--quiet", "--initial-branch=main")
    user.git("config", "user.name", "Test")
    user.git("config", "user.email", "test@localhost")
    commit(user, "start")
    if row.install and not (user.root / "node_modules").is_dir():  # npm installs what it locks
        user.prepares(row.install)
    return user


def commit(user: User, message: str) -> None:
    user.git("add", "-A")
    user.git("commit", "--quiet", "-m", message)


def settle(user: User, agent: Agent) -> None:
    """The settings as `init` wrote them, with the user's own agent, are committed: the user was asked to do that."""
    path = user.root / "shiftwork.toml"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    text = with_line(text, "agent", f"command = {json.dumps(agent.command)}")
    text = with_line(text, "sandbox.agents", f"writable = [{json.dumps(str(agent.folder))}]")
    path.write_text(text, encoding="utf-8")
    commit(user, "settings")


def with_line(text: str, table: str, line: str) -> str:
    before, header, after = text.partition(f"\n[{table}]\n")
    ours = f"[{table}]\n{line}\n"
    return f"{before}\n{ours}{after}" if header else f"{text}\n{ours}"


def _prd(row: Row) -> str:
    """The stories one after the other: each begins where the one before has landed."""
    stories = [
        {
            "id": f"US-{number:03}",
            "title": story.title,
            "description": story.title,
            "acceptanceCriteria": [story.criterion],
            "dependsOn": [f"US-{number - 1:03}"] if number > 1 else [],
            "priority": number,
            "passes": False,
        }
        for number, story in enumerate(row.stories, start=1)
    ]
    return json.dumps({"project": "shop", "userStories": stories}, indent=2) + "\n"


def _doctor(user: User) -> Doctor:
    done = user.shiftwork("doctor", "--gates", "--json")
    try:
        checks: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    except (ValueError, KeyError):
        return Doctor(failed=(f"doctor ended with {done.returncode}: {done.stderr}",))
    environment: dict[str, Any] = next((check["values"] for check in checks if check["name"] == "environment"), {})
    canaries = [check["values"] for check in checks if check["name"] == "canary"]
    return Doctor(
        seconds=environment.get("seconds"),
        reused=bool(environment.get("reused")),
        sights=tuple((str(values.get("gate", "-")), str(values.get("sight", "-"))) for values in canaries),
        failed=tuple(f"{check['name']}: {check['detail']}" for check in checks if check["result"] == "fail"),
    )


def _first_environment(initialised: Done) -> str:
    """How long it took to install what the setup command installs, which `init` does first."""
    try:
        document: dict[str, Any] = json.loads(initialised.stdout)
    except ValueError:
        return "-"
    return f"{document['setup_seconds']:.1f} s" if document["setup"] else "-"


def _setup_failure(initialised: Done) -> str:
    """Why it made no environment: gates run in the user's own then, and may be green for that."""
    try:
        return str(json.loads(initialised.stdout)["setup_reason"])
    except (ValueError, KeyError):
        return ""


def _installed(root: Path) -> set[tuple[str, int, int]]:
    """What the user has installed in the checkout, without what tools keep beside it when they run."""
    return {
        (str(path.relative_to(root)), path.stat().st_size, path.stat().st_mtime_ns)
        for pattern in (".venv/*/**/*", "node_modules/[!.]*/**/*")
        for path in root.glob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    }


def _refused(row: Row, agent: Agent, landed: Landed) -> str:
    """Whether each broken piece of work was sent back; that none of it landed is the branch's to show."""
    if not row.gated:
        return "-"
    if landed.broken:
        return "no"
    sent_back = [agent.sessions(number) > 1 for number, _ in enumerate(row.stories, start=1)]
    return "yes" if all(sent_back) else f"{sum(sent_back)} of {len(sent_back)}"


def _not_as_it_must_be(landed: Landed, run: Done) -> Iterator[str]:
    for commit_id, output in landed.broken:
        yield f"broken work landed: the repository's own check is red on {commit_id[:10]}\n{_tail(output)}"
    yield from landed.unseen
    if not landed.right:
        yield f"right work did not land: run ended with {run.returncode}; missing on main: {', '.join(landed.missing)}"


def _falsely_reported(user: User) -> Iterator[str]:
    """No story changes code that judges the product: an entry point, a page or a helper is the product's."""
    for line in user.shiftwork("report").stdout.splitlines():
        if "used by tests alone" in line or "loaded by tests and named by no product code" in line:
            yield f"reported: {line.strip()}"


def _called_proved(user: User, run: Done) -> Iterator[str]:
    """Every place that speaks of work which nothing has checked must say so."""
    if "landed without any gate" not in run.stdout:
        yield f"run does not say `landed without any gate`:\n{_tail(run.stdout)}"
    views = {name: user.shiftwork(name).stdout for name in ("status", "stories", "report", "proof")}
    views["the commit"] = user.git("log", "-1", "--format=%B", "main")
    views["prd.json"] = (user.root / "prd.json").read_text(encoding="utf-8")
    for name, text in views.items():
        if not _UNGATED.search(text):
            yield f"{name} does not say `without any gate` or `no gates`:\n{_tail(text)}"
    for name, text in {"run": run.stdout, **views}.items():
        if _PROVED.search(text):
            yield f"{name} says `proved` of work that no gate has looked at:\n{_tail(text)}"


def _said(initialised: Done, run: Done, doctor: Doctor) -> Iterator[str]:
    yield f"--- init\n{_tail(initialised.stdout + initialised.stderr)}"
    yield from (f"--- doctor: {name}" for name in doctor.failed)
    yield f"--- run\n{_tail(run.stdout + run.stderr)}"


def _tail(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines()[-_LAST:])
