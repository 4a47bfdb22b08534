"""Finding a project's own checks: each kind of project, which of two wins, and that no file is an error."""

import re
import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.config.detect import GATE_ORDER, Detected, FoundGate, detect
from shiftwork.config.settings import Settings
from shiftwork.config.template import settings_file

SCRIPTS = '{"scripts": {"test": "vitest run", "lint": "eslint .", "type-check": "tsc", "build": "vite build"}}'

CASES: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "nothing": ({"README.md": "hello"}, {}, ""),
    "uv": (
        {
            "uv.lock": "",
            "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n",
        },
        {"lint": "uv run ruff check .", "typecheck": "uv run mypy .", "test": "uv run pytest"},
        "",
    ),
    "uv with dependency groups": (
        {"pyproject.toml": '[tool.uv]\npackage = true\n[dependency-groups]\ndev = ["pytest>=9", "ruff"]\n'},
        {"lint": "uv run ruff check .", "test": "uv run pytest"},
        "",
    ),
    "poetry": (
        {
            "poetry.lock": "",
            "pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "*"\n[tool.mypy]\nfiles = ["src"]\n',
        },
        {"typecheck": "poetry run mypy", "test": "poetry run pytest"},
        "poetry install --no-interaction",
    ),
    "pip": (
        {"setup.cfg": "[tool:pytest]\n[flake8]\n[mypy]\nfiles = src\n", "setup.py": ""},
        {"lint": "python3 -m flake8", "typecheck": "python3 -m mypy", "test": "python3 -m pytest"},
        "",
    ),
    "requirements": ({"requirements.txt": "pytest==9.1\n"}, {"test": "python3 -m pytest"}, ""),
    "unittest": ({"test_x.py": "import unittest"}, {"test": "python3 -m unittest"}, ""),
    "unittest in a folder": (
        {"setup.py": "", "tests/test_x.py": ""},
        {"test": "python3 -m unittest discover -s tests"},
        "",
    ),
    "npm": (
        {"package.json": SCRIPTS, "package-lock.json": "{}"},
        {"lint": "npm run lint", "typecheck": "npm run type-check", "test": "npm run test", "build": "npm run build"},
        "npm ci",
    ),
    "npm without tests": (
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {},
        "",
    ),
    "pnpm": (
        {"package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": ""},
        {"test": "pnpm run test"},
        "pnpm install --frozen-lockfile",
    ),
    "yarn of today": (
        {"package.json": '{"scripts": {"test": "x"}}', "yarn.lock": "", ".yarnrc.yml": ""},
        {"test": "yarn run test"},
        "yarn install --immutable",
    ),
    "bun by name": (
        {"package.json": '{"packageManager": "bun@1.2", "scripts": {"test": "x"}}'},
        {"test": "bun run test"},
        "bun install --frozen-lockfile",
    ),
    "rust": (
        {"Cargo.toml": "[package]\n[lints.rust]\nunsafe_code = 'forbid'\n"},
        {
            "lint": "cargo clippy --all-targets -- -D warnings",
            "typecheck": "cargo check --all-targets",
            "test": "cargo test",
        },
        "",
    ),
    "go": ({"go.mod": ""}, {"lint": "go vet ./...", "test": "go test ./...", "build": "go build ./..."}, ""),
    "make": (
        {"Makefile": ".PHONY: test\ntest: x\n\ttrue\nlint:\n\ttrue\nCHECK := 1\n"},
        {"lint": "make lint", "test": "make test"},
        "",
    ),
    "only check": ({"Makefile": "check:\n\ttrue\n"}, {"check": "make check"}, ""),
    "just": (
        {"justfile": "set x := 'y'\n@test *args:\n  true\ncheck: test\nlint a='b':\n"},
        {"lint": "just lint", "test": "just test"},
        "",
    ),
    "own words win, alone": (
        {"justfile": "test:\n  true\n", "pyproject.toml": "[tool.ruff]\nx = 1\n", "go.mod": ""},
        {"test": "just test"},
        "",
    ),
    "own words without a test": (
        {"Makefile": "lint:\n\ttrue\n", "go.mod": ""},
        {"lint": "make lint", "test": "go test ./...", "build": "go build ./..."},
        "",
    ),
    "two languages": (
        {"package.json": '{"scripts": {"test": "x"}}', "go.mod": ""},
        {"lint": "go vet ./...", "test": "npm run test", "build": "go build ./..."},
        "npm install",
    ),
    "broken files": ({"package.json": "{", "pyproject.toml": "[tool", "setup.cfg": "\x00"}, {}, ""),
}


def laid(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("case", CASES)
def test_checks_are_found(tmp_path: Path, case: str) -> None:
    files, gates, setup = CASES[case]
    found = detect(laid(tmp_path, files))
    assert {gate.name: gate.command for gate in found.gates} == gates
    assert found.setup == setup


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_reads_back_as_what_was_found(tmp_path: Path, case: str) -> None:
    found = detect(laid(tmp_path, CASES[case][0]))
    settings = Settings.model_validate(tomllib.loads(settings_file(found)))
    assert settings.gates == {gate.name: gate.command for gate in found.gates}
    assert settings.workspace.setup == found.setup
    assert settings.model_copy(update={"gates": {}, "workspace": Settings().workspace}) == Settings()


FILES = ("package.json", "pyproject.toml", "setup.cfg", "Makefile", "justfile", "Cargo.toml", "requirements.txt")


@given(
    st.dictionaries(
        st.sampled_from(FILES),
        st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode(errors="replace"))),
    )
)
def test_nothing_that_a_file_holds_is_an_error(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        found = detect(Path(folder))
    assert {gate.name for gate in found.gates} <= set(GATE_ORDER)


@given(st.text(), st.text())
def test_any_command_survives_the_settings_file(command: str, setup: str) -> None:
    gate = FoundGate(name="test", command=command.encode(errors="replace").decode(), source="x")
    found = Detected(gates=(gate,), setup=setup.encode(errors="replace").decode())
    read = tomllib.loads(settings_file(found))
    assert read["gates"]["test"] == gate.command
    assert read["workspace"].get("setup", "") == found.setup


KEY = re.compile(r"^(?:# )?(\w+ = [^#]*?) +# ")


def test_the_settings_file_names_every_key_with_its_default() -> None:
    shown = (line if line.startswith("[") else KEY.match(line) for line in settings_file(Detected()).splitlines())
    values = tomllib.loads("\n".join(line if isinstance(line, str) else line[1] for line in shown if line))
    assert values.pop("gates") == {}
    for section, keys in values.items():
        assert set(keys) == set(type(getattr(Settings(), section)).model_fields)
    assert {*values, "gates", "profiles"} == set(Settings.model_fields)
    for key in ("run_usd", "story_usd", "step_usd", "run_tokens", "story_tokens", "step_tokens"):
        del values["limits"][key]  # none has a default; the file shows examples
    assert Settings.model_validate(values) == Settings()
