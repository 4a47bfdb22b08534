"""How long a newcomer waits for the demo on the web board. Exits 0 only within the limit.

Builds the wheel, and runs `uvx --from <wheel>[web] shiftwork demo --web` in an empty folder, with an empty cache of uv
and without Node.js on the path. Chromium opens the link that it prints; the time ends when the page has shown the story
in progress and then landed. What uv downloads comes from whatever index it is set up for.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.install import uv
from bench.limits import LIMIT_MISSED
from shiftwork.config.site import environment
from tests.own_folders import HOMES, use_own_folders

ROOT: Final = Path(__file__).resolve().parent.parent
LIMIT_SECONDS: Final = 60.0
NODE: Final = frozenset({"node", "nodejs", "npm", "npx", "corepack", "yarn", "pnpm"})
OURS: Final = ("PYTHONPATH", "VIRTUAL_ENV")


def without_node(folder: Path) -> str:
    """A path with links to every program but those of Node.js and of this project's environment."""
    folder.mkdir()
    for place in environment()["PATH"].split(os.pathsep):
        if Path(place) == ROOT / ".venv/bin" or not Path(place).is_dir():
            continue
        for program in Path(place).iterdir():
            if program.name not in NODE and not os.path.lexists(folder / program.name):
                (folder / program.name).symlink_to(program)
    return str(folder)


def newcomer(folder: Path) -> Mapping[str, str]:
    kept = {
        name: value
        for name, value in environment().items()
        if name not in OURS and (name in HOMES or "SHIFTWORK" not in name)
    }
    own = {"UV_CACHE_DIR": str(folder / "cache"), "UV_TOOL_DIR": str(folder / "tools"), "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir()
    return {**kept, **own, "PATH": without_node(folder / "programs")}


def shown_after(wheel: Path, folder: Path) -> dict[str, float]:
    """Seconds after the start at which the link was printed, and at which the page showed what."""
    (folder / "empty").mkdir()
    env = newcomer(folder)
    began = time.perf_counter()
    words = ["uvx", "--quiet", "--from", f"{wheel}[web]", "shiftwork", "demo", "--web"]
    with subprocess.Popen(words, cwd=folder / "empty", env=env, stdout=subprocess.PIPE, text=True) as demo:
        try:
            link = demo.stdout.readline().strip() if demo.stdout else ""
            printed = time.perf_counter() - began
            if "#code=" not in link:
                raise SystemExit(f"the demo printed no link: {link}")
            shown = json.loads(_ran("node", str(ROOT / "web/bench/demo.mjs"), link))
        finally:
            demo.send_signal(signal.SIGINT)
            code = demo.wait(30)
    if code or list((folder / "tmp").glob("shiftwork-demo-*")):
        raise SystemExit(f"the demo ended with {code} and left {sorted(map(str, (folder / 'tmp').iterdir()))}")
    return {"link": printed} | {name: printed + ms / 1000 for name, ms in shown.items()}


def _ran(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)
    return done.stdout


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        uv("build", "--wheel", "--out-dir", folder, ROOT)
        figures = shown_after(next(folder.glob("*.whl")), folder)
    print(f"the link is printed after     {figures['link']:5.1f} s")
    print(f"the page is there after       {figures['open']:5.1f} s")
    print(f"it shows the story at work at {figures['playing']:5.1f} s")
    print(f"it shows the story landed at  {figures['landed']:5.1f} s, limit {LIMIT_SECONDS:.0f} s")
    return LIMIT_MISSED if figures["landed"] > LIMIT_SECONDS else 0


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
