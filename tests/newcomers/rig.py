"""Runs what a newcomer brings, for real, and compares the result with what the files mean."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.e2e.cli_rig import Project, new_project

AGENT: Final = Path(__file__).with_name("agent.py")
GATE: Final = "! grep -l wrong *.txt"


@dataclass(frozen=True, kw_only=True)
class Row:
    """`files` are written into the repository (a path is copied), `words` follow `shiftwork run`. Expected are the
    format or the workflow that the file is read as, the stories in the order in which they land, whether each sees the
    work of those before it, the gates that ran, and what the file says afterwards.
    """

    name: str
    files: Mapping[str, str | Path]
    words: tuple[str, ...]
    became: str
    landed: tuple[str, ...]
    ordered: bool = False
    sees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gates: frozenset[str] = frozenset({"test"})
    before: tuple[tuple[str, ...], ...] = ()
    after: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What happened; `wrong` lists the differences to what the row expects."""

    became: str
    order: str
    gates: tuple[str, ...]
    landed: tuple[str, ...]
    wrong: tuple[str, ...]


def scripted(folder: Path) -> Project:
    """A repository whose agent is the script."""
    project = new_project(folder)
    project.settle(gates=f'test = "{GATE}"')
    _use_the_agent(project)
    return project


def prepare(project: Project, files: Mapping[str, str | Path]) -> None:
    for name, content in files.items():
        _write(project.root / name, content)
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "what I bring")


def tried(row: Row, project: Project) -> Outcome:
    prepare(project, row.files)
    failures = [_failure(project.shiftwork(*words), words) for words in row.before]
    run = project.shiftwork("run", *row.words)
    failures.append(_failure(run, ("run", *row.words)))
    return _outcome(row, project, [failure for failure in failures if failure])


def _use_the_agent(project: Project) -> None:
    project.agent.write_text(AGENT.read_text(encoding="utf-8"), encoding="utf-8")
    settings = project.root / "shiftwork.toml"
    text = settings.read_text(encoding="utf-8").replace(f"sh {project.agent}", f"{sys.executable} {project.agent}")
    readable = f'\n[sandbox.agents]\nreadable = ["{project.agent}", "{sys.prefix}", "{sys.base_prefix}"]\n'
    settings.write_text(text + readable, encoding="utf-8")


def _write(path: Path, content: str | Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif content.is_dir():
        shutil.copytree(content, path, dirs_exist_ok=True)
    else:
        shutil.copy(content, path)


def _failure(completed: Any, words: tuple[str, ...]) -> str:
    if completed.returncode == 0:
        return ""
    return f"{' '.join(words)} ended with {completed.returncode}: {completed.stdout[-600:]}{completed.stderr[-600:]}"


def _outcome(row: Row, project: Project, wrong: list[str]) -> Outcome:
    status = project.status()
    named = "--format=%(trailers:key=Shiftwork-Run,valueonly,separator=)"
    commits = project.git("log", "--reverse", named, status["branch"]).splitlines()
    landed = tuple(line.partition("/")[2] for line in commits if line)
    gates = tuple(sorted(_gates(project, landed)))
    became = _became(row, project, status)
    order = "one after the other" if status["options"]["ordered"] else "by dependencies"
    found = {"became": became, "landed": landed, "ordered": status["options"]["ordered"], "gates": frozenset(gates)}
    wrong += [
        f"{name}: expected {getattr(row, name)}, found {value}"
        for name, value in found.items()
        if getattr(row, name) != value
    ]
    for story, others in _seen(row).items() if set(_seen(row)) <= set(landed) else ():
        seen = project.git("show", f"{status['branch']}:{story}.txt").split()
        wrong += [f"{story} did not see {other}" for other in others if f"{other}.txt" not in seen]
    for file, text in row.after.items():
        if text not in (project.root / file).read_text(encoding="utf-8"):
            wrong.append(f"{file} does not contain {text!r} afterwards")
    if row.steps:
        steps = tuple(step["type"] for step in status["stories"][0]["steps"] if step["status"] == "completed")
        wrong += [f"steps: expected {row.steps}, found {steps}"] if steps != row.steps else []
    return Outcome(became=became, order=order, gates=gates, landed=landed, wrong=tuple(wrong))


def _became(row: Row, project: Project, status: Mapping[str, Any]) -> str:
    """The format of the spec, or the workflow where the request is a sentence."""
    request = row.words[0]
    if not (project.root / request).exists():
        return str(status["workflow"])
    read = json.loads(project.shiftwork("import", request, "--dry-run", "--json").stdout)
    return str(read["specs"][0]["format"])


def _seen(row: Row) -> Mapping[str, tuple[str, ...]]:
    if row.ordered and not row.sees:
        return {story: row.landed[:number] for number, story in enumerate(row.landed)}
    return row.sees


def _gates(project: Project, landed: tuple[str, ...]) -> set[str]:
    names: set[str] = set()
    for story in landed:
        shown = project.shiftwork("proof", story, "--json")
        for entry in json.loads(shown.stdout)["certificates"] if shown.returncode == 0 else ():
            proved = entry["certificate"]
            names |= {gate["name"] for gate in proved["gates"]}
            names |= {line["step"]["name"] or line["step"]["id"] for line in proved["verification"]}
    return names
