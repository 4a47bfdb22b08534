"""Starts programs in the sandboxes of the package on its path, on request: the measured half of `bench.sandbox`.

It is started by its path, with the sources of some commit first on PYTHONPATH, so it only uses what older commits also
have. Each line of its input names a sandbox and a command; it answers each with the wall time and the processor time of
the start, its own and that of its children.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.config.surroundings import visible

ROOMS: dict[str, dict[str, Any]] = {
    "cut": {"network": False},
    "door": {"hosts": ["example.com"]},
    "host": {"network": True},
}
"""The settings of `[sandbox.gates]`, by the name of the sandbox in the table; older commits support them too."""


async def opened(tree: Path) -> dict[str, Shell]:
    env = environment()
    site = find_site(tree, env)

    async def gates(room: dict[str, Any]) -> Any:
        settings = Settings.model_validate({"sandbox": {"tier": "bubblewrap", "gates": room}})
        return (await open_sandboxes(site, settings, env)).gates

    sandboxes = {name: await gates(room) for name, room in ROOMS.items()}
    rungs = getattr(await gates({}), "rungs", {})  # commits before the ladder have no rung `own`
    sandboxes |= {rung.word: sandbox for rung, sandbox in rungs.items() if rung.word == "own"}
    bare = Shell(env=visible(env))
    return {"bare": bare} | {name: Shell(env=visible(env), sandbox=sandbox) for name, sandbox in sandboxes.items()}


async def started(shell: Shell, command: str, tree: Path) -> tuple[float, float]:
    before, began = processor(), time.perf_counter()
    outcome = await shell.run(command, CommandContext(marker="bench/sandbox"), tree=tree, seconds=60)
    wall = time.perf_counter() - began
    if not outcome.passed:
        raise SystemExit(outcome.output)
    return wall, processor() - before


def processor() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(item.ru_utime + item.ru_stime for item in used)


def say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        (tree / ".git").mkdir()
        began = time.perf_counter()
        shells = await opened(tree)
        say({"opened": time.perf_counter() - began, "names": list(shells)})
        for line in sys.stdin:
            name, command = line.rstrip("\n").split(" ", 1)
            say(await started(shells[name], command, tree))


if __name__ == "__main__":
    asyncio.run(main())
