"""Every command in the documentation is run literally, in a fresh clone, as a new user would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

from shiftwork.extras import EXTRAS
from shiftwork.testing.model_server import ModelServer
from tests.documented import ROOT, blocks
from tests.e2e.claude_rig import step_of, summary
from tests.e2e.test_claude_code import does_its_work
from tests.patience import LONG_SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]

UNCOMPILED = {"PIP_NO_COMPILE": "0"}
"""Python compiles what is imported, which is little of what is installed. (0 stands for `--no-compile`.)"""


def clone(target: Path) -> Path:
    """What git would give a new user: the files of the working tree, without what is ignored."""
    listed = subprocess.run(
        ("git", "ls-files", "-co", "--exclude-standard", "-z"), cwd=ROOT, check=True, capture_output=True
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


YES_TO_INIT = """\
shiftwork() { if [ "$1" = init ]; then SHIFTWORK_TRUST=1 command shiftwork "$@"; else command shiftwork "$@"; fi; }
"""
"""The answer to the question of `init`, which is asked at a terminal and nowhere else; the rest is typed as it is."""


def project(home: Path) -> None:
    """A user's own repository: a tiny Python project with a test that init finds."""
    folder = home / "your-project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "profiles"\nversion = "1"\n')
    (folder / "Makefile").write_text("test:\n\ttest -f pyproject.toml\n")
    for command in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Test"),
        ("config", "user.email", "test@localhost"),
        ("add", "-A"),
        ("commit", "-q", "-m", "start"),
    ):
        subprocess.run(("git", *command), cwd=folder, check=True)


@pytest.mark.slow
def test_extras_are_installed_as_the_page_says(tmp_path: Path) -> None:
    given = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}  # noqa: TID251 - a test's own
    programs = Path(sys.base_prefix) / "bin"
    installed = f"from shiftwork.extras import *; [ensure_installed(name, name) for name in {[*EXTRAS]}]"
    typed = f"{blocks(ROOT / 'docs/howto/install.md', 'extras')}.venv/bin/python -c {quote(installed)}"
    copied = clone(tmp_path / "clone")
    shutil.copytree(ROOT / "src/shiftwork/board", copied / "src/shiftwork/board")  # the quickstart builds it
    done = subprocess.run(
        ("bash", "-e", "-c", typed),
        cwd=copied,
        env={**given, **UNCOMPILED, "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LONG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.real_agent
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_quickstart_typed_literally_works(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    home = tmp_path / "home"
    programs = tmp_path / "bin"
    for folder in (home, programs, tmp_path / "clone"):
        folder.mkdir()
    (programs / "claude").symlink_to(claude_program)
    (programs / "uv").symlink_to(ROOT / ".cache/tools/bin/uv")
    (programs / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    project(home)
    scripted_model.load(
        "model", lambda request: does_its_work(step_of(request)[1], request) or summary("this step is done")
    )
    given = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "LANG"))}  # noqa: TID251 - a test's own
    copied = clone(tmp_path / "clone")

    def typed(commands: str) -> str:
        done = subprocess.run(
            ("bash", "-e", "-c", f"{YES_TO_INIT}{commands}"),
            cwd=copied,
            env={
                **given,
                **UNCOMPILED,
                "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin:{home}/.local/bin",
                "HOME": str(home),
                "UV_CACHE_DIR": str(tmp_path / "uv"),
                "ANTHROPIC_BASE_URL": scripted_model.url("model"),
                "ANTHROPIC_API_KEY": "sk-ant-scripted",
            },
            capture_output=True,
            text=True,
            timeout=LONG_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        log = subprocess.run(
            ("git", "log", "--format=%s"), cwd=home / "your-project", check=True, capture_output=True, text=True
        )
        assert log.stdout.splitlines() == ["feat: Fix the N+1 query in the profiles list", "start"]
        return done.stdout

    quickstart = blocks(ROOT / "README.md", "quickstart")
    assert "no sandbox" not in typed(quickstart)
    # The same on a machine that has no working bubblewrap, where Shiftwork is installed already.
    (programs / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (programs / "bwrap").chmod(0o755)
    undone = "git -C ~/your-project reset -q --hard HEAD~1\n"
    again = "".join(
        line for line in quickstart.splitlines(keepends=True) if not re.search("uv tool install|init", line)
    )
    assert typed(undone + again).count("no sandbox: agents and gates run with your rights") == 2
