"""Which tests a spec lets a story change: those that it names, and never all that a broad pattern covers."""

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.domain.tampering.exemptions import exempt, names_checks, opened
from shiftwork.domain.tampering.findings import Protection

USUAL = Protection()


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "tests/**",
            "tests",
            "./tests/",
            "**/tests/**",
            "src/**/test_*.py",
            "*_test.go",
            "**/*.spec.ts",
            "conftest.py",
        ),
        *("Makefile", "**/conftest.py", "pyproject.toml", "tests/test_price.py", ".github/workflows/ci.yml"),
    ],
)
def test_a_pattern_that_speaks_of_checks_opens_them(pattern: str) -> None:
    assert names_checks(pattern, USUAL)


@pytest.mark.parametrize(
    "pattern",
    ["**", "*", "**/*", "./**", "*.*", "?", "/", ".", "", "src/**", "src", "*.py", "**/*.toml", "t*", "src/price.py"],
)
def test_a_broad_pattern_opens_nothing(pattern: str) -> None:
    assert not names_checks(pattern, USUAL)
    assert exempt((pattern,), ("src/conftest.py", "tests/test_price.py", "x.toml"), USUAL) == ()


def test_a_file_that_is_named_literally_may_change_whatever_it_is() -> None:
    paths = ("ci/check.sh", "tools/spec.md")
    assert exempt(("ci/check.sh", "spec.md"), paths, USUAL) == ("ci/check.sh", "spec.md")
    assert exempt(("ci", "tools/"), paths, USUAL) == (), "a folder is as broad as a glob"


def test_what_the_settings_and_the_gates_protect_is_known_by_these() -> None:
    own = Protection(patterns=("checks/**",), commands=("sh ci/check.sh",))
    assert names_checks("checks/price.txt", own)
    assert names_checks("ci/check.sh", own)
    assert not names_checks("checks/price.txt", USUAL)
    assert not names_checks("**", Protection(patterns=("**",)))


def test_what_a_spec_opens_is_known_story_by_story_and_a_plan_of_an_agent_opens_nothing() -> None:
    def story(number: int, *touches: str, planned: bool = False) -> Story:
        name = StoryId(f"US-{number}")
        return Story(id=name, title="t", description="", touches=touches, planned=planned)

    spec = Spec(
        title="t",
        description="",
        stories=(story(1, "src/**", "tests/**"), story(2, "src/**"), story(3, "tests/**", planned=True)),
    )
    assert opened(spec, USUAL) == {"US-1": ("tests/**",)}
