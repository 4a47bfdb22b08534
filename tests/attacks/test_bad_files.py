"""Attacks by special files, endless files, files nested without end, and files that keep a reader busy without end."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.adapters.specs._markdown import parse
from shiftwork.adapters.specs._offer import text_beside
from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.adapters.workspace.tree.environment_files import EnvironmentFiles, take_out
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.adapters.workspace.tree.untrusted_files import erase, text_of
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.config.detection import task_files
from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.python.requirements import listed
from shiftwork.config.detection.python.tox_nox import nox
from shiftwork.domain.gates.test_output import failing
from shiftwork.domain.proof.test_definitions import defines
from shiftwork.domain.proof.verdict import Findings
from shiftwork.ports.attempt_folder import AttemptFolder, AttemptName, AttemptOutputs
from tests.attacks.state_rig import settled, typed
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.workspace.git.git_rig import PLACE, GitRig
from tests.e2e.cli_rig import new_project
from tests.patience import Stopwatch

pytestmark = pytest.mark.timeout(90)

SOON = 10.0
"""Seconds. Each of these took minutes, or never ended."""


def row(name: str, severity: Severity = Severity.LOW, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="files", severity=severity, harm=Harm.DENIAL, seen=seen)


def quick(*work: Callable[[], object]) -> bool:
    watch = Stopwatch()
    for action in work:
        action()
    return watch.within(SOON)


# What a repository holds ----------------------------------------------------------------------------------------------


@attack(row("shiftwork.toml is a device, a pipe, or nested without end", seen=27))
def test_settings(tier: str, tmp_path: Path) -> Outcome:
    project, held = new_project(tmp_path), []
    file = project.root / "shiftwork.toml"
    for plant in (
        lambda: file.symlink_to("/dev/zero"),
        lambda: os.mkfifo(file),
        lambda: file.write_text("a = " + "[" * 5000),
    ):
        file.unlink(missing_ok=True)
        plant()
        done = typed(project, tier, "doctor")
        held.append(done.returncode != 0 and "cannot be read" in done.stdout and "Traceback" not in done.stderr)
    return settled(*held)


@attack(row("a text beside a spec is a device or a pipe"))
def test_text_beside_a_spec(tmp_path: Path) -> Outcome:
    zeros, pipe = tmp_path / "spec.md", tmp_path / "proposal.md"
    zeros.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    return settled(text_beside(zeros) == "", text_beside(pipe) == "")


@attack(row("a note of git's own in .git is a pipe or a device"))
def test_note_of_git(tmp_path: Path) -> Outcome:
    name, device = tmp_path / "head-name", tmp_path / "onto"
    os.mkfifo(name)
    device.symlink_to("/dev/zero")
    return settled(text_of(name) == "", text_of(device) == "")


@attack(row("a spec with Windows line ends opens a front matter and never closes it"))
def test_front_matter() -> Outcome:
    held = quick(lambda: list(parse("---\r\n" + "x: y\r\n" * 50_000)), lambda: list(parse("# a" + " " * 100_000 + "b")))
    return settled(held)


@attack(row("a Makefile makes detection work without end"))
def test_task_files(tmp_path: Path) -> Outcome:
    size = 1024 * 1024
    hostile = {
        "Makefile": (
            "a" + " " * size,
            "test:\n" + "\tx\n" * (size // 3),
            "a " * (size // 4) + ":\n" + "\tx\n" * 99_999,
        ),
        "noxfile.py": ("@session\n" * (size // 9), "@session(\n" * (size // 10)),
        "requirements.txt": ("\n" * size, "-r requirements.txt2\n" * (size // 21)),
    }
    readers: dict[str, Callable[[Folder], object]] = {
        "Makefile": task_files.find,
        "noxfile.py": nox,
        "requirements.txt": partial(listed, file="requirements.txt"),
    }
    held = []
    for name, texts in hostile.items():
        for text in texts:
            (tmp_path / name).write_text(text)
            held.append(quick(partial(readers[name], Folder(path=tmp_path))))
    return settled(*held)


# What an agent leaves -------------------------------------------------------------------------------------------------


def attempt_folder_of(folder: Path) -> AttemptFolder:
    return asyncio.run(
        LocalAttemptFolders(folder).lay(AttemptName(run="r", story="US-001", step="step-001", attempt=1))
    )


def collected(folder: Path, attempt_folder: AttemptFolder) -> AttemptOutputs:
    return asyncio.run(LocalAttemptFolders(folder).collect(attempt_folder))


@attack(row("an agent's question is nested without end, or is no text"))
def test_letters(tmp_path: Path) -> Outcome:
    attempt_folder = attempt_folder_of(tmp_path)
    for kind in ("question", "evidence", "edit", "note"):
        (attempt_folder.output_folder / f"{kind}-1.json").write_text("[" * 100_000)
    (attempt_folder.output_folder / "question-2.json").write_text(
        json.dumps({"question": "\ud800?", "options": ["\udfff"]})
    )
    (attempt_folder.output_folder / "evidence-2.json").write_text(json.dumps({"reference": "a\ud800"}))
    os.mkfifo(attempt_folder.output_folder / "note-2.json")
    outputs = collected(tmp_path, attempt_folder)
    said = [outputs.questions[0].text, *outputs.questions[0].options, *outputs.evidence[0].values()]
    return settled(len(outputs.questions) == 1, len(outputs.evidence) == 1, said == ["??", "?", "a?"])


@attack(
    row("an agent replaces its output folder by a link to a folder of the user's, or takes it away", Severity.MEDIUM)
)
def test_output_folder(tmp_path: Path) -> Outcome:
    attempt_folder, held = attempt_folder_of(tmp_path), []
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "note-1.json").write_text("private")
    for plant in (
        lambda: attempt_folder.output_folder.symlink_to(theirs),
        lambda: attempt_folder.output_folder.write_text("no folder"),
        lambda: None,
        lambda: attempt_folder.output_folder.mkdir(mode=0),
    ):
        erase(attempt_folder.output_folder)
        plant()
        held.append(collected(tmp_path, attempt_folder) == AttemptOutputs())
    return settled(*held)


@attack(row("a citation has no bytes, or more letters than a command takes"))
def test_citations(tmp_path: Path) -> Outcome:
    odd = ("\ud800", "a" * 200_000, "a\0b", "x/" * 3000)
    found = looked(GitRig(tmp_path), odd, odd)
    return settled(found.files == (), all(not name_found.files for name_found in found.names))


@attack(row("a story cites thousands of files and tests"))
def test_many_citations(tmp_path: Path) -> Outcome:
    names = tuple(f"test_{number:05}" + "x" * 200 for number in range(12_000))
    found = looked(GitRig(tmp_path), names[:0], names)
    return settled(len(found.names) <= 200)


@attack(row("a story cites a file that is larger than memory"))
def test_large_citation(tmp_path: Path) -> Outcome:
    rig = GitRig(tmp_path)
    base = rig.tip()
    commit = rig.story({"big.txt": "x\n" * (5 * 1024 * 1024), "small.txt": "x\n"})
    found = asyncio.run(GitCommitInspector(hub=rig.hub).look(base, commit, ("big.txt", "small.txt"), ()))
    return settled([file_found.path for file_found in found.files] == ["small.txt"])


def looked(rig: GitRig, paths: tuple[str, ...], names: tuple[str, ...]) -> Findings:
    return asyncio.run(GitCommitInspector(hub=rig.hub).look(rig.tip(), rig.tip(), paths, names))


# What commands leave --------------------------------------------------------------------------------------------------


@attack(row("the setup command makes a file of a terabyte that takes up no room", Severity.MEDIUM))
def test_sparse_file(tmp_path: Path) -> Outcome:
    tree, folder, other = (tmp_path / name for name in ("tree", "folder", "other"))
    for place in (tree / "made", folder, other):
        place.mkdir(parents=True)
    with (tree / "made/huge").open("wb") as file:
        file.truncate(1 << 40)
        file.seek(1 << 39)
        file.write(b"in the middle")
    taken: list[EnvironmentFiles] = []
    held = quick(lambda: taken.append(take_out(tree, ["made"], folder)), lambda: taken[0].copy_into(other))
    copy = other / "made/huge"
    with copy.open("rb") as file:
        file.seek(1 << 39)
        same = file.read(13) == b"in the middle"
    return settled(held, same, copy.stat().st_size == 1 << 40, copy.stat().st_blocks < 10_000)


@attack(row("the setup command makes folders within folders, three thousand deep", Severity.MEDIUM))
def test_deep_folder(emptied_path: Path) -> Outcome:
    rig = GitRig(emptied_path)
    down = "[(os.mkdir('d'), os.chdir('d')) for _ in range(3000)]"
    deep = f"import os; os.mkdir('made'); os.chdir('made'); {down}; open('f', 'w')"
    setup = Setup(shell=Shell(env=rig.user.env), command=f'{sys.executable} -I -S -c "{deep}"', minutes=1)
    tree = asyncio.run(GitWorkspaces(hub=rig.hub, setup=setup).prepare(PLACE, rig.tip()))
    why = asyncio.run(setup.failure(rig.hub, rig.tip()))
    return settled(not (tree / "made").exists(), "File name too long" in why)


@attack(row("a gate prints lines that make the search for its tests work without end", Severity.MEDIUM))
def test_gate_output() -> Outcome:
    printed = "1) a\n" + (" " * 3000 + "b\n") * 4 + "c"
    return settled(quick(lambda: failing("test_a", ("tests/test_a.py",), printed)))


@attack(row("a test file opens comments and never closes them"))
def test_comments() -> Outcome:
    return settled(quick(lambda: defines("test_a", "tests/a.test.ts", "/*" * 500_000)))
