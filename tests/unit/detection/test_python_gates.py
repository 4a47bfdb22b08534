"""Which checks a Python project has: how its tests are written, what is configured and what is installed."""

from pathlib import Path

import pytest

from tests.unit.detection.rig import PYTEST, UNITTEST, found_in, gates_of, laid, program

RUN = {"test": "python3 -m pytest -v"}
CONFIGURED = (
    "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n[tool.pytest.ini_options]\n[dependency-groups]\n"
)
WITH_TOOLS = f'{CONFIGURED}dev = ["pytest", "ruff", "mypy"]\n'

TESTS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "functions": ({"test_a.py": PYTEST}, RUN),
    "asynchronous functions": ({"tests/test_a.py": "async def test_a(): ...\n"}, RUN),
    "a class of its own": ({"tests/test_a.py": "class TestA:\n    def test_b(self): ...\n"}, RUN),
    "pytest imported": ({"tests/test_a.py": f"import pytest\n{UNITTEST}"}, RUN),
    "fixtures": ({"tests/conftest.py": "", "tests/test_a.py": UNITTEST}, RUN),
    "one of many": ({"tests/test_a.py": UNITTEST, "tests/test_b.py": PYTEST}, RUN),
    "configured": ({"pytest.ini": "[pytest]\n", "tests/test_a.py": UNITTEST}, RUN),
    "configured in setup.cfg": ({"setup.cfg": "[tool:pytest]\n", "tests/test_a.py": UNITTEST}, RUN),
    "configured in tox.ini": ({"tox.ini": "[pytest]\n", "tests/test_a.py": UNITTEST}, RUN),
    "names of its own": ({"pytest.ini": "[pytest]\npython_files = check_*.py\n", "check_a.py": PYTEST}, RUN),
    "deep in a package": ({"requirements.txt": "", "src/a/b/tests/test_a.py": PYTEST}, RUN),
    "no tests yet": ({"requirements.txt": "pytest\n", "a.py": ""}, {}),
    "deep, and nothing says that this is Python": ({"tools/x/test_a.py": PYTEST}, {}),
    "in what others wrote": ({"requirements.txt": "", "node_modules/a/test_a.py": PYTEST}, {}),
    "unittest": ({"test_a.py": UNITTEST}, {"test": "python3 -m unittest -v"}),
    "unittest in a folder": ({"tests/test_a.py": UNITTEST}, {"test": "python3 -m unittest discover -v -s tests"}),
    "unittest in a package": (
        {"tests/test_a.py": UNITTEST, "tests/__init__.py": ""},
        {"test": "python3 -m unittest discover -v -s tests -t ."},
    ),
    "unittest with names at their end": (
        {"tests/a_test.py": UNITTEST},
        {"test": "python3 -m unittest discover -v -s tests -p '*_test.py'"},
    ),
    "unittest with names at their end, at the root": (
        {"a_test.py": UNITTEST},
        {"test": "python3 -m unittest discover -v -p '*_test.py'"},
    ),
    "django": (
        {
            "manage.py": "import os\nos.environ['DJANGO_SETTINGS_MODULE']",
            "requirements.txt": "",
            "a/tests.py": UNITTEST,
        },
        {"test": "python3 manage.py test"},
    ),
}


@pytest.mark.parametrize("case", TESTS)
def test_tests_are_run_by_what_they_are_written_for(tmp_path: Path, case: str) -> None:
    files, gates = TESTS[case]
    assert gates_of(found_in(tmp_path, files)) == gates


@pytest.mark.parametrize("folder", [".venv", "venv"])
def test_an_environment_that_is_not_active_shows_that_pytest_is_used(tmp_path: Path, folder: str) -> None:
    files = {"test_a.py": UNITTEST, f"{folder}/pyvenv.cfg": "", f"{folder}/lib/python3.12/site-packages/pytest/x": ""}
    found = found_in(tmp_path, files)
    assert gates_of(found) == RUN
    assert not found.setup  # nothing is declared: what else is installed there is unknown, and the tests may need it


def test_the_active_environment_shows_that_pytest_is_used(tmp_path: Path) -> None:
    laid(tmp_path / "elsewhere", {"lib/python3.12/site-packages/pytest/__init__.py": ""})
    files = {"requirements.txt": "requests\n", "test_a.py": UNITTEST}
    found = found_in(tmp_path / "project", files, {"VIRTUAL_ENV": str(tmp_path / "elsewhere")})
    assert gates_of(found) == RUN
    assert found.setup.endswith("-r requirements.txt pytest")


def test_a_pytest_of_the_system_is_enough_where_nothing_is_declared(tmp_path: Path) -> None:
    env = program(tmp_path / "usr", "python3")
    laid(tmp_path / "usr", {"lib/python3/dist-packages/pytest/__init__.py": ""})
    found = found_in(tmp_path / "project", {"test_a.py": PYTEST}, env)
    assert (gates_of(found), found.setup) == (RUN, "")


