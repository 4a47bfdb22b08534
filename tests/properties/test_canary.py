"""The canary: a broken file fails with its own mark, and a gate's verdict is never better than its evidence."""

import json
import subprocess
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.canary.canary_verdict import GateSight, Sight, Sources
from shiftwork.domain.canary.examination import RUNS, Examination, Trial, examination, fed, next_run
from shiftwork.domain.canary.mutation import Style, broken, can_break, mark, marks_in
from shiftwork.domain.canary.source_root import sources
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import is_test

TOKEN = "3fa9c1"  # noqa: S105 - no secret
NUMBERS = st.integers(min_value=0, max_value=10_000)
LOADED = st.sampled_from((Style.RUNTIME, Style.LAST))


# Files ------------------------------------------------------------------------------------------------------------

PYTHON_HEADS = ("#!/usr/bin/env python3\n", "# -*- coding: utf-8 -*-\n", "# a comment\n", "\n")
PYTHON_FUTURES = (
    "from __future__ import annotations\n",
    "from __future__ import (\n    annotations,\n    division,\n)\n",
)
PYTHON_LAST_FUTURES = ("", "from __future__ import annotations; x = (\n    1\n)\n")
PYTHON_BODIES = (
    "x = 1\n",
    "import os\n",
    "def f():\n    return '''from __future__ import x\n'''\n",
    "class A:\n    pass\n\n\n\n",
    "if True:\n    y = '\\d'  # an escape that Python warns of\n",
    "'text'\n",
)


@st.composite
def python(draw: st.DrawFn) -> str:
    parts = [
        "".join(draw(st.lists(st.sampled_from(PYTHON_HEADS), max_size=3))),
        draw(st.sampled_from(("", '"""A docstring."""\n', "'''Two\nlines'''\n"))),
        "".join(draw(st.lists(st.sampled_from(PYTHON_FUTURES), max_size=2))),
        draw(st.sampled_from(PYTHON_LAST_FUTURES)),
        "".join(draw(st.lists(st.sampled_from(PYTHON_BODIES), max_size=4))),
    ]
    text = draw(st.sampled_from(("", "\ufeff"))) + "".join(parts)
    text = text.rstrip("\n") if draw(st.booleans()) else text
    return text.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))


def load_python(text: str) -> str:
    """What loading says; nothing where it does not fail."""
    try:
        exec(compile(text.encode(), "a.py", "exec", dont_inherit=True), {"__name__": "a"})  # noqa: S102 - what is tested
    except RuntimeError as problem:
        return str(problem)
    return ""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(text=python(), number=NUMBERS, style=LOADED)
def test_python_that_is_broken_fails_to_load_with_exactly_its_mark(text: str, number: int, style: Style) -> None:
    once = broken("src/a.py", text, mark(TOKEN, number), style)
    twice = broken("src/a.py", once, mark(TOKEN, number), style)
    assert load_python(text) == ""
    for changed in (once, twice):
        assert marks_in(TOKEN, changed) == frozenset()
        assert marks_in(TOKEN, load_python(changed)) == {number}


SCRIPT_HEADS = ("// @ts-check\n", "/* a\n b */\n", "\n", "'use strict'\n", '"use client";\n', "/* a */ 'use strict';")
SCRIPT_BODIES = (
    "const a = 'b';\n",
    "(function () {})()\n",
    "var b = `\n'use strict'\n`\n",
    "'text'.length\n",
    "module.exports = {}\n",
    "/* // */ let c;\n",
)


@st.composite
def script(draw: st.DrawFn) -> str:
    body = draw(st.lists(st.sampled_from(SCRIPT_BODIES), max_size=4, unique=True))
    text = "".join(
        (
            draw(st.sampled_from(("", "#!/usr/bin/env node\n"))),
            *draw(st.lists(st.sampled_from(SCRIPT_HEADS), max_size=3)),
            *(f";{name}" for name in body),
        )
    )
    text = text.rstrip("\n") if draw(st.booleans()) else text
    return text.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))


