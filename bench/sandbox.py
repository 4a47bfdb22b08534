"""What the sandbox costs: the start of a program inside of it, with and without a list of hosts, against the same
program without one, all supervised; and against a sandbox without a filter of kernel calls and without keyrings.

A gate that does nothing and a Python that does nothing are run by the shell that gates are run by, by turns, because
timings on a shared machine drift; the ratio is that of the medians. Beside it stands the least that bubblewrap takes.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.processes.spawn import Spawn
from shiftwork.adapters.sandbox.walls import Room, Sandbox
from shiftwork.adapters.workspace.shell import Errand, Shell
from shiftwork.bootstrap.sandboxing import open_sandboxes
from shiftwork.config.settings import Settings
from shiftwork.config.site import environment, find_site
from shiftwork.config.surroundings import visible

ROUNDS = 40
MOST_MS = 25.0
LINKS = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
LEAST = ["bwrap", "--unshare-user-try", "--unshare-pid", "--ro-bind", "/usr", "/usr", *LINKS, "/bin/true"]


class Unfiltered:
    """The same sandbox as it would be started without a filter, a keyring and a scope of sockets of its own."""

    def __init__(self, walls: Sandbox) -> None:
        self._walls = walls

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:
        return replace(self._walls.enclosed(spawn, room), seccomp=b"", enclosed=False)


async def seconds(shell: Shell, command: str, tree: Path) -> float:
    began = time.perf_counter()
    outcome = await shell.run(command, Errand(marker="bench/sandbox"), tree=tree, seconds=30)
    if not outcome.passed:
        raise SystemExit(outcome.output)
    return time.perf_counter() - began


def least() -> float:
    began = time.perf_counter()
    subprocess.run(LEAST, check=True)
    return time.perf_counter() - began


async def main() -> None:
    env = environment()
    rooms: tuple[dict[str, list[str]], ...] = ({}, {"hosts": ["example.com"]})
    every = [Settings.model_validate({"sandbox": {"tier": "bubblewrap", "gates": room}}) for room in rooms]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        (tree / ".git").mkdir()
        began = time.perf_counter()
        walls, listed = [(await open_sandboxes(find_site(tree, env), one, env)).gates for one in every]
        opening = (time.perf_counter() - began) / len(every)
        shells = {
            "bare": Shell(env=visible(env)),
            "unfiltered": Shell(env=visible(env), sandbox=Unfiltered(walls)),
            "sandbox": Shell(env=visible(env), sandbox=walls),
            "hosts": Shell(env=visible(env), sandbox=listed),
        }
        taken: dict[tuple[str, str], list[float]] = {}
        bwrap: list[float] = []
        for _ in range(ROUNDS):
            bwrap.append(least())
            for command in ("true", f"{sys.executable} -c pass"):
                for name, shell in shells.items():
                    taken.setdefault((command, name), []).append(await seconds(shell, command, tree))
    print(f"{'':<16} {'bare':>9}" + "".join(f" {name:>10} {'ratio':>7}" for name in list(shells)[1:]))
    for label, command in (("sh -c true", "true"), ("python -c pass", f"{sys.executable} -c pass")):
        bare, *others = (statistics.median(taken[command, name]) for name in shells)
        columns = (f" {1000 * inside:>7.1f} ms {inside / bare:>7.2f}" for inside in others)
        print(f"{label:<16} {1000 * bare:>6.1f} ms{''.join(columns)}")
        more = 1000 * (others[1] - others[0])
        print(f"{'':<16} filter, keyring and scope cost {more:+.1f} ms, {others[1] / others[0]:.2f} times unfiltered")
        if more > MOST_MS:
            raise SystemExit(f"that is more than {MOST_MS:g} ms")
    print(f"the least that bubblewrap takes {1000 * statistics.median(bwrap):.1f} ms; probed once {opening:.2f} s")


if __name__ == "__main__":
    asyncio.run(main())
