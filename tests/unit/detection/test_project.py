"""Detection in a repository: several languages, projects in folders, pre-commit hooks; no file causes an error."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.config.detection.project_gates import GATE_ORDER, detect
from tests.unit.detection.rig import PYTEST, found_in, gates_of, program

NODE = '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "4"}}'
API = {"api/requirements.txt": "pytest\n", "api/tests/test_a.py": PYTEST}
WEB = {"web/package.json": NODE, "web/package-lock.json": "{}"}
VENV = "python3 -m venv .venv && .venv/bin/python -m pip install -q"


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    found = found_in(tmp_path, {"README.md": "hello"})
    assert (found.gates, found.setup) == ((), "")


def test_two_languages_at_the_root_have_gates_of_their_own(tmp_path: Path) -> None:
    found = found_in(tmp_path, {"package.json": NODE, "go.mod": "", "test_a.py": PYTEST, "requirements.txt": "pytest"})
    assert gates_of(found) == {
        "lint": "go vet ./...",
        "test": "npm run test",
        "test-python": "python3 -m pytest -v",
        "test-go": "go test ./...",
        "build": "go build ./...",
    }
    assert found.setup == f"npm install && {VENV} -r requirements.txt"


def test_a_project_in_a_folder_beside_one_at_the_root(tmp_path: Path) -> None:
    found = found_in(tmp_path, {"requirements.txt": "pytest", "tests/test_a.py": PYTEST, **WEB})
    assert gates_of(found) == {"test-web": "cd web && npm run test", "test": "python3 -m pytest -v"}
    assert found.setup == f"(cd web && npm ci) && {VENV} -r requirements.txt"


def test_two_projects_in_folders(tmp_path: Path) -> None:
    found = found_in(tmp_path, {**API, **WEB})
    assert gates_of(found) == {
        "test-web": "cd web && npm run test",
        "test-api": "cd api && .venv/bin/python -m pytest -v",
    }
    assert found.setup == f"(cd web && npm ci) && (cd api && {VENV} -r requirements.txt)"
    assert {gate.source for gate in found.gates} == {"web/package.json", "api/requirements.txt"}


def test_projects_one_level_further_down(tmp_path: Path) -> None:
    found = found_in(tmp_path, {"services/api/go.mod": "", "services/web/package.json": NODE})
    assert gates_of(found)["test-services-api"] == "cd services/api && go test ./..."
    assert gates_of(found)["test-services-web"] == "cd services/web && npm run test"


@pytest.mark.parametrize("folder", ["a/b/c", "examples/a", "docs", ".hidden", "node_modules/a", "it's"])
def test_projects_deeper_down_or_in_folders_of_other_things_are_left_out(tmp_path: Path, folder: str) -> None:
    assert found_in(tmp_path, {f"{folder}/go.mod": ""}).gates == ()


def test_packages_of_several_languages_run_in_their_folders(tmp_path: Path) -> None:
    files = {f"packages/{name}": text for name, text in {**API, **WEB}.items()}
    assert gates_of(found_in(tmp_path, {"README.md": "a monorepo", **files})) == {
        "test-packages-web": "cd packages/web && npm run test",
        "test-packages-api": "cd packages/api && .venv/bin/python -m pytest -v",
    }


def test_a_root_without_tests_leaves_those_of_its_folders(tmp_path: Path) -> None:
    root = '[tool.ruff]\nline-length = 100\n[dependency-groups]\ndev = ["ruff"]\n'
    gates = gates_of(found_in(tmp_path, {"pyproject.toml": root, **API}))
    assert "test" not in gates
    assert gates["test-api"] == "cd api && .venv/bin/python -m pytest -v"


def test_the_scripts_of_a_package_at_the_root_are_all_that_matter(tmp_path: Path) -> None:
    root = '{"scripts": {"lint": "eslint ."}}'
    assert gates_of(found_in(tmp_path, {"package.json": root, **WEB})) == {"lint": "npm run lint"}


def test_the_tests_of_a_workspace_of_uv_are_run_at_its_root(tmp_path: Path) -> None:
    root = '[tool.uv.workspace]\nmembers = ["packages/*"]\n[dependency-groups]\ndev = ["pytest"]\n'
    files = {"packages/a/pyproject.toml": '[project]\nname = "a"\n', "packages/a/tests/test_a.py": PYTEST}
    found = found_in(tmp_path, {"uv.lock": "", "pyproject.toml": root, **files})
    assert gates_of(found) == {"test": "python3 -m pytest -v"}
    assert found.setup == "uv sync -q --frozen --all-packages"


def test_of_many_projects_of_one_kind_only_some_are_taken(tmp_path: Path) -> None:
    gates = found_in(tmp_path, {f"m{number:02d}/pom.xml": "" for number in range(20)}).gates
    assert 1 < len(gates) < 10


HOOKS = "repos:\n- repo: https://example.org/ruff-pre-commit\n  hooks: [{id: ruff}]\n"


def test_hooks_of_pre_commit_are_a_gate_where_they_can_be_run(tmp_path: Path) -> None:
    files = {".pre-commit-config.yaml": HOOKS, "ruff.toml": "", "requirements.txt": "ruff\n", "test_a.py": PYTEST}
    assert list(gates_of(found_in(tmp_path / "without", files))) == ["lint", "test"]
    found = found_in(tmp_path / "with", files, program(tmp_path, "pre-commit"))
    # The linter is one of the hooks.
    assert gates_of(found) == {"pre-commit": "pre-commit run --all-files", "test": "python3 -m pytest -v"}


def test_hooks_stand_beside_linters_that_are_none_of_them(tmp_path: Path) -> None:
    gates = gates_of(
        found_in(tmp_path / "a", {".pre-commit-config.yaml": HOOKS, "go.mod": ""}, program(tmp_path, "prek"))
    )
    assert gates["pre-commit"] == "prek run --all-files"
    assert gates["lint"] == "go vet ./..."


def test_a_pre_commit_that_the_project_brings_is_started_from_its_environment(tmp_path: Path) -> None:
    found = found_in(tmp_path, {".pre-commit-config.yaml": HOOKS, "requirements-dev.txt": "pre-commit\n"})
    assert gates_of(found) == {"pre-commit": "python3 -m pre_commit run --all-files"}
    assert found.setup == f"{VENV} -r requirements-dev.txt"


def test_a_pre_commit_that_is_only_installed_is_installed_in_trees_too(tmp_path: Path) -> None:
    installed = {".venv/pyvenv.cfg": "", ".venv/lib/python3.12/site-packages/pre_commit/x": ""}
    found = found_in(tmp_path, {".pre-commit-config.yaml": HOOKS, "requirements.txt": "attrs", **installed})
    assert gates_of(found) == {"pre-commit": "python3 -m pre_commit run --all-files"}
    assert found.setup == f"{VENV} -r requirements.txt pre-commit"


def test_a_hook_that_refuses_the_main_branch_is_skipped(tmp_path: Path) -> None:
    files = {".pre-commit-config.yaml": "hooks: [{id: no-commit-to-branch}]\n"}
    found = found_in(tmp_path / "a", files, program(tmp_path, "pre-commit"))
    assert gates_of(found) == {"pre-commit": "SKIP=no-commit-to-branch pre-commit run --all-files"}


def test_hooks_that_an_own_word_runs_are_not_run_twice(tmp_path: Path) -> None:
    files = {".pre-commit-config.yaml": HOOKS, "Makefile": "lint:\n\tpre-commit run -a\n"}
    found = found_in(tmp_path / "a", files, program(tmp_path, "pre-commit"))
    assert gates_of(found) == {"lint": "make lint"}


def test_quick_gates_come_first(tmp_path: Path) -> None:
    files = {".pre-commit-config.yaml": "", "go.mod": "", "Makefile": "check:\n\t./look\n", **WEB}
    found = found_in(tmp_path / "a", files, program(tmp_path, "pre-commit"))
    assert list(gates_of(found)) == ["pre-commit", "lint", "test-web", "test", "build", "check"]


FILES = (
    *("package.json", "pnpm-workspace.yaml", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "requirements.txt"),
    *("tox.ini", "noxfile.py", "Makefile", "justfile", "Cargo.toml", "go.work", "build.gradle", "Gemfile", "mix.exs"),
    *("composer.json", "a.csproj", ".pre-commit-config.yaml", "tests/test_a.py", "web/package.json", "api/setup.cfg"),
)
SNIPPETS = st.sampled_from(
    (
        *("test:\n", "\tx\n", "check: test\n", "[tool.uv]\n", "[project]\n", "dependencies = 3\n", '{"scripts": 1}'),
        *('{"workspaces": {"packages": 1}}', '{"scripts": {"test": 1}}', "[dependency-groups]\ndev = 'x'\n", "use (\n"),
        *("[tool.poetry]\ngroup = 1\n", "packages:\n- '['\n", "[options.extras_require]\n", "-r ../x\n-r .\n", "%(x)s"),
    )
)


@given(
    st.dictionaries(
        st.sampled_from(FILES),
        st.one_of(
            st.binary(max_size=200),
            st.text(max_size=200).map(lambda text: text.encode(errors="replace")),
            st.lists(SNIPPETS, max_size=4).map(lambda parts: "".join(parts).encode()),
        ),
    )
)
def test_nothing_that_a_file_holds_is_an_error(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_bytes(content)
        found = detect(Path(folder), {"PATH": "/nowhere", "VIRTUAL_ENV": "/nowhere"})
    assert all(gate.name.startswith(GATE_ORDER) and gate.command and gate.source for gate in found.gates)
    assert len({gate.name for gate in found.gates}) == len(found.gates)


def test_a_folder_that_is_none_shows_nothing(tmp_path: Path) -> None:
    assert detect(tmp_path / "gone").gates == ()
    (tmp_path / "package.json").mkdir()
    assert detect(tmp_path).gates == ()
