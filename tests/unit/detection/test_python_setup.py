"""How the environment of a Python project is created, from what the project declares."""

from pathlib import Path

import pytest

from tests.unit.detection.rig import PYTEST, UNITTEST, found_in, gates_of

BUILD = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "cart"\n'
VENV = "python3 -m venv .venv && "
PIP = ".venv/bin/python -m pip install -q"
NEW_PIP = f"{PIP} --upgrade 'pip>=25.1' && "
TEST = {"tests/test_a.py": PYTEST}
HASHED = "pytest==9.1.0 \\\n    --hash=sha256:00\n"

CASES: dict[str, tuple[dict[str, str], str]] = {
    "uv": ({"uv.lock": "", "pyproject.toml": '[dependency-groups]\ndev = ["pytest"]\n'}, "uv sync -q --frozen"),
    "uv without a lock": (
        {"pyproject.toml": '[tool.uv]\npackage = true\n[project]\nname = "a"\n[dependency-groups]\ndev = ["pytest"]\n'},
        "uv sync -q",
    ),
    "uv, extras and other groups": (
        {
            "uv.lock": "",
            "pyproject.toml": '[project.optional-dependencies]\ntest = ["pytest"]\ndocs = ["sphinx"]\n'
            '[dependency-groups]\ntesting = ["faker"]\nlint = ["ruff"]\ndev = []\n',
        },
        "uv sync -q --frozen --extra test --group testing --group lint",
    ),
    "uv, all groups by default": (
        {
            "uv.lock": "",
            "pyproject.toml": '[dependency-groups]\ntest = ["pytest"]\n[tool.uv]\ndefault-groups = "all"\n',
        },
        "uv sync -q --frozen",
    ),
    "uv, other groups by default": (
        {
            "uv.lock": "",
            "pyproject.toml": '[dependency-groups]\ndev = ["pytest"]\n[tool.uv]\ndefault-groups = ["docs"]\n',
        },
        "uv sync -q --frozen --group dev",
    ),
    "uv, a workspace": (
        {
            "uv.lock": "",
            "pyproject.toml": '[tool.uv]\ndev-dependencies = ["pytest"]\nworkspace = { members = ["a"] }\n',
        },
        "uv sync -q --frozen --all-packages",
    ),
    "uv, pytest from nowhere": (
        {"uv.lock": "", "pyproject.toml": ""},
        "uv sync -q --frozen && uv pip install -q -p .venv pytest",
    ),
    "poetry": (
        {"poetry.lock": "", "pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "*"\n'},
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
    ),
    "poetry, an optional group and an extra": (
        {
            "pyproject.toml": '[tool.poetry.group.test]\noptional = true\n[tool.poetry.extras]\ndev = ["x"]\n'
            '[tool.poetry.group.test.dependencies]\npytest = "*"\n'
        },
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --extras dev --with test",
    ),
    "poetry, pytest from nowhere": (
        {"pyproject.toml": "[tool.poetry]\n"},
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction && poetry run pip install -q pytest",
    ),
    "pdm": (
        {"pdm.lock": "", "pyproject.toml": '[tool.pdm.dev-dependencies]\ntest = ["pytest"]\n'},
        "pdm sync -q",
    ),
    "pdm without a lock": (
        {"pyproject.toml": '[tool.pdm]\n[project.optional-dependencies]\ntest = ["pytest"]\n'},
        "pdm install -q -G test",
    ),
    "pipenv": (
        {"Pipfile": '[dev-packages]\npytest = "*"\n', "Pipfile.lock": "{}"},
        "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
    ),
    "pipenv without a lock": (
        {"Pipfile": '[packages]\nrequests = "*"\n'},
        "PIPENV_VENV_IN_PROJECT=1 pipenv install --dev && pipenv run pip install -q pytest",
    ),
    "a build system": ({"pyproject.toml": BUILD}, f"{VENV}{PIP} -e . pytest"),
    "a build system and extras": (
        {
            "pyproject.toml": f'{BUILD}[project.optional-dependencies]\ntest = ["pytest"]\ndev = ["ruff"]\n'
            'docs = ["sphinx"]\n'
        },
        f"{VENV}{PIP} -e '.[test,dev]'",
    ),
    "an extra of another name": (
        {"pyproject.toml": f'{BUILD}[project.optional-dependencies]\nqa = ["pytest>=8"]\n'},
        f"{VENV}{PIP} -e '.[qa]'",
    ),
    "groups, which an old pip does not know": (
        {"pyproject.toml": f'{BUILD}[dependency-groups]\ntest = ["pytest"]\ndev = [{{ include-group = "test" }}]\n'},
        f"{VENV}{NEW_PIP}{PIP} -e . --group test --group dev",
    ),
    "a group is preferred to an extra of any name": (
        {
            "pyproject.toml": f'{BUILD}[project.optional-dependencies]\nall = ["pytest"]\n'
            '[dependency-groups]\ntest = ["pytest"]\n'
        },
        f"{VENV}{NEW_PIP}{PIP} -e . --group test",
    ),
    "no build system, and a src folder": (
        {"pyproject.toml": '[project]\nname = "a"\n', "src/a/__init__.py": ""},
        f"{VENV}{PIP} -e . pytest",
    ),
    "no build system: requirements one by one": (
        {
            "pyproject.toml": '[project]\nname = "a"\ndependencies = ["attrs>=23", "click"]\n'
            '[project.optional-dependencies]\ntest = ["pytest<9"]\n'
        },
        f"{VENV}{PIP} 'attrs>=23' click 'pytest<9'",
    ),
    "no build system and nothing needed": ({"pyproject.toml": '[project]\nname = "a"\n'}, f"{VENV}{PIP} pytest"),
    "setup.py with extras": (
        {"setup.py": "setup(extras_require={'docs': ['sphinx'], \"test\": [\n  'pytest', 'hypothesis'\n]})"},
        f"{VENV}{PIP} -e '.[test]'",
    ),
    "setup.cfg with extras": (
        {"setup.py": "", "setup.cfg": "[options.extras_require]\ntests =\n    pytest\n    faker\n"},
        f"{VENV}{PIP} -e '.[tests]'",
    ),
    "setup.cfg and a bare pyproject": (
        {"pyproject.toml": "", "setup.cfg": "[metadata]\nname = a\n"},
        f"{VENV}{PIP} -e . pytest",
    ),
    "requirements": ({"requirements.txt": "requests\n"}, f"{VENV}{PIP} -r requirements.txt pytest"),
    "requirements for development": (
        {"requirements.txt": "requests\n", "requirements-dev.txt": "-r requirements.txt\npytest-cov==6\n"},
        f"{VENV}{PIP} -r requirements.txt -r requirements-dev.txt",
    ),
    "requirements in a folder": (
        {"requirements/base.txt": "requests", "requirements/test.txt": "pytest", "requirements/docs.txt": "sphinx"},
        f"{VENV}{PIP} -r requirements/base.txt -r requirements/test.txt",
    ),
    "requirements that include others": (
        {"requirements.txt": "-r deps/all.txt\n", "deps/all.txt": "pytest\n"},
        f"{VENV}{PIP} -r requirements.txt",
    ),
    "a package and requirements for tests": (
        {
            "setup.py": "setup(install_requires=['requests'])",
            "requirements.txt": "requests==1",
            "test-requirements.txt": "pytest",
        },
        f"{VENV}{PIP} -r test-requirements.txt -e .",
    ),
    "a package without requirements of its own": (
        {"setup.py": "", "requirements.txt": "pytest"},
        f"{VENV}{PIP} -r requirements.txt -e .",
    ),
    "requirements with hashes": (
        {"pyproject.toml": BUILD, "requirements/dev.txt": HASHED},
        f"{VENV}{PIP} -r requirements/dev.txt && {PIP} --no-deps -e .",
    ),
    "requirements with hashes, and pytest from nowhere": (
        {"requirements.txt": HASHED.replace("pytest", "attrs")},
        f"{VENV}{PIP} -r requirements.txt && {PIP} pytest",
    ),
    "no manifest": ({}, f"{VENV}{PIP} pytest"),
    "conda": ({"environment.yml": "dependencies: [pytest]\n"}, ""),
    "conda and a manifest": (
        {"environment.yml": "", "requirements.txt": "pytest"},
        f"{VENV}{PIP} -r requirements.txt",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_environment_is_made_from_what_is_declared(tmp_path: Path, case: str) -> None:
    files, setup = CASES[case]
    found = found_in(tmp_path, {**TEST, **files})
    assert found.setup == setup
    assert gates_of(found)["test"] == "python3 -m pytest -v"


UNDECLARED: dict[str, dict[str, str]] = {
    "unittest needs nothing": {"test_x.py": UNITTEST},
    "tests in a folder": {"tests/test_x.py": UNITTEST, "cart.py": ""},
    "a manifest without anything in it": {"pyproject.toml": "[tool.black]\nline-length = 100\n", "test_x.py": UNITTEST},
    "a project that needs nothing": {"pyproject.toml": '[project]\nname = "a"\n', "test_x.py": UNITTEST},
}


@pytest.mark.parametrize("case", UNDECLARED)
def test_a_project_with_nothing_to_install_has_no_setup(tmp_path: Path, case: str) -> None:
    found = found_in(tmp_path, UNDECLARED[case])
    assert "test" in gates_of(found)
    assert not found.setup


def test_a_setup_without_a_gate_to_run_is_left_out(tmp_path: Path) -> None:
    assert not found_in(tmp_path, {"requirements.txt": "sphinx\n"}).setup
