"""The commands in the documentation: fenced blocks that name the test that runs them."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.patience import SECONDS

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```sh (?P<name>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
UNNAMED = re.compile(r"^```(sh|bash|console)\s*$", re.MULTILINE)


def blocks(file: Path, name: str) -> str:
    """All blocks of that name in a document, one below the other."""
    return "".join(found["body"] for found in BLOCK.finditer(file.read_text()) if found["name"] == name)


def at_a_prompt(commands: str, folder: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Typed one after the other until one fails, with the installed command on the path."""
    return subprocess.run(
        ("bash", "-e", "-c", commands),
        cwd=folder,
        env={**env, "PATH": f"{Path(sys.executable).parent}:{env['PATH']}"},
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
        check=False,
    )
