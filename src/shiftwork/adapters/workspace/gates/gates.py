"""The gates port: runs every gate on exactly one commit, in reserved trees that no agent sees."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.gates.failure_cause import log_path, with_cause
from shiftwork.adapters.workspace.gates.gate_tree import Bench
from shiftwork.adapters.workspace.gates.read_files import watch_opened, without_caches
from shiftwork.adapters.workspace.gates.verdict_cache import Verdicts
from shiftwork.adapters.workspace.gates.verification import Verifier, is_folder
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.tree.checkout import Checkout
from shiftwork.adapters.workspace.tree.leased_numbers import locked
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import CommandContext
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.run.overlap import CHECKS, check_environment
from shiftwork.ports.workspace import NOWHERE, Begun, LoadedListener, OutputListener, ignore_line, unwatched
from shiftwork.records import dataclass, field, replace

_REDS: Final = 50
_ONE_LANDING: Final = 3
"""A landing runs its gates so often: as they are, without the change, and with the original tests."""


def trees_at_once(wanted: int = 1) -> int:
    """In how many trees gates run at the same time: one for each processor, and enough for one landing."""
    return max(os.cpu_count() or 1, wanted, _ONE_LANDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """A commit to check, and the landed commit below it."""

    commit: Commit
    base: Commit
    borrowing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Watched:
    begun: Begun
    on_output: OutputListener
    on_loaded: LoadedListener | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GitGates:
    """`reds` are the latest red reports, and `benches` the trees: of this process only, for the reason in `verdicts`.
    Earlier green results are only reused if `recalls` is set. Verification steps may call `hosts` in addition to this
    machine. Checks beyond the number of `places` wait, in the order in which they were asked for. So do checks with the
    network of the machine beyond one: a server that a new test starts must not answer for the run without that test.
    """

    hub: Hub
    setup: Setup
    hosts: frozenset[str] = frozenset()
    recalls: bool = True
    reds: dict[tuple[str, tuple[Gate, ...]], GateReport] = field(default_factory=dict)
    benches: dict[int, Bench] = field(default_factory=dict)
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(trees_at_once()))
    on_network: asyncio.Lock = field(default_factory=asyncio.Lock)

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
        if not gates:
            return GateReport(commit=commit)
        tree = await self.hub.tree_of(commit)
        verdicts = Verdicts(state=self.hub.state, setup=self.setup.command)
        if self.recalls and (known := verdicts.recall(tree, gates)):
            return replace(known, commit=commit, cached=True)
        if not again and (red := self.reds.get((tree, tuple(gates)))):
            return replace(red, commit=commit, cached=True)
        watched = _Watched(begun=begun, on_output=on_output, on_loaded=on_loaded)
        async with self._alone(gates), self.places:
            report = await self._run(_Subject(commit=commit, base=base, borrowing=borrowing), gates, marker, watched)
        if report.passed:
            verdicts.keep(tree, gates, report)
        else:
            self._remember(tree, gates, report)
        return report

    def _alone(self, gates: Sequence[Gate]) -> AbstractAsyncContextManager[None]:
        commands = [gate.step.command if gate.step else gate.command for gate in gates]
        shares = any(map(self.setup.shell.sandbox.shares_network, commands))
        return self.on_network if shares else contextlib.nullcontext()

    def _remember(self, tree: str, gates: Sequence[Gate], report: GateReport) -> None:
        self.reds[tree, tuple(gates)] = report
        if len(self.reds) > _REDS:
            del self.reds[next(iter(self.reds))]

    async def _run(self, subject: _Subject, gates: Sequence[Gate], marker: str, watched: _Watched) -> GateReport:
        results: list[GateResult] = []
        with self.free_tree() as (number, checkout), self.apart(checkout, number) as env:
            bench = self.benches.setdefault(number, Bench(checkout=checkout, setup=self.setup))
            context = CommandContext(marker=marker, env=env)
            variables = await bench.lay_out(subject.commit, context, subject.base, borrowing=subject.borrowing)
            judging = replace(context, env={**context.env, **variables})
            for gate in gates:
                if results:
                    await bench.tidy(subject.commit, context, subject.base, borrowing=subject.borrowing)
                watched.begun(gate.name)
                log = log_path(self.hub.state, marker, gate.name)
                own = replace(judging, on_output=_decoded(gate, watched.on_output), log=log)
                if watched.on_loaded:
                    await bench.expire_caches()
                stamps = await bench.stamps()
                result = await self._judge_watched(bench, gate, own, watched.on_loaded)
                results.append(replace(result, changed=await bench.written(stamps)))
        return GateReport(commit=subject.commit, results=tuple(results))

    async def _judge_watched(
        self, bench: Bench, gate: Gate, context: CommandContext, on_loaded: LoadedListener | None
    ) -> GateResult:
        if on_loaded is None:
            return await self.judge(bench.checkout, gate, context)
        env = {**context.env, **without_caches({**self.setup.shell.env, **context.env})}
        with watch_opened(bench.checkout.tree, bench.tracked.folders) as opened:
            result = await self.judge(bench.checkout, gate, replace(context, env=env))
        on_loaded(gate.name, opened.listed(bench.tracked.files))
        return result

    async def judge(self, checkout: Checkout, gate: Gate, context: CommandContext) -> GateResult:
        return await judge_gate(gate, checkout.tree, context, Verifier(shell=self.setup.shell, hosts=self.hosts))

    @contextlib.contextmanager
    def apart(self, checkout: Checkout, wanted: int) -> Iterator[dict[str, str]]:
        """Ports and names for programs in a tree, reserved on this machine for that time."""
        numbers = self.setup.numbers(self.hub, "checks", CHECKS)
        with numbers.leased(checkout.name, wanted) as number:
            yield check_environment(number)

    @contextlib.contextmanager
    def free_tree(self, kind: str = "verify") -> Iterator[tuple[int, Checkout]]:
        """The first tree that no check of any process is using; the lock ends with its holder."""
        folder = self.hub.state / "indexes"
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            if (held := locked(folder / f"{kind}-{number}.lock")) is None:
                continue
            try:
                yield number, Checkout(hub=self.hub, name=f"{kind}-{number}")
            finally:
                os.close(held)
            return


async def judge_gate(gate: Gate, tree: Path, context: CommandContext, verifier: Verifier) -> GateResult:
    """Runs a gate in a tree: its command, or its step of a story's verification. Of a red one, reads the cause."""
    result = await _judge(gate, tree, context, verifier)
    if not result.passed:
        return await asyncio.to_thread(with_cause, result, tree, gate.cwd, context.log)
    if context.log:
        context.log.unlink(missing_ok=True)
    return result


async def _judge(gate: Gate, tree: Path, context: CommandContext, verifier: Verifier) -> GateResult:
    if gate.step:
        return await verifier.verify(gate, gate.step, context, tree)
    if not is_folder(tree, gate.cwd):
        output = f"the folder {gate.cwd!r} is not in the tree"
        return GateResult(
            name=gate.name, passed=False, seconds=0.0, output=output, command=gate.command, origin=gate.origin
        )
    granted = replace(context, attaches=gate.attach, has_namespaces=gate.namespaces)
    outcome = await verifier.shell.run(gate.command, granted, tree=tree, seconds=60 * gate.minutes)
    return GateResult(
        name=gate.name,
        passed=outcome.passed,
        seconds=outcome.seconds,
        output=outcome.output,
        command=gate.command,
        origin=gate.origin,
        forgeable=outcome.exposed or gate.forgeable,
        exit_code=outcome.exit_code,
    )


def _decoded(gate: Gate, on_output: OutputListener) -> Callable[[bytes], None]:
    return lambda line: on_output(gate.name, line.decode(errors="replace"))