LOADER = """
const vm = require("node:vm");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let said = "";
  try { vm.runInNewContext(JSON.parse(line), { module: {} }); } catch (problem) { said = String(problem); }
  console.log(JSON.stringify(said));
});
"""


@pytest.fixture(scope="module")
def load_script() -> Iterator[Callable[[str], str]]:
    """What loading says; nothing where it does not fail. One process loads all."""
    with subprocess.Popen(["node", "-e", LOADER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin
        assert node.stdout
        asked, answered = node.stdin, node.stdout

        def load(text: str) -> str:
            asked.write(json.dumps(text) + "\n")
            asked.flush()
            return str(json.loads(answered.readline()))

        yield load
        asked.close()


@given(text=script(), number=NUMBERS, style=LOADED)
@settings(deadline=None)
def test_a_script_that_is_broken_fails_to_load_with_exactly_its_mark(
    load_script: Callable[[str], str], text: str, number: int, style: Style
) -> None:
    once = broken("src/a.js", text, mark(TOKEN, number), style)
    twice = broken("src/a.js", once, mark(TOKEN, number), style)
    assert load_script(text) == ""
    for changed in (once, twice):
        assert marks_in(TOKEN, changed) == frozenset()
        assert marks_in(TOKEN, load_script(changed)) == {number}


ENDINGS = st.sampled_from(("py", "js", "ts", "rb", "php", "lua", "sh", "rs", "go", "java", "c", "h", "vue", "ex", "hs"))


@given(text=st.text(max_size=60), kind=ENDINGS, number=NUMBERS, style=st.sampled_from(Style))
def test_a_file_that_is_broken_keeps_every_line_it_had(text: str, kind: str, number: int, style: Style) -> None:
    changed = iter(broken(f"a.{kind}", text, mark(TOKEN, number), style).split())
    assert all(word in changed for word in text.split())


@given(token=st.from_regex(r"[0-9a-f]{6}", fullmatch=True), numbers=st.sets(NUMBERS), noise=st.text())
def test_marks_are_found_in_any_output_and_no_others(token: str, numbers: set[int], noise: str) -> None:
    output = noise + noise.join(mark(token, number) for number in numbers)
    assert marks_in(token, output) == numbers
    assert marks_in(token, output.encode("utf-8", "surrogatepass")) == numbers


# Sources ----------------------------------------------------------------------------------------------------------

FOLDERS = ("src", "tests", "test", "lib", "cart", "web", "packages", "a", ".github", "fixtures", "build", "scripts")
NAMES = (
    *("a.py", "test_a.py", "a_test.py", "a.test.ts", "a.ts", "conftest.py", "setup.py", "a.go", "a_test.go", "A.java"),
    *("ATest.java", "a.fs", "main.c", "package.json", "pyproject.toml", "README.md", "tests.py", "check.sh"),
)
PATHS = st.builds(
    lambda folders, name: "/".join((*folders, name)),
    st.lists(st.sampled_from(FOLDERS), max_size=4),
    st.sampled_from(NAMES),
)
COMMANDS = ("pytest", "scripts/check.sh", "python a.py", "npm test", "go vet ./...")
PROTECTIONS = st.builds(
    lambda patterns, commands: Protection(patterns=tuple(patterns), commands=tuple(commands)),
    st.lists(st.sampled_from(("cart/**", "*.c", "web/a.ts")), max_size=2),
    st.lists(st.sampled_from(COMMANDS), max_size=3),
)


@given(paths=st.lists(PATHS, max_size=40), protection=PROTECTIONS, mentioned=st.sampled_from(("", *COMMANDS)))
def test_sources_are_tracked_files_that_can_be_broken_and_no_tests(
    paths: list[str], protection: Protection, mentioned: str
) -> None:
    found = sources(paths, protection, mentioned)
    assert len(set(found.paths)) == len(found.paths)
    assert set(found.paths) <= set(paths)
    assert not any(is_test(path, protection) for path in (*found.paths, *found.other))
    assert all(can_break(path) for path in found.paths)
    assert all(root == "." or path.startswith(f"{root}/") for root, some in found.roots.items() for path in some)
    assert all(found.roots.values())


# A gate -----------------------------------------------------------------------------------------------------------

GATES = st.sampled_from((Gate(name="test", command="pytest"), Gate(name="lint", command="ruff check .")))
SOURCES = st.lists(st.integers(min_value=1, max_value=3), max_size=14).map(
    lambda sizes: Sources(
        roots={
            f"r{place:02}": tuple(f"r{place:02}/{number}.py" for number in range(size))
            for place, size in enumerate(sizes)
        }
    )
)
ANSWERS = st.tuples(st.booleans(), st.frozensets(st.integers(min_value=0, max_value=45)))


def drive(exam: Examination, answer: Callable[[Trial], tuple[bool, frozenset[int]]]) -> tuple[Examination, GateSight]:
    for _ in range(RUNS + 1):
        trial = next_run(exam)
        if isinstance(trial, GateSight):
            return exam, trial
        passed, found = answer(trial)
        exam = fed(exam, trial, found, passed=passed)
    raise AssertionError("no verdict after eight runs")


@given(gate=GATES, sources=SOURCES, green=st.booleans(), data=st.data())
def test_whatever_a_gate_answers_there_is_a_verdict_that_it_bears_out(
    gate: Gate,
    sources: Sources,
    green: bool,  # noqa: FBT001 - drawn
    data: st.DataObject,
) -> None:
    exam, sight = drive(examination(gate, sources, green=green), lambda _: data.draw(ANSWERS))
    assert len(exam.outcomes) <= RUNS
    assert not exam.outcomes or (green and sources.roots)
    assert sight.why.endswith(".")
    everything = [outcome for outcome in exam.outcomes if outcome.trial.roots == tuple(sources.roots)]
    noticed = {number for outcome in exam.outcomes if not outcome.passed for number in outcome.found}
    match sight.sight:
        case Sight.SEES:
            assert noticed
            assert sorted((*sight.seen, *sight.missed, *sight.undecided)) == list(sources.roots)
        case Sight.BLIND:
            assert everything[-1].passed
            assert not noticed
            assert sight.missed == tuple(sources.roots)
        case Sight.UNKNOWN:
            assert not (exam.outcomes and exam.outcomes[-1].passed)


@given(gate=GATES, sources=SOURCES)
def test_a_gate_that_never_turns_red_never_sees(gate: Gate, sources: Sources) -> None:
    _, sight = drive(
        examination(gate, sources, green=True), lambda trial: (True, frozenset(number for number, _ in trial.files))
    )
    assert sight.sight is (Sight.BLIND if sources.roots else Sight.UNKNOWN)


@given(gate=GATES, sources=SOURCES, data=st.data())
def test_a_gate_that_loads_some_roots_is_seen_to_load_these_and_no_others(
    gate: Gate, sources: Sources, data: st.DataObject
) -> None:
    """It turns red when one of the files that it loads is broken, and names the first that it meets."""
    loaded = data.draw(st.permutations([path for path in sources.paths if data.draw(st.booleans())]))

    def answer(trial: Trial) -> tuple[bool, frozenset[int]]:
        numbers = {path: number for number, path in trial.files}
        met = [numbers[path] for path in loaded if path in numbers]
        return not met, frozenset(met[:1])

    _, sight = drive(examination(gate, sources, green=True), answer)
    roots = {path.partition("/")[0] for path in loaded}
    if not sources.roots:
        assert sight.sight is Sight.UNKNOWN
    else:
        assert sight.sight is (Sight.SEES if loaded else Sight.BLIND)
        assert set(sight.seen) <= roots
        assert not roots & set(sight.missed)
        assert len(sight.seen) == min(len(roots), RUNS)
        assert bool(sight.undecided) <= (len(roots) >= RUNS)
