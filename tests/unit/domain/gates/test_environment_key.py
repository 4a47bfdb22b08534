"""The key that identifies an environment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.environment_key import decides_environment, environment_key

PAIRS = st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=4, unique_by=lambda pair: pair[0])


@pytest.mark.parametrize(
    "path",
    ["uv.lock", "web/package-lock.json", "requirements-dev.txt", "requirements/base.txt", "packages/a/pyproject.toml"],
)
def test_a_manifest_decides_wherever_it_lies(path: str) -> None:
    assert decides_environment(path, "")


def test_a_script_that_setup_runs_decides() -> None:
    assert decides_environment("scripts/setup.sh", "sh scripts/setup.sh")
    assert not decides_environment("scripts/setup.sh", "npm ci")
    assert not decides_environment("src/cart.py", "npm ci")


@given(setup=st.text(max_size=5), files=PAIRS, env=st.dictionaries(st.text(max_size=3), st.text(max_size=3)))
def test_the_order_of_files_says_nothing(setup: str, files: list[tuple[str, str]], env: dict[str, str]) -> None:
    backwards = dict(reversed(list(env.items())))
    assert environment_key(setup, files, env) == environment_key(setup, files[::-1], backwards)


@given(files=PAIRS.filter(bool), other=st.text(max_size=5))
def test_another_content_or_another_command_is_another_environment(files: list[tuple[str, str]], other: str) -> None:
    path, content = files[0]
    key = environment_key("npm ci", files, {})
    assert (environment_key("npm ci", [(path, other), *files[1:]], {}) == key) == (other == content)
    assert environment_key(f"npm ci {other} ", files, {}) != key
    assert environment_key("npm ci", files, {"index": other}) != key
