"""Which gates a change needs: by its changed files alone, and in doubt all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.gate import Gate, NotNeeded
from shiftwork.domain.gates.needed_gates import chosen, with_links

ALL = Gate(name="all", command="make check")
API = Gate(name="api", command="cd packages/api && pytest", paths=("packages/api/**",))
WEB = Gate(name="web", command="npm test -w web", paths=("packages/web/**", "*.ts"))


def names(*changed: str, gates: tuple[Gate, ...] = (ALL, API, WEB), unusual: tuple[str, ...] = ()) -> list[str]:
    return [gate.name for gate in chosen(gates, changed, unusual).gates]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (("packages/api/a.py",), ["all", "api"]),
        (("packages/api/a.py", "packages/web/b.js"), ["all", "api", "web"]),
        (("tools/x.ts",), ["all", "web"]),
        (("README.md",), ["all"]),
        ((), ["all"]),
        (("packages/api2/a.py",), ["all"]),
        (("Packages/API/a.py",), ["all", "api"]),
        (("packages/api/",), ["all", "api", "web"]),  # a link or a submodule in place of the folder; it may have a .ts
        (("packages/",), ["all", "api", "web"]),
        (("packages/web",), ["all"]),  # a file of that name: its folder is listed as deleted
        (("docs/",), ["all", "web"]),
    ],
)
def test_changed_files_choose_the_gates(changed: tuple[str, ...], expected: list[str]) -> None:
    assert names(*changed) == expected


def test_a_gate_that_is_not_needed_is_named_with_the_reason() -> None:
    many = Gate(name="many", command="make", paths=("a/**", "b/**", "c/**", "d/**"))
    assert chosen((ALL, WEB, many), ("README.md",)).not_needed == (
        NotNeeded(name="web", reason="no changed file matches packages/web/**, *.ts"),
        NotNeeded(name="many", reason="no changed file matches a/**, b/**, c/** and more"),
    )


def test_without_any_gate_left_all_run() -> None:
    assert names("README.md", gates=(API, WEB)) == ["api", "web"]
    assert names("packages/api/a.py", gates=(API, WEB)) == ["api"]


def test_changed_checks_outside_of_all_paths_need_all_gates() -> None:
    assert names("packages/api/a.py", "conftest.py", unusual=("conftest.py",)) == ["all", "api", "web"]
    assert names("packages/api/test_a.py", unusual=("packages/api/test_a.py",)) == ["all", "api"]


def test_the_scripts_of_a_gate_belong_to_its_paths() -> None:
    gate = Gate(name="own", command="sh scripts/check.sh", paths=("src/**",))
    assert names("scripts/check.sh", gates=(ALL, gate)) == ["all", "own"]


def test_a_link_may_hold_what_a_pattern_for_all_folders_matches() -> None:
    gate = Gate(name="own", command="make", paths=("**/*.py",))
    assert names("docs/", gates=(ALL, gate)) == ["all", "own"]
    assert names("docs/a.md", gates=(ALL, gate)) == ["all"]


def test_letters_that_some_file_systems_take_for_the_same_do_not_hide_a_change() -> None:
    gate = Gate(name="own", command="make", paths=("caf\u00e9/**",))
    assert names("cafe\u0301/a.py", gates=(ALL, gate)) == ["all", "own"]
    assert names("CAF\u00c9/a.py", gates=(ALL, gate)) == ["all", "own"]


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([("packages/api/lib", "../../shared")], ["packages/api/lib/"]),
        ([("packages/api/lib", "../../shared/lib.py")], ["packages/api/lib/"]),
        ([("packages/api/lib", "./../../Shared//")], ["packages/api/lib/"]),
        ([("packages/api/lib", "../../other")], []),
        ([("a", "b"), ("b", "shared")], ["b/", "a/"]),
        ([("all", ".")], ["all/"]),
        ([("out", "/etc")], ["out/"]),
        ([("out", "../x")], ["out/"]),
        ([("odd", "b/../shared2")], ["odd/"]),
    ],
)
def test_a_link_that_leads_to_a_change_counts_as_changed(links: list[tuple[str, str]], expected: list[str]) -> None:
    assert list(with_links(["shared/lib.py"], links)) == ["shared/lib.py", *expected]


FOLDERS = st.sampled_from(["packages/api", "packages/web", "shared", "Packages/API"])
FILES = st.builds(lambda folder, name: f"{folder}/{name}", FOLDERS, st.sampled_from(["a.py", "b/c.ts", "d"]))
LINKS = st.lists(st.tuples(FILES, st.sampled_from(["../../shared", "../api", "../web/d", "/x", "..", "../../../y"])))


@given(st.lists(FILES), st.lists(FILES), LINKS, LINKS)
def test_a_larger_change_never_needs_fewer_gates(
    some: list[str], more: list[str], links: list[tuple[str, str]], others: list[tuple[str, str]]
) -> None:
    fewer = chosen((ALL, API, WEB), with_links(some, links))
    larger = chosen((ALL, API, WEB), with_links([*some, *more], [*links, *others]))
    assert set(fewer.gates) <= set(larger.gates)
    assert ALL in fewer.gates
    assert {gate.name for gate in fewer.gates} | {gate.name for gate in fewer.not_needed} == {"all", "api", "web"}


@pytest.mark.parametrize("path", ["uv.lock", "package.json", "Cargo.lock", ".gitattributes", "libs/tsconfig.json"])
def test_what_changes_the_environment_of_all_needs_all_gates(path: str) -> None:
    assert names("packages/api/a.py", path) == ["all", "api", "web"]


def test_the_environment_of_one_folder_needs_the_gates_of_that_folder() -> None:
    assert names("packages/api/uv.lock", gates=(ALL, API, WEB)) == ["all", "api"]


def test_changed_checks_at_the_root_need_all_gates_though_one_gate_is_about_them() -> None:
    lint = Gate(name="lint", command="ruff check", paths=("*.py",))
    assert names("conftest.py", gates=(lint, API), unusual=("conftest.py",)) == ["lint", "api"]
    assert names("setup.cfg", gates=(ALL, lint, API), unusual=("setup.cfg",)) == ["all", "lint", "api"]


@pytest.mark.parametrize("command", ["cd packages/api && sh ../../tools/run.sh", "sh packages/../tools/run.sh"])
def test_a_script_that_is_named_through_other_folders_belongs_to_its_gate(command: str) -> None:
    gate = Gate(name="own", command=command, paths=("src/**",))
    assert names("tools/run.sh", gates=(ALL, gate)) == ["all", "own"]


def test_a_link_may_lead_to_a_file_that_a_pattern_across_folders_means() -> None:
    gate = Gate(name="own", command="make", paths=("packages/api/**.py",))
    assert names("packages/api/shared/", gates=(ALL, gate)) == ["all", "own"]
