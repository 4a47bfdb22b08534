"""Install the pinned agent programs of `agents/` into `.cache/agents` and print the path of each.

  scripts/agents.py            a line per agent: its name, a tab, its program
  scripts/agents.py claude     only the program

Running it again when nothing has changed takes a few milliseconds, and two runs at once do not disturb each other.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PINS: Final = ROOT / "agents"
PLACE: Final = ROOT / ".cache" / "agents"
STAMP: Final = PLACE / "installed"

# The native binaries of the platform package that npm chose. Claude Code's own `bin` is a placeholder until its install
# script has run, and npm runs no install scripts here; Codex's is a wrapper that does not forward signals.
PROGRAMS: Final = {
    "claude": "node_modules/@anthropic-ai/claude-code-*/claude",
    "codex": "node_modules/@openai/codex-*/vendor/*/bin/codex",
    "codex-acp": "node_modules/.bin/codex-acp",
}


def main(arguments: list[str]) -> int:
    unknown = [name for name in arguments if name not in PROGRAMS]
    if unknown:
        print(f"unknown agent {unknown[0]!r}; known agents: {', '.join(PROGRAMS)}", file=sys.stderr)
        return 64
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install()
    for name in arguments or PROGRAMS:
        print(program(name) if arguments else f"{name}\t{program(name)}")
    return 0


def install() -> None:
    """Install what the lock file specifies; does nothing if it is already installed."""
    wanted = hashlib.sha256((PINS / "package-lock.json").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    if shutil.which("npm") is None:
        raise SystemExit("npm is not installed: it installs the agents; install Node.js 20 or newer and try again")
    STAMP.unlink(missing_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(PINS / name, PLACE / name)
    # npm's output goes to standard error: standard output has only the paths.
    npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(npm, cwd=PLACE, check=True, stdout=sys.stderr)
    for name in PROGRAMS:
        subprocess.run([program(name), "--version"], check=True, stdout=sys.stderr)
    STAMP.write_text(wanted)


def program(name: str) -> Path:
    found = sorted(PLACE.glob(PROGRAMS[name]))
    if not found:
        raise SystemExit(f"{name} has no build for this platform among the packages of agents/package-lock.json")
    return found[0]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
