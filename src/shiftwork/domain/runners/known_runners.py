"""The tables of the test runners, linters and compilers that Shiftwork knows."""

from typing import Final

from shiftwork.domain.runners.browser_runners import CYPRESS, PLAYWRIGHT
from shiftwork.domain.runners.cargo_runner import CARGO
from shiftwork.domain.runners.coverage_runner import COVERAGE
from shiftwork.domain.runners.dotnet_runner import DOTNET
from shiftwork.domain.runners.golang_runner import GO
from shiftwork.domain.runners.java_runners import JAVA
from shiftwork.domain.runners.jest_runner import JEST
from shiftwork.domain.runners.linters import ESLINT, MYPY, PYLINT, RUFF
from shiftwork.domain.runners.mocha_runner import MOCHA
from shiftwork.domain.runners.node_runner import NODE, NODE_TEST
from shiftwork.domain.runners.nyc_runner import NYC
from shiftwork.domain.runners.phpunit_runner import PHPUNIT
from shiftwork.domain.runners.pytest_runner import PYTEST
from shiftwork.domain.runners.python_traceback import PYTHON, UNITTEST
from shiftwork.domain.runners.rspec_runner import RSPEC, RUBY
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.domain.runners.typescript_compiler import TSC
from shiftwork.domain.runners.vitest_runner import VITEST

RUNNERS: Final[tuple[KnownRunner, ...]] = (
    *(PYTEST, COVERAGE, UNITTEST, JEST, VITEST, NYC, MOCHA, NODE_TEST, PLAYWRIGHT, CYPRESS, PHPUNIT, RSPEC),
    *(GO, CARGO, JAVA, DOTNET, MYPY, RUFF, PYLINT, ESLINT, TSC),
)
LANGUAGES: Final[tuple[KnownRunner, ...]] = (PYTHON, NODE, RUBY)
"""What prints an error of any program: less than a runner that reports the same error."""
