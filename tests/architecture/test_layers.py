"""The import contracts in pyproject.toml hold, and front ends import no rules of the domain."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
DOMAIN = "shiftwork.domain."


def test_import_contracts_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    linted = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout + linted.stderr


# Front ends ----------------------------------------------------------------------------------------------------------

VALUES = {
    *("core.ids", "core.fact", "core.plain", "core.patch"),
    *("spec.spec", "workflow.workflow", "workflow.pipeline", "memory.notes"),
    *("gates.gate", "gates.rung", "gates.checkout_trial", "canary.canary_verdict", "tampering.findings"),
    *("proof.verdict", "proof.certificate", "agents.tally"),
    *("budget.amounts", "budget.limits", "usage.usage", "usage.forecast", "landing.obstacle"),
    *("run.state", "run.facts", "story.state", "text.readable"),
}
"""Modules of the domain that front ends may import, because they hold values or clean text, and decide nothing: what a
rule says, all front ends learn from `app`.
"""


def imported(source: str) -> Iterator[str]:
    """The modules that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _is_module(inner) else node.module


def _is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("from shiftwork.domain.run.decide import rests", "run.decide"),
        ("from shiftwork.domain.run import decide", "run.decide"),
        ("import shiftwork.domain.run.decide", "run.decide"),
        ("def late():\n    from shiftwork.domain.run import facts as run_facts", "run.facts"),
    ],
)
def test_every_form_of_import_is_found(source: str, module: str) -> None:
    assert [*imported(source)] == [f"{DOMAIN}{module}"]


def test_front_ends_import_values_of_the_domain_and_no_rules() -> None:
    modules = sorted((SOURCE / "shiftwork/entrypoints").rglob("*.py"))
    found = {
        (path.stem, name.removeprefix(DOMAIN))
        for path in modules
        for name in imported(path.read_text(encoding="utf-8"))
        if name.startswith(DOMAIN)
    }
    rules = {(module, name) for module, name in found if name not in VALUES}
    assert rules == set(), "let `app` answer this"
    assert VALUES - {name for _, name in found} == set(), "no front end needs these"


# The clock -----------------------------------------------------------------------------------------------------------

CLOCKLESS = ("app", "domain", "planning", "prompts")
OF_A_LOOP = {"time", "call_at", "timeout_at"}
OF_DATES = {"now", "today", "utcnow"}


def clocks_read(source: str) -> list[int]:
    """Lines that import `time`, ask an event loop for its time, or ask for the present date; dates of known moments
    are only another form of them.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [node.lineno for alias in node.names if alias.name == "time"]
        elif isinstance(node, ast.ImportFrom):
            found += [node.lineno] if node.module == "time" else []
        elif isinstance(node, ast.Attribute):
            dated = node.attr in OF_DATES and ast.unparse(node.value).endswith(("date", "datetime"))
            found += [node.lineno] if dated or node.attr in OF_A_LOOP else []
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from time import monotonic",
        "today = datetime.now(UTC).date()",
        "today = datetime.date.today()",
        "until = asyncio.get_running_loop().time() + 1",
        "clock = loop.time",
        "asyncio.timeout_at(until)",
    ],
)
def test_a_clock_that_is_read_is_found(source: str) -> None:
    assert clocks_read(source) == [1]


def test_the_date_of_a_known_moment_is_no_clock() -> None:
    assert clocks_read("from datetime import UTC, datetime\ndatetime.fromtimestamp(context.clock.now(), UTC)") == []


def test_only_the_adapter_of_the_clock_reads_it() -> None:
    """What the application and the core know of the time comes by the port."""
    modules = [path for part in CLOCKLESS for path in sorted((SOURCE / "shiftwork" / part).rglob("*.py"))]
    read = {str(path.relative_to(SOURCE)): clocks_read(path.read_text(encoding="utf-8")) for path in modules}
    assert {name: lines for name, lines in read.items() if lines} == {}
