"""Which keys of a file that also lists dependencies are restored from the base in a second run."""

from collections.abc import Mapping
from typing import Any

import pytest

from shiftwork.domain.tampering.runner_keys import is_keyed, with_keys


@pytest.mark.parametrize(
    ("path", "base", "story", "expected"),
    [
        ("package.json", {"scripts": {"test": "jest"}}, {"scripts": {"test": "true"}}, {"scripts": {"test": "jest"}}),
        (
            "web/package.json",
            {"name": "shop", "dependencies": {}},
            {"name": "shop", "dependencies": {"left": "1"}, "jest": {"bail": 0}, "mocha": {}, "c8": {}},
            {"name": "shop", "dependencies": {"left": "1"}},
        ),
        (
            "pyproject.toml",
            {"tool": {"pytest": {"ini_options": {"addopts": "-q"}}, "other": 1}},
            {"tool": {"other": 2}, "project": {"name": "shop", "entry-points": {"pytest11": {"x": "y"}}}},
            {
                "tool": {"other": 2, "pytest": {"ini_options": {"addopts": "-q"}}},
                "project": {"name": "shop", "entry-points": {}},
            },
        ),
        ("pyproject.toml", {"tool": {"tox": {"a": 1}}}, {"tool": "nothing"}, {"tool": {"tox": {"a": 1}}}),
        ("setup.cfg", {"tool:pytest": {"a": "b"}}, {}, {"tool:pytest": {"a": "b"}}),
        ("Cargo.toml", {}, {"package": {"autotests": False, "name": "x"}}, {"package": {"name": "x"}}),
    ],
)
def test_runner_keys_are_the_base_s_and_the_rest_is_the_story_s(
    path: str, base: Mapping[str, Any], story: Mapping[str, Any], expected: Mapping[str, Any]
) -> None:
    assert with_keys(path, base, story) == expected


def test_a_story_that_changes_no_such_key_leaves_the_file_as_it_is() -> None:
    base = {"scripts": {"test": "jest"}, "dependencies": {}}
    assert with_keys("package.json", base, {**base, "dependencies": {"left": "1"}}) is None


def test_files_are_known_by_their_names() -> None:
    assert is_keyed("package.json")
    assert is_keyed("core/Cargo.toml")
    assert not is_keyed("package-lock.json")
