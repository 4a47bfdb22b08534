"""The canary port on git: makes broken commits in the hub, and runs gates on them in temporary trees."""

import asyncio
import contextlib
import json
import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.workspace.gates.gate_tree import Bench
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.tree.shell import CommandContext, Ends
from shiftwork.adapters.workspace.tree.untrusted_files import write_whole
from shiftwork.domain.canary.canary_verdict import KnownLoaded, KnownSight
from shiftwork.domain.canary.examination import Trial, found_in
from shiftwork.domain.canary.mutation import broken, mark
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.ports.canary import Situation
from shiftwork.records import dataclass, field, replace

_TEXT_BYTES: Final = 4 * 1024 * 1024
_OUTPUT_BYTES: Final = 8 * 1024 * 1024
_SITUATIONS: Final = 16
_MARKED_LINES: Final = 100_000
_PREFIX: Final = b"shiftwork_canary_"
_REGULAR: Final = "100"
_PORTS_FROM: Final = 40
"""Canary trees prefer the ports of gate trees with high numbers, which are rarely in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCanary:
    """`gates` provides the hub, the setup and the way to run gates. `situations` caches the latest results."""

    gates: GitGates
    situations: dict[str, Situation] = field(default_factory=dict)

    async def situation(self, commit: Commit) -> Situation:
        hub, setup = self.gates.hub, self.gates.setup
        tree = await hub.tree_of(commit)
        if tree not in self.situations:
            listed = (await hub.listed(commit)).items()
            files = tuple((path, found.name) for path, found in listed if found.mode.startswith(_REGULAR))
            paths = tuple(path for path, _ in files)
            self.situations[tree] = Situation(tree=tree, paths=paths, files=files, setup=setup.command, environment="")
            if len(self.situations) > _SITUATIONS:
                del self.situations[next(iter(self.situations))]
        return replace(self.situations[tree], environment=await setup.surroundings(hub, commit))

    async def texts(self, commit: Commit, paths: Sequence[str]) -> dict[str, str]:
        git = self.gates.hub.git
        asked = b"".join(os.fsencode(f"{commit}:{path}") + b"\n" for path in paths if "\n" not in path)
        rest = (await git.run("cat-file", "--batch", stdin=asked)).out if asked else b""
        found: dict[str, str] = {}
        for path in (path for path in paths if "\n" not in path):
            head, _, rest = rest.partition(b"\n")
            kind, _, size = head.rpartition(b" ")
            if not size.isdigit():  # missing
                continue
            content, rest = rest[: int(size)], rest[int(size) + 1 :]
            if kind.endswith(b" blob") and len(content) <= _TEXT_BYTES and b"\0" not in content:
                found[path] = content.decode(errors="surrogateescape")
        return found

    async def run(
        self, commit: Commit, gates: Sequence[Gate], trial: Trial, marker: str
    ) -> tuple[bool, frozenset[int]]:
        token = secrets.token_hex(4)
        subject = await self._broken(commit, trial, token)
        output = _Output()
        with (
            self.gates.free_tree("canary") as (number, checkout),
            self.gates.apart(checkout, _PORTS_FROM + number) as env,
        ):
            bench = Bench(checkout=checkout, setup=self.gates.setup)
            context = CommandContext(marker=marker, env=env)
            try:
                variables = await bench.lay_out(commit, context)
                judging = replace(context, env={**context.env, **variables}, on_output=output.add)
                if self.gates.setup.keep:  # output kept between checks could replace the broken sources
                    await self._each(bench, gates, commit, replace(judging, on_output=None))
                await bench.lay_out(subject, context, commit)
                passed = await self._each(bench, gates, subject, judging)
            finally:
                await checkout.remove()
        return passed, found_in(output.text(), trial, token)

    async def _each(self, bench: Bench, gates: Sequence[Gate], commit: Commit, context: CommandContext) -> bool:
        passed = True
        for place, gate in enumerate(gates):
            if place:
                await bench.tidy(commit, context)
            passed = (await self.gates.judge(bench.checkout, gate, context)).passed
        return passed

    async def _broken(self, commit: Commit, trial: Trial, token: str) -> Commit:
        """A commit on top of the other in which the trial's files fail when they are loaded or compiled."""
        texts = await self.texts(commit, [path for _, path in trial.files])
        marks = {path: mark(token, number) for number, path in trial.files if path in texts}
        hub = self.gates.hub
        with tempfile.TemporaryDirectory(dir=hub.state) as folder:

            def write() -> list[Path]:
                return [
                    _written(Path(folder) / str(place), broken(path, texts[path], name, trial.style))
                    for place, (path, name) in enumerate(marks.items())
                ]

            files = await asyncio.to_thread(write)
            git = hub.git.at(hub.path, GIT_INDEX_FILE=f"{folder}/index")
            named = "".join(f"{file}\n" for file in files).encode()
            blobs = (await git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=named)).text.split()
            await git.run("read-tree", commit)
            listed = await hub.listed(commit)
            rows = (f"{listed[path].mode} {blob}\t{path}\0" for path, blob in zip(marks, blobs, strict=True))
            await git.run("update-index", "-z", "--index-info", stdin=b"".join(map(os.fsencode, rows)))
            tree = (await git.run("write-tree")).text
        # Not pinned: it is checked at once, and git never prunes objects this new.
        return hub.record(tree, commit, "sources broken on purpose")

    # What is known ----------------------------------------------------------------------------------------------------

    def recall(self, key: str) -> KnownSight | None:
        return self._recalled(f"sight-{key}", KnownSight)

    def keep(self, key: str, known: KnownSight) -> None:
        self._kept(f"sight-{key}", known)

    def recall_loaded(self, key: str) -> KnownLoaded | None:
        return self._recalled(f"loaded-{key}", KnownLoaded)

    def keep_loaded(self, key: str, loaded: KnownLoaded) -> None:
        self._kept(f"loaded-{key}", loaded)

    def recall_base(self, key: str) -> GateResult | None:
        return self._recalled(f"base-{key}", GateResult)

    def keep_base(self, key: str, result: GateResult) -> None:
        self._kept(f"base-{key}", result)

    def _file(self, name: str) -> Path:
        return self.gates.hub.state / "known" / f"{name}.json"

    def _recalled[T](self, name: str, kind: type[T]) -> T | None:
        try:
            found: T = from_plain(kind, json.loads(self._file(name).read_bytes()))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return found

    def _kept(self, name: str, value: Any) -> None:
        file, content = self._file(name), json.dumps(to_plain(value)).encode()
        with contextlib.suppress(OSError):
            if file.read_bytes() == content:  # replacing a file takes much longer than reading it
                return
        write_whole(file, content)


class _Output:
    """The output of gates, as far as it may name a broken file: every marked line, and much of the rest."""

    def __init__(self) -> None:
        self._marked: list[bytes] = []
        self._rest = Ends(_OUTPUT_BYTES, _OUTPUT_BYTES)

    def add(self, line: bytes) -> None:
        self._rest.add(line)
        if _PREFIX in line and len(self._marked) < _MARKED_LINES:
            self._marked.append(line[:_OUTPUT_BYTES])

    def text(self) -> str:
        return "\n".join((self._rest.text(), *(line.decode(errors="replace") for line in self._marked)))


def _written(file: Path, text: str) -> Path:
    file.write_bytes(text.encode(errors="surrogateescape"))
    return file
