"""Tools that gates use, in the sandbox of gates: nothing that they run reaches the processes that judge it."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.toolchain import Toolchain
from shiftwork.adapters.workspace.tree.shell import CommandContext, Outcome, Shell
from shiftwork.app.commands.explain_gate import needs
from shiftwork.domain.gates.gate import GateResult
from tests.conformance.sandbox.sandbox_rig import BWRAP, NEEDS_BUBBLEWRAP, Confined, confined

pytestmark = [pytest.mark.timeout(300), NEEDS_BUBBLEWRAP]

_CI = os.environ.get("CI", "") == "true"  # noqa: TID251 - what a test run is given from outside
USER = 65534


def needs_program(*names: str) -> pytest.MarkDecorator:
    """In CI they are there."""
    missing = [name for name in names if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing) and not _CI, reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def place(tmp_path: Path) -> Confined:
    inside = confined(tmp_path)
    python = Toolchain(inside.home, (inside.repo,)).of_folders([Path(sys.executable).parent])
    return replace(inside, walls=replace(inside.walls, readable=python, judging=True))


@pytest.fixture
def place_of_user() -> Iterator[Confined]:
    """Of a user without rights: root can neither start the sandbox of a browser nor make namespaces."""
    with tempfile.TemporaryDirectory(prefix="shiftwork-judging-") as made:
        inside = confined(Path(made))
        program = Path(made) / "bwrap"
        drop = f"setpriv --reuid={USER} --regid={USER} --clear-groups" if os.geteuid() == 0 else ""
        program.write_text(f'#!/bin/sh\nexec {drop} {BWRAP} "$@"\n')
        program.chmod(0o755)
        if os.geteuid() == 0:
            subprocess.run(("/bin/chown", "-R", f"{USER}:{USER}", made), check=True)
        yield replace(inside, walls=replace(inside.walls, program=str(program), judging=True))


def judged(place: Confined, command: str, *, attaches: bool = False, has_namespaces: bool = False) -> Outcome:
    context = CommandContext(marker=place.marker, attaches=attaches, has_namespaces=has_namespaces)
    shell = Shell(env=place.env, sandbox=place.walls)
    return asyncio.run(shell.run(command, context, tree=place.tree, seconds=200))


def need_in(outcome: Outcome) -> str:
    """What `doctor --gates` says of the failure."""
    assert not outcome.passed, outcome.output
    (need,) = needs(GateResult(name="unit", passed=False, seconds=1.0, output=outcome.output))
    return need


ATTACH = "it seems to need to attach to other processes, which lets it forge its result: attach = true under"
NAMESPACES = "it seems to need namespaces of its own, which let it forge its result: namespaces = true under"

COUNTING = "int count(int n) { return n + 1; }\nint main(void) { return count(1) - 2; }\n"
LEAKING = "#include <stdlib.h>\nint main(void) { char *kept = malloc(10); kept[0] = 1; kept = 0; return 0; }\n"


@needs_program("gdb", "gcc")
def test_a_debugger_stops_the_program_that_it_starts(place: Confined) -> None:
    (place.tree / "count.c").write_text(COUNTING)
    debugging = "gdb -batch -ex 'break count' -ex run -ex 'print n' -ex 'set var n = 41' -ex finish ./count"
    outcome = judged(place, f"gcc -g -O0 -o count count.c && {debugging}")
    assert "$1 = 1" in outcome.output, outcome.output
    assert "Value returned is $2 = 42" in outcome.output


@needs_program("gdb")
def test_a_debugger_that_attaches_needs_the_setting(place: Confined) -> None:
    attaching = "sleep 60 & gdb -batch -ex 'info inferiors' -p $! > out 2>&1; cat out; ! grep 'not permitted' out"
    assert need_in(judged(place, attaching)).startswith(ATTACH)
    outcome = judged(place, attaching, attaches=True)
    assert outcome.passed, outcome.output


@needs_program("strace")
def test_strace_shows_the_calls_of_a_command(place: Confined) -> None:
    outcome = judged(place, "strace -f -e trace=openat -o calls sh -c 'cat /etc/hostname; true' && cat calls")
    assert outcome.passed, outcome.output
    assert '"/etc/hostname"' in outcome.output


@needs_program("gcc")
def test_a_leak_checker_needs_the_setting_and_finds_the_leak_with_it(place: Confined) -> None:
    (place.tree / "leak.c").write_text(LEAKING)
    checking = "gcc -g -O0 -fsanitize=address -o leak leak.c && ./leak"
    assert need_in(judged(place, checking)).startswith(ATTACH)
    outcome = judged(place, checking, attaches=True)
    assert "detected memory leaks" in outcome.output, outcome.output
    without_leaks = judged(place, "ASAN_OPTIONS=detect_leaks=0 ./leak")
    assert without_leaks.passed, without_leaks.output


@needs_program("chromium")
def test_a_browser_shows_a_page_and_its_own_sandbox_needs_the_setting(place_of_user: Confined) -> None:
    page = "data:text/html,<p>hello</p>"
    showing = f"chromium --headless --disable-gpu --user-data-dir=$PWD/profile --dump-dom '{page}'"
    without = judged(place_of_user, f"{showing} --no-sandbox")
    assert "<p>hello</p>" in without.output, without.output
    assert need_in(judged(place_of_user, showing)).startswith(NAMESPACES)
    within = judged(place_of_user, showing, has_namespaces=True)
    assert "<p>hello</p>" in within.output, within.output


def test_a_sandbox_within_needs_the_setting(place_of_user: Confined) -> None:
    nesting = f"{shutil.which('bwrap')} --unshare-user --unshare-pid --ro-bind / / --dev /dev true"
    assert need_in(judged(place_of_user, nesting)).startswith(NAMESPACES)
    outcome = judged(place_of_user, nesting, has_namespaces=True)
    assert outcome.passed, outcome.output


@needs_program("node")
def test_node_runs_its_tests_and_measures_coverage(place: Confined) -> None:
    (place.tree / "total.test.js").write_text("require('node:test')('total', () => {});\n")
    outcome = judged(place, "NODE_V8_COVERAGE=$PWD/coverage node --test && ls coverage")
    assert outcome.passed, outcome.output
    assert "pass 1" in outcome.output
    assert "coverage-" in outcome.output


def test_coverage_measures_a_program_and_its_processes(place: Confined) -> None:
    (place.tree / "whole.py").write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\n")
    command = f"{sys.executable} -m coverage run whole.py && {sys.executable} -m coverage report"
    outcome = judged(place, command)
    assert outcome.passed, outcome.output
    assert "100%" in outcome.output


@needs_program("go", "gcc")
def test_the_race_detector_of_go_finds_a_race(place: Confined) -> None:
    (place.tree / "main.go").write_text(
        "package main\n\nfunc main() {\n\tn, done := 0, make(chan bool)\n"
        "\tgo func() { n++; done <- true }()\n\tn++\n\t<-done\n\tprintln(n)\n}\n"
    )
    outcome = judged(place, "GOTOOLCHAIN=local go run -race main.go")
    assert "WARNING: DATA RACE" in outcome.output, outcome.output
