"""The ports Gates and Canary on values: each gate runs in a folder of its own, made from the tree."""

import secrets
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Final, Protocol

from shiftwork.domain.canary.canary_verdict import KnownLoaded, KnownSight
from shiftwork.domain.canary.examination import Trial, found_in
from shiftwork.domain.canary.mutation import broken, mark
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.ports.canary import Situation
from shiftwork.ports.workspace import NOWHERE, Begun, LoadedListener, OutputListener, ignore_line, unwatched
from shiftwork.records import dataclass, field, replace
from shiftwork.testing.fake_repository.commits import (
    LINK,
    CommitStore,
    File,
    Tree,
    list_differences,
    name_content,
    name_tree,
    read_folder,
    write_folder,
)

type LineListener = Callable[[str], None]


class RunGate(Protocol):
    """Runs a gate in a folder: its number determines the ports of the gate's commands."""

    async def __call__(
        self, gate: Gate, folder: Path, marker: str, number: int, on_line: LineListener
    ) -> GateResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeGates:
    """`run` is what runs commands for the real gates too: their processes, limits and output are not its matter. Red
    reports are of this process only. Earlier green results are only reused if `recalls` is set.
    """

    store: CommitStore
    run: RunGate
    folder: Path
    recalls: bool = True
    red: dict[tuple[str, tuple[Gate, ...]], GateReport] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    async def check(  # noqa: PLR0913 - the port's signature
        self,
        commit: Commit,
        gates: Sequence[Gate],
        marker: str,
        *,
        base: Commit = NOWHERE,
        borrowing: bool = False,
        again: bool = True,
        begun: Begun = unwatched,
        on_output: OutputListener = ignore_line,
        on_loaded: LoadedListener | None = None,
    ) -> GateReport:
        del base, borrowing
        if not gates:
            return GateReport(commit=commit)
        tree = self.store.tree(commit)
        key = name_tree(tree), tuple(gates)
        known = (self.store.green.get(key) if self.recalls else None) or (None if again else self.red.get(key))
        if known:
            return replace(known, commit=commit, cached=True)
        report = GateReport(
            commit=commit,
            results=tuple([await self._judge(tree, gate, marker, begun, on_output) for gate in gates]),
        )
        if on_loaded:
            for gate in gates:
                on_loaded(gate.name, None)
        (self.store.green if report.passed else self.red)[key] = report
        return report

    async def _judge(self, tree: Tree, gate: Gate, marker: str, begun: Begun, on_output: OutputListener) -> GateResult:
        begun(gate.name)
        return await self.judge(tree, gate, marker, lambda line: on_output(gate.name, line))

    async def judge(self, tree: Tree, gate: Gate, marker: str, on_line: LineListener) -> GateResult:
        async with self._laid_out(tree) as (folder, number):
            result = await self.run(gate, folder, marker, number, on_line)
            after = read_folder(folder)
        changed = tuple(row.path for row in list_differences(tree, after) if row.path in tree)
        return replace(result, changed=changed)

    @asynccontextmanager
    async def _laid_out(self, tree: Tree) -> AsyncIterator[tuple[Path, int]]:
        number = next(number for number in count(1) if number not in self.numbers)
        self.numbers.add(number)
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with tempfile.TemporaryDirectory(prefix="verify-", dir=self.folder) as folder:
                write_folder(Path(folder), tree)
                yield Path(folder), number
        finally:
            self.numbers.remove(number)


_TEXT_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeCanary:
    """See `ports.canary`."""

    gates: FakeGates

    @property
    def store(self) -> CommitStore:
        return self.gates.store

    async def situation(self, commit: Commit) -> Situation:
        tree = self.store.tree(commit)
        files = tuple((path, name_content(file.content)) for path, file in tree.items() if file.mode != LINK)
        paths = tuple(path for path, _ in files)
        return Situation(tree=name_tree(tree), paths=paths, files=files, setup="", environment="")

    async def texts(self, commit: Commit, paths: Sequence[str]) -> dict[str, str]:
        tree = self.store.tree(commit)
        found = {path: tree[path] for path in paths if path in tree}
        return {
            path: file.content.decode(errors="surrogateescape")
            for path, file in found.items()
            if b"\0" not in file.content and len(file.content) <= _TEXT_BYTES
        }

    async def run(
        self, commit: Commit, gates: Sequence[Gate], trial: Trial, marker: str
    ) -> tuple[bool, frozenset[int]]:
        token = secrets.token_hex(4)
        tree = dict(self.store.tree(commit))
        texts = await self.texts(commit, [path for _, path in trial.files])
        for number, path in trial.files:
            if path in texts:
                text = broken(path, texts[path], mark(token, number), trial.style)
                tree[path] = File(tree[path].mode, text.encode(errors="surrogateescape"))
        printed: list[str] = []
        results = [await self.gates.judge(tree, gate, marker, printed.append) for gate in gates]
        return not results or results[-1].passed, found_in("\n".join(printed), trial, token)

    def recall(self, key: str) -> KnownSight | None:
        return self.store.known.get(f"sight-{key}")

    def keep(self, key: str, known: KnownSight) -> None:
        self.store.known[f"sight-{key}"] = known

    def recall_loaded(self, key: str) -> KnownLoaded | None:
        return self.store.known.get(f"loaded-{key}")

    def keep_loaded(self, key: str, loaded: KnownLoaded) -> None:
        self.store.known[f"loaded-{key}"] = loaded

    def recall_base(self, key: str) -> GateResult | None:
        return self.store.known.get(f"base-{key}")

    def keep_base(self, key: str, result: GateResult) -> None:
        self.store.known[f"base-{key}"] = result