CHECKERS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "configured and brought": (
        {"pyproject.toml": WITH_TOOLS},
        {"lint": "python3 -m ruff check .", "typecheck": "python3 -m mypy ."},
    ),
    "configured, and installed nowhere": ({"pyproject.toml": f"{CONFIGURED}dev = []\n"}, {}),
    "files for mypy": (
        {"mypy.ini": "[mypy]\nfiles = src\n", "requirements.txt": "mypy\n"},
        {"typecheck": "python3 -m mypy"},
    ),
    "flake8, and not what is installed": (
        {".flake8": "", "requirements-dev.txt": "flake8\n"},
        {"lint": "python3 -m flake8 --extend-exclude=.venv"},
    ),
    "the first of two": (
        {"ruff.toml": "", ".flake8": "", "requirements.txt": "flake8\nruff\n"},
        {"lint": "python3 -m ruff check ."},
    ),
    "pyright": (
        {"pyrightconfig.json": "{}", "requirements.txt": "pyright\n"},
        {"typecheck": "python3 -m pyright"},
    ),
    "a name that only begins like one": ({"requirements.txt": "mypy-extensions\nruff-lsp\n"}, {}),
}


@pytest.mark.parametrize("case", CHECKERS)
def test_linters_and_type_checkers_are_gates_where_they_can_be_started(tmp_path: Path, case: str) -> None:
    files, gates = CHECKERS[case]
    assert gates_of(found_in(tmp_path, files)) == gates


def test_a_linter_on_the_path_is_started_as_it_is(tmp_path: Path) -> None:
    found = found_in(tmp_path / "project", {"ruff.toml": ""}, program(tmp_path, "ruff"))
    assert (gates_of(found), found.setup) == ({"lint": "ruff check ."}, "")


def test_a_linter_of_the_active_environment_is_no_program_of_the_machine(tmp_path: Path) -> None:
    env = {**program(tmp_path, "ruff"), "VIRTUAL_ENV": str(tmp_path)}
    assert gates_of(found_in(tmp_path / "project", {"ruff.toml": ""}, env)) == {}


def test_a_linter_of_the_own_environment_is_installed_in_trees_too(tmp_path: Path) -> None:
    files = {"ruff.toml": "", "requirements.txt": "requests\n", ".venv/pyvenv.cfg": ""}
    found = found_in(tmp_path, {**files, ".venv/lib/python3.12/site-packages/ruff/x": ""})
    assert gates_of(found) == {"lint": "python3 -m ruff check ."}
    assert found.setup.endswith("-r requirements.txt ruff")


VENV = "python3 -m venv .venv && .venv/bin/python -m pip install -q"
TOX = "[tox]\nenvlist = py\n[testenv]\ndeps = pytest\ncommands = pytest\n"
NOX = '@nox.session\ndef tests(session): ...\n\n\n@nox.session(python="3.12")\ndef lint(session): ...\n'
SESSIONS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "tox": (
        {"tox.ini": TOX, "setup.py": ""},
        {"test": "python3 -m tox"},
        f"{VENV} tox && .venv/bin/python -m tox -q --notest",
    ),
    "tox with interpreters that may be missing": (
        {"tox.ini": TOX.replace("= py", "= py{311,312}")},
        {"test": "python3 -m tox --skip-missing-interpreters=true"},
        f"{VENV} tox && .venv/bin/python -m tox -q --notest --skip-missing-interpreters=true",
    ),
    "tox in pyproject.toml": (
        {"pyproject.toml": '[tool.tox]\nenv_list = ["3.12"]\n'},
        {"test": "python3 -m tox --skip-missing-interpreters=true"},
        f"{VENV} tox && .venv/bin/python -m tox -q --notest --skip-missing-interpreters=true",
    ),
    "tox in setup.cfg": (
        {"setup.cfg": "[tox:tox]\nenvlist = unit\n"},
        {"test": "python3 -m tox"},
        f"{VENV} tox && .venv/bin/python -m tox -q --notest",
    ),
    "tox in tox.toml": (
        {"tox.toml": 'env_list = ["unit"]\n'},
        {"test": "python3 -m tox"},
        f"{VENV} tox && .venv/bin/python -m tox -q --notest",
    ),
    "tox where the manifests bring pytest": (
        {"tox.ini": TOX, "requirements-dev.txt": "pytest\n", "test_a.py": PYTEST},
        {"test": "python3 -m pytest -v"},
        f"{VENV} -r requirements-dev.txt",
    ),
    "nox": (
        {"noxfile.py": NOX},
        {
            "lint": "python3 -m nox -r --no-error-on-missing-interpreters -s lint",
            "test": "python3 -m nox -r --no-error-on-missing-interpreters -s tests",
        },
        f"{VENV} nox && .venv/bin/python -m nox -r --no-error-on-missing-interpreters --install-only -s lint -s tests",
    ),
    "nox without a session for tests": (
        {"noxfile.py": '@nox.session(name="all")\ndef everything(session): ...\n'},
        {"test": "python3 -m nox -r --no-error-on-missing-interpreters"},
        f"{VENV} nox && .venv/bin/python -m nox -r --no-error-on-missing-interpreters --install-only",
    ),
}


@pytest.mark.parametrize("case", SESSIONS)
def test_tox_and_nox_are_run_where_only_they_know_what_tests_need(tmp_path: Path, case: str) -> None:
    files, gates, setup = SESSIONS[case]
    found = found_in(tmp_path, files)
    assert (gates_of(found), found.setup) == (gates, setup)
