"""What the canary breaks next, which verdict a gate's results give, and under which key it is remembered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from shiftwork.domain.canary.canary_verdict import GateSight, KnownSight, Sight, Sources
from shiftwork.domain.canary.examination import (
    RUNS,
    Examination,
    Trial,
    against_base,
    examination,
    fed,
    found_in,
    gate_key,
    is_gate_configuration,
    is_of_tests,
    next_run,
    still_holds,
)
from shiftwork.domain.canary.mutation import Style, mark
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.tampering.findings import Protection

TEST = Gate(name="test", command="pytest")
SOURCES = Sources(roots={"api": ("api/a.py", "api/b.py"), "cart": ("cart/a.py",), "web": ("web/a.ts",)})
API, CART, WEB = 0, 2, 3
RED: tuple[bool, frozenset[int]] = (False, frozenset())
GREEN: tuple[bool, frozenset[int]] = (True, frozenset())


def red(*numbers: int) -> tuple[bool, frozenset[int]]:
    return False, frozenset(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    trials: tuple[Trial, ...]
    sight: GateSight

    @property
    def runs(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(str(trial.style), trial.roots) for trial in self.trials]


def play(gate: Gate, *answers: tuple[bool, frozenset[int]], sources: Sources = SOURCES, green: bool = True) -> Outcomes:
    """All answers are used, and after the last of them the verdict is known."""
    exam = examination(gate, sources, green=green)
    trials: list[Trial] = []
    for passed, found in answers:
        trial = next_run(exam)
        assert isinstance(trial, Trial)
        trials.append(trial)
        exam = fed(exam, trial, found, passed=passed)
    sight = next_run(exam)
    assert isinstance(sight, GateSight)
    assert sight.gate == gate.name
    return Outcomes(trials=tuple(trials), sight=sight)


ALL = ("api", "cart", "web")


# Nothing to try ---------------------------------------------------------------------------------------------------


def test_a_gate_that_is_red_on_the_base_shows_nothing() -> None:
    sight = play(TEST, green=False).sight
    assert sight.sight is Sight.UNKNOWN
    assert "red on the base" in sight.why


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        (Sources(), "The repository has no product sources yet."),
        (Sources(other=("a.fs",)), "None of the 1 product source is in a language that can be broken on purpose."),
    ],
)
def test_without_sources_nothing_is_known(sources: Sources, why: str) -> None:
    sight = play(TEST, sources=sources).sight
    assert (sight.sight, sight.why) == (Sight.UNKNOWN, why)


# Everything broken ------------------------------------------------------------------------------------------------


def test_everything_is_broken_first_and_each_file_has_its_number() -> None:
    first = next_run(examination(TEST, SOURCES, green=True))
    files = ((0, "api/a.py"), (1, "api/b.py"), (2, "cart/a.py"), (3, "web/a.ts"))
    assert first == Trial(style=Style.RUNTIME, roots=ALL, files=files)


def test_a_gate_that_names_every_root_sees() -> None:
    played = play(TEST, red(API, CART, WEB))
    assert played.sight == GateSight(
        gate="test",
        sight=Sight.SEES,
        why="The gate turned red and named broken sources of api, cart and web.",
        seen=ALL,
    )


def test_a_gate_that_stays_green_is_blind() -> None:
    played = play(TEST, GREEN)
    assert played.runs == [("runtime", ALL)]
    assert played.sight == GateSight(
        gate="test",
        sight=Sight.BLIND,
        why="The gate stayed green with 4 product sources broken to fail when loaded or compiled.",
        missed=ALL,
        files=("api/a.py", "cart/a.py", "web/a.ts", "api/b.py"),
    )


def test_a_gate_that_names_broken_sources_and_passes_is_blind() -> None:
    sight = play(TEST, (True, frozenset({API}))).sight
    assert (sight.sight, sight.passes_anyway, sight.seen) == (Sight.BLIND, True, ())
    assert sight.why.endswith("compiled, although its output names some of them.")


def test_a_blind_gate_lists_some_files_of_every_root() -> None:
    many = Sources(roots={"a": tuple(f"a/{number:03}.py" for number in range(100)), "b": ("b/a.py",)})
    files = play(TEST, GREEN, sources=many).sight.files
    assert len(files) == 20
    assert files[:3] == ("a/000.py", "b/a.py", "a/001.py")


def test_a_green_gate_is_not_blind_where_most_of_the_product_cannot_be_broken() -> None:
    mixed = Sources(roots={".": ("deploy.sh",)}, other=("A.fs", "B.fs"))
    sight = play(TEST, GREEN, sources=mixed).sight
    assert (sight.sight, sight.missed) == (Sight.UNKNOWN, ())
    assert sight.why == (
        "The gate stayed green with 1 product source broken, but 2 product sources are in languages that cannot be "
        "broken on purpose."
    )
    few = Sources(roots={".": ("deploy.sh", "start.sh")}, other=("A.fs",))
    assert play(TEST, GREEN, sources=few).sight.sight is Sight.BLIND


def test_a_gate_that_stops_at_a_formatter_is_tried_with_statements_at_the_end() -> None:
    played = play(TEST, RED, red(API, CART, WEB))
    assert played.runs == [("runtime", ALL), ("last", ALL)]
    assert played.sight.sight is Sight.SEES


def test_a_gate_that_only_its_formatter_turned_red_is_blind() -> None:
    assert play(TEST, RED, GREEN).sight.sight is Sight.BLIND


def test_a_gate_that_is_red_for_no_reason_that_it_names_is_unknown() -> None:
    sight = play(TEST, RED, RED).sight
    assert (sight.sight, sight.seen, sight.missed) == (Sight.UNKNOWN, (), ())
    assert sight.why == (
        "The gate turned red with the sources broken, but its output names no broken source as the reason."
    )


# The other roots --------------------------------------------------------------------------------------------------


def test_roots_that_are_not_named_are_broken_without_those_that_are() -> None:
    played = play(TEST, red(API), red(CART), GREEN)
    assert played.runs == [("runtime", ALL), ("runtime", ("cart", "web")), ("runtime", ("web",))]
    assert played.trials[1].files == ((2, "cart/a.py"), (3, "web/a.ts"))
    sight = played.sight
    assert (sight.sight, sight.seen, sight.missed, sight.undecided) == (Sight.SEES, ("api", "cart"), ("web",), ())
    assert sight.why == (
        "The gate turned red and named broken sources of api and cart; it stayed green with those of web broken."
    )


def test_roots_that_are_missed_together_need_one_run() -> None:
    sight = play(TEST, red(CART), GREEN).sight
    assert (sight.seen, sight.missed) == (("cart",), ("api", "web"))


def test_roots_are_broken_one_at_a_time_where_a_red_gate_names_none_of_them() -> None:
    played = play(TEST, red(WEB), RED, RED, red(CART))
    assert played.runs[1:] == [("runtime", ("api", "cart")), ("runtime", ("api",)), ("runtime", ("cart",))]
    sight = played.sight
    assert (sight.seen, sight.missed, sight.undecided) == (("cart", "web"), (), ("api",))
    assert sight.why.endswith("of cart and web; nothing is known about api.")


def test_the_style_that_showed_something_is_kept() -> None:
    assert play(TEST, RED, red(API), GREEN).runs[2] == ("last", ("cart", "web"))


def test_a_gate_is_run_eight_times_at_most() -> None:
    many = Sources(roots={f"r{number:02}": (f"r{number:02}/a.py",) for number in range(12)})
    answers = [red(number) for number in range(RUNS)]
    sight = play(TEST, *answers, sources=many).sight
    assert (len(sight.seen), len(sight.undecided), sight.missed) == (8, 4, ())
    assert sight.why == (
        "The gate turned red and named broken sources of r00, r01, r02, r03, r04 and 3 more; nothing is known about "
        "r08, r09, r10 and r11."
    )


def test_a_file_that_was_not_broken_was_not_noticed() -> None:
    exam = examination(TEST, SOURCES, green=True)
    first = next_run(exam)
    assert isinstance(first, Trial)
    exam = fed(exam, first, frozenset({API}), passed=False)
    second = next_run(exam)
    assert isinstance(second, Trial)
    assert fed(exam, second, frozenset({API, 99}), passed=False).outcomes[-1].found == frozenset()


# Reading the output -----------------------------------------------------------------------------------------------


def trial(style: Style, files: Sequence[tuple[int, str]] = ((0, "api/a.py"), (1, "api/b.py"))) -> Trial:
    return Trial(style=style, roots=("api",), files=tuple(files))


def test_marks_name_files() -> None:
    output = f"{mark('abc', 1)} api/a.py {mark('abc', 7)}"
    for style in Style:
        assert found_in(output, trial(style), "abc") == {1}


# Remembering ------------------------------------------------------------------------------------------------------


CONFIGURATION = (("pytest.ini", "b1"), ("Makefile", "b2"))


def test_a_verdict_is_remembered_by_what_can_change_it() -> None:
    key = gate_key(TEST, "uv sync", "e1", CONFIGURATION, ("src/cart", "web"))
    assert key == gate_key(replace(TEST, minutes=3), "uv sync", "e1", CONFIGURATION[::-1], ("web", "src/cart"))
    others = [
        gate_key(replace(TEST, command="pytest -q"), "uv sync", "e1", CONFIGURATION, ("src/cart", "web")),
        gate_key(replace(TEST, kind="other"), "uv sync", "e1", CONFIGURATION, ("src/cart", "web")),
        gate_key(TEST, "", "e1", CONFIGURATION, ("src/cart", "web")),
        gate_key(TEST, "uv sync", "e2", CONFIGURATION, ("src/cart", "web")),
        gate_key(TEST, "uv sync", "e1", (("pytest.ini", "b1"), ("Makefile", "b3")), ("src/cart", "web")),
        gate_key(TEST, "uv sync", "e1", CONFIGURATION, ("src/cart",)),
    ]
    assert len({key, *others}) == len(others) + 1


@pytest.mark.parametrize("path", ["pytest.ini", "web/package.json", "Makefile", "tests/conftest.py", "pyproject.toml"])
def test_files_that_configure_gates(path: str) -> None:
    assert is_gate_configuration(path)


@pytest.mark.parametrize("path", ["shiftwork.toml", ".github/workflows/ci.yml", "src/cart/a.py", "checks/all.sh"])
def test_files_that_do_not(path: str) -> None:
    assert not is_gate_configuration(path)


def test_what_a_gate_starts_and_what_python_takes_for_another_module_configure_it() -> None:
    protection = Protection(commands=("sh checks/all.sh",))
    assert is_gate_configuration("checks/all.sh", protection)
    assert is_gate_configuration("random.py", protection)
    assert not is_gate_configuration("src/cart/random.py", protection)


SEES = GateSight(gate="test", sight=Sight.SEES, seen=("api", "cart"), missed=("web",))
TESTS = (("tests/test_a.py", "1"), ("tests/helpers.py", "2"))


@pytest.mark.parametrize(
    ("tests", "holds"), [(TESTS, True), ((*TESTS, ("tests/test_b.py", "3")), True), (TESTS[:1], False), ((), False)]
)
def test_what_was_found_holds_while_its_tests_are_there(tests: tuple[tuple[str, str], ...], *, holds: bool) -> None:
    assert still_holds(KnownSight(sight=SEES, tests=TESTS), tests) is holds


@pytest.mark.parametrize("sight", [Sight.BLIND, Sight.UNKNOWN])
def test_a_gate_that_did_not_see_is_examined_again(sight: Sight) -> None:
    known = KnownSight(sight=replace(SEES, sight=sight), tests=TESTS)
    assert not still_holds(known, TESTS)


def test_tests_and_what_they_are_run_with_may_take_sight_away() -> None:
    assert all(map(is_of_tests, ("tests/test_a.py", "tests/helpers.py", "a_test.go", "shop/price_tests.py")))
    assert not is_of_tests("src/a.py")


PATHS = ("api/a.py", "cart.toml", "README.md")


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        (SEES, ()),
        (replace(SEES, seen=("cart",), undecided=("api",)), ()),
        (replace(SEES, seen=("cart",), missed=("api",)), ("api",)),
        (GateSight(gate="test", sight=Sight.UNKNOWN), ("api",)),
    ],
)
def test_a_gate_that_loses_a_source_root_is_blind(after: GateSight, lost: tuple[str, ...]) -> None:
    """Of `cart` nothing is left."""
    found = against_base(SEES, after, PATHS)
    if not lost:
        assert found == after
    else:
        assert (found.sight, found.missed, found.files) == (Sight.BLIND, lost, ("api/a.py",))
        assert found.why == "The gate notices broken sources of api on the branch, and does not with this change."


def test_the_root_folder_is_lost_where_any_source_is_left() -> None:
    before = replace(SEES, seen=(".",))
    assert against_base(before, replace(SEES, seen=("other",)), ("index.js",)).files == ("index.js",)
    assert against_base(before, replace(SEES, seen=("other",)), ("index.txt",)).sight is Sight.SEES


def test_an_examination_is_plain_data() -> None:
    assert examination(TEST, SOURCES, green=True) == Examination(gate="test", green=True, sources=SOURCES)
