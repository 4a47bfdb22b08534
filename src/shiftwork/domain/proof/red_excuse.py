"""Which red gates of the second run say nothing about a story, if that run leaves out only the story's new tests.

Code under test can print what a runner prints. So a line about coverage is no excuse: it only lets the gates run once
more, with the threshold turned off, and that run decides. A gate that is red on the base too is excused only if it
ended there in the same way, for want of tests: if tests fail on the base, only the new ones make the gate green.
"""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.domain.gates.commands import working_folders
from shiftwork.domain.gates.gate import ExcusedGate, Gate, GateReport, GateResult
from shiftwork.domain.gates.test_output import plain_lines
from shiftwork.domain.proof.test_count import tally
from shiftwork.domain.runners.known_runners import RUNNERS
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.records import replace
from shiftwork.regexes import regex

_WORD: Final = regex(r"[^\s'\"`;&|()<>=]+")
_THRESHOLD_OFF: Final = "without the story's new tests too little is covered; it passed with the threshold turned off"
_AS_ON_BASE: Final = "red without the story's new tests, and on the base in the same way (exit code {code})"
_STILL_SHORT: Final = (
    "Without the new tests only the coverage is too low, and Shiftwork cannot turn off the threshold of this gate, "
    "because make or a script starts the runner. Start the runner in the gate's own command (gates.{gate} in "
    "shiftwork.toml); for pytest it is enough to state the threshold in its settings"
)


def drop_thresholds(judged: GateReport, gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gates that `judged` reports on, in the same order, without thresholds for coverage where only these made a
    gate red. Empty if there is no such gate, or no way to turn its threshold off.
    """
    pairs = zip(gates, judged.results, strict=True)
    lowered = tuple(gate if result.passed else _without_threshold(gate, result.output) for gate, result in pairs)
    return lowered if lowered != tuple(gates) else ()


def excuse_coverage(judged: GateReport, lowered: GateReport, gates: Sequence[Gate]) -> GateReport:
    """The report of the gates without thresholds, under the gates' own commands, with an excuse for every gate that was
    red only for its threshold. A gate that is red there too, although no test has failed, did not take what turns the
    threshold off: its first result stays.
    """
    rows = tuple(zip(gates, judged.results, lowered.results, strict=True))
    excused = (
        ExcusedGate(name=gate.name, reason=_THRESHOLD_OFF)
        for gate, before, after in rows
        if after.passed and not before.passed
    )
    results = tuple(
        replace(after, command=before.command) if after.passed or _failed_tests(after) else before
        for _, before, after in rows
    )
    return replace(lowered, results=results, excused=tuple(excused))


def excuse_as_on_base(judged: GateReport, base: GateReport, wants_tests: Callable[[GateResult], bool]) -> GateReport:
    """The report without gates that are red on the base in the same way: with the same exit code, and the same counts
    of tests, where that result `wants_tests`. A gate that is red for its coverage alone, and stays red, says what to
    do.
    """
    known = {(result.name, result.command): result for result in base.results}
    kept: list[GateResult] = []
    excused = list(judged.excused)
    for result in judged.results:
        if _ended_alike(result, known.get((result.name, result.command))) and wants_tests(result):
            reason = _AS_ON_BASE.format(code=result.exit_code)
            excused.append(ExcusedGate(name=result.name, reason=reason))
        else:
            kept.append(_with_advice(result))
    return replace(judged, results=tuple(kept), excused=tuple(excused))


def _failed_tests(result: GateResult) -> bool:
    counted = tally(result.output)
    return counted is not None and counted.failed > 0


def ran_no_test(output: str, *, has_tests: bool) -> bool:
    """Whether a red gate has run no test on a base that `has_tests` or not: then it is red for want of them. Where no
    count was printed, only a base without tests says so.
    """
    counted = tally(output)
    return not has_tests if counted is None else not counted.passed + counted.failed


def names_left_out(command: str, left_out: Sequence[str]) -> bool:
    """Whether a command names exactly one of these new tests, by its path or as a module of Python, from the folder
    where it runs: then it is red without it.
    """
    folder = next((f"{place}/" for place in working_folders(command) if place), "")
    new = {path.removeprefix(folder) for path in left_out if path.startswith(folder)}
    modules = {path.removesuffix(".py").replace("/", ".") for path in new if "_" in path and path.endswith(".py")}
    words = {word.partition("::")[0].removeprefix("./") for word in _WORD.findall(command)}
    return any(
        ("." in word and word in new) or any(word == name or word.startswith(f"{name}.") for name in modules)
        for word in words
    )


def _ended_alike(result: GateResult, before: GateResult | None) -> bool:
    if result.passed or before is None or before.passed or result.exit_code is None:
        return False
    return result.exit_code == before.exit_code and tally(result.output) == tally(before.output)


def _with_advice(result: GateResult) -> GateResult:
    if result.passed or not _short_runners(result.output):
        return result
    return replace(result, output=f"{_STILL_SHORT.format(gate=result.name)}\n{result.output}")


def _without_threshold(gate: Gate, output: str) -> Gate:
    for runner in _short_runners(output):
        command = runner.drop_threshold(gate.step.command if gate.step else gate.command)
        gate = replace(gate, step=replace(gate.step, command=command)) if gate.step else replace(gate, command=command)
    return gate


def _short_runners(output: str) -> tuple[KnownRunner, ...]:
    """The runners that report too little coverage, where tests have passed and none has failed."""
    counted = tally(output)
    if counted is None or not counted.passed or counted.failed:
        return ()
    text = plain_lines(output)
    return tuple(runner for runner in RUNNERS if runner.is_short(text))
