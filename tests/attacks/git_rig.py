"""What attacks by a git directory share: a repository from an attacker's archive, with its `.git`."""

import asyncio
import subprocess
from pathlib import Path

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.errors import ShiftworkError
from shiftwork.ports.workspace import Moved
from tests.attacks.table import Attack, Harm, Severity
from tests.conformance.workspace.git.git_rig import GitRig
from tests.patience import SECONDS


def row(name: str, severity: Severity, harm: Harm, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="git", severity=severity, harm=harm, seen=seen)


def trap(path: Path, canary: Path) -> Path:
    """A program that leaves a mark."""
    path.write_text(f'#!/bin/sh\ntouch "{canary}"\nexec cat < /dev/null\n')
    path.chmod(0o755)
    return path


def git(folder: Path, *words: str, stdin: bytes = b"") -> str:
    """As the attacker, without any user's settings."""
    env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nowhere"}
    who = ("-c", "user.name=Mallory", "-c", "user.email=mallory@example.org")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env=env, input=stdin, capture_output=True, timeout=SECONDS, check=True
    )
    return done.stdout.decode().strip()


def answered(user: Git, *words: str) -> str:
    """What the harness's git says in the user's repository, whether it fails or not."""
    answer = asyncio.run(user.run(*words, accept=(0, 1, 128)))
    return f"{answer.text}{answer.err}"


def refusal(rig: GitRig, files: dict[str, str | None] | None = None) -> str:
    """Why nothing lands; empty where it does."""
    try:
        moved = rig.land(files or {"work.txt": "work\n"})
    except ShiftworkError as error:
        return error.message
    return "" if isinstance(moved, Moved) else "missed"
