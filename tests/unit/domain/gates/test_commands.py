"""Which files a gate's command names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.commands import named, program


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("./ci/check.sh", "ci/check.sh"),
        ("sh ci/check.sh", "ci/check.sh"),
        ("CI=1 /bin/bash -eu ci/check.sh --all", "ci/check.sh"),
        ("python3.12 -W error tools/check.py src", "tools/check.py"),
        ("uv run python tools/check.py", "tools/check.py"),
        ("node --no-warnings ./tools/check.js", "tools/check.js"),
        ("make -f ci/build.mk test", "ci/build.mk"),
        ("timeout 60 sh ci/check.sh", "ci/check.sh"),
        ("npm ci && (sh ci/check.sh)", "ci/check.sh"),
        ("ruff check .\nsh ci/check.sh", "ci/check.sh"),
        ("bash -c 'set -e; ci/check.sh'", "ci/check.sh"),
        (". ci/env.sh; pytest", "ci/env.sh"),
        ("cd web && sh check.sh", "web/check.sh"),
        ("cd web && cd deep && ./check.sh", "web/deep/check.sh"),
        ("pytest -c ci/settings.cfg", "ci/settings.cfg"),
        ("mypy --config-file=ci/types.cfg src", "ci/types.cfg"),
        ("sh ci/check.sh 'unclosed", "ci/check.sh"),
    ],
)
def test_a_script_and_what_an_option_names_are_run(command: str, path: str) -> None:
    assert path in named((command,)).run


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("mypy price.py", "price.py"),
        ("mypy --strict price.py", "price.py"),
        ("python -m compileall price.py", "price.py"),
        ("python tools/check.py price.py", "price.py"),
        ("grep -q good work.txt", "work.txt"),
        ("pytest checks/price_check.py", "checks/price_check.py"),
    ],
)
def test_what_is_named_otherwise_may_be_product_code(command: str, path: str) -> None:
    found = named((command,))
    assert path in found.otherwise
    assert path not in found.run


def test_a_file_that_one_command_runs_and_another_reads_is_run() -> None:
    found = named(("shellcheck ci/check.sh", "sh ci/check.sh"))
    assert "ci/check.sh" in found.run
    assert "ci/check.sh" not in found.otherwise


def test_folders_are_those_that_a_command_goes_to_and_those_of_its_scripts() -> None:
    found = named(("cd web && cd ./deep && python -m pytest", "python ci/check.py", "mypy app/price.py"))
    assert found.folders == {"", "web", "web/deep", "ci"}


@pytest.mark.parametrize(
    "command",
    [
        "cd packages/api && sh ../../tools/run.sh",
        "sh packages/../tools/run.sh",
        "sh $PWD/tools/run.sh",
        "cd packages/api; sh $OLDPWD/tools/run.sh",
        "sh ./tools/./run.sh",
    ],
)
def test_a_script_is_found_whatever_leads_to_it(command: str) -> None:
    assert "tools/run.sh" in named((command,)).run


def test_code_is_no_command() -> None:
    assert "price.py" not in named(("python -c 'open(\"price.py\"); price.py'",)).run


@pytest.mark.parametrize("command", ["", "cd", "CI=1", ";;", "env -i"])
def test_a_command_may_name_nothing(command: str) -> None:
    assert not named((command,)).run - {"cd"}


@given(st.text(alphabet="ab ./-='\"&;|(){}\n\\#", max_size=40))
def test_any_text_may_be_a_command(command: str) -> None:
    found = named((command,))
    assert not found.run & found.otherwise


@pytest.mark.parametrize(
    ("command", "started"),
    [
        ("pytest -q", "pytest"),
        ("CI=1 uv run pytest", "pytest"),
        ("cd web && .venv/bin/pytest", ".venv/bin/pytest"),
        ("test -f x || make check", "make"),
        ("echo hello", ""),
        ("", ""),
    ],
)
def test_the_program_that_a_command_starts(command: str, started: str) -> None:
    assert program(command) == started
