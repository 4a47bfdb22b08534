"""Which files are tests, gate configuration and shiftwork's own settings: known by the names that tools go by.

Files that hold dependencies or product code as well (`package.json`, `CMakeLists.txt`, `tests.py`, …) are told of and
not put back: with the base's version a story that needs a new package could never land. See
docs/decisions/0002-protected-tests.md.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from shiftwork.domain.model.tampering import Protection

FOLDERS: Final = ("**/tests/**", "**/test/**", "**/__tests__/**")

NAMES: Final = (
    *(
        "test_*.py",
        "*_test.py",
        "*_tests.py",
        "*.test.*",
        "*.tests.*",
        "*.spec.*",
        "*_test.*s",
        "*_test.*sx",
        "*_spec.*s",
    ),
    *("*_test.go", "*_spec.rb", "*_test.rb", "*Test.php", "*Cest.php"),
    *("*_test.exs", "*_test.dart", "*.bats", "**/t/*.t", "*_spec.lua", "*_SUITE.erl", "*_tests.erl"),
    *("*Test.java", "*Tests.java", "*Test.kt", "*Tests.kt", "*Test.groovy", "*Test.scala", "*Test.cs", "*Tests.cs"),
    *("*Test.swift", "*Tests.swift", "*_test.c", "*_test.cc", "*_test.cpp", "*_unittest.cc", "*_unittest.cpp"),
)

TESTS: Final = (*FOLDERS, *NAMES)

TESTS_TOLD: Final = (
    *("tests.py", "test.py", "test.js", "test.mjs", "test.cjs", "test.ts", "test.rb", "test.php", "test.sh"),
    *("*Spec.js", "*Spec.ts", "test-*.*js", "*IT.java", "test_*.sh"),
    *("*-test.*s", "*-test.*sx", "*-spec.*s", "*Spec.kt", "*Spec.scala", "*Suite.scala", "*Spec.groovy"),
    *("Test*.java", "test_*.c", "test_*.cc", "test_*.cpp"),
)
"""Names of tests that product code has too (`ab-test.ts`, `JobSpec.kt`)."""

CONFIGURATION: Final = (
    *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "noxfile.py"),
    *(".coveragerc", ".coveragerc.toml", "mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc"),
    *("pylintrc", "pyrightconfig.json"),
    # Python takes these from the folder it is started in before any other; see `restoring.shadows`.
    *("*.pth", "*.egg-link", "pyvenv.cfg", "bunfig.toml", "**/*.dist-info/**", "**/*.egg-info/**"),
    *("sitecustomize.py", "usercustomize.py", "/pytest.py", "/pytest/**", "/unittest.py", "/unittest/**"),
    *("jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.setup.*", "vitest.workspace.*", "setupTests.*"),
    *("karma.conf.*", "playwright.config.*", "cypress.config.*", ".mocharc*", "ava.config.*", "wdio.conf.*", ".nycrc*"),
    *(".c8rc*", "eslint.config.*", ".eslintrc*", "biome.json*", ".npmrc", ".yarnrc*", ".pnpmfile.*"),
    *(".golangci.*", "**/.cargo/config", "**/.cargo/config.toml"),
    *("**/.config/nextest.toml", "clippy.toml", ".clippy.toml"),
    *("phpunit.xml*", "phpstan.neon*", ".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", ".rubocop.yml"),
    *("gradlew", "gradlew.bat", "**/gradle/wrapper/**", "mvnw", "mvnw.cmd", "**/.mvn/**", "*.runsettings"),
    *("xunit.runner.json", ".swiftlint.yml", "test_helper.exs"),
    *(".credo.exs", "dart_test.yaml", "analysis_options.yaml"),
    *("CTestConfig.cmake", "CTestCustom.cmake", ".clang-tidy", ".proverc"),
    *("GNUmakefile", "Makefile", "makefile", "justfile", "Justfile", ".justfile", "Taskfile.y*ml", "taskfile.y*ml"),
    "shiftwork.toml",
)

TOLD_ONLY: Final = (
    *("pyproject.toml", "setup.cfg", "setup.py", "package.json", "deno.json*", "tsconfig*.json", "vite.config.*"),
    *("babel.config.*", ".babelrc*", ".swcrc", "nx.json", "turbo.json", "Cargo.toml", "composer.json", "Rakefile"),
    *("build.gradle*", "settings.gradle*", "gradle.properties", "pom.xml", "build.sbt", "Directory.Build.*", "mix.exs"),
    *("CMakeLists.txt", "CMakePresets.json", "meson.build", "BUILD.bazel", "*.mk", "mise.toml", ".mise.toml"),
    *(".github/workflows/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml", "Jenkinsfile"),
    *(".pre-commit-config.yaml", ".worktreeinclude"),
)

OWN: Final = ("shiftwork.toml", "shiftwork/workflows/**", "workflows/*/workflow.yml")
"""What tells the harness itself how to go about the next run."""


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the globs means the path or a folder above it; one without a slash is about names anywhere."""
    return _regex(tuple(patterns)).fullmatch(path) is not None


_NO_PATH: Final = r"(?!)"
_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@cache
def _regex(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((_NO_PATH, *map(_one, patterns))), re.DOTALL)


def _one(pattern: str) -> str:
    plain = pattern.removeprefix("./").strip("/")
    if plain in {"", "."}:
        return _NO_PATH
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", plain)
    body = "".join(_WILDCARDS.get(part, re.escape(part)) for part in parts)
    anywhere = "" if "/" in pattern.removeprefix("./").rstrip("/") else "(?:.*/)?"
    return f"{anywhere}{body}(?:/.*)?"


def is_own(path: str) -> bool:
    return matches(OWN, path)


def is_configuration(path: str) -> bool:
    return matches(CONFIGURATION, path) or matches(TOLD_ONLY, path) or is_own(path)


def is_test(path: str, protection: Protection) -> bool:
    """What the settings name and is no configuration is taken for a test."""
    return not is_configuration(path) and matches((*TESTS, *TESTS_TOLD, *protection.patterns), path)
