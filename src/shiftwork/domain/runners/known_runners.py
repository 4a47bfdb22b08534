"""The table of the test runners and linters that Shiftwork knows."""

from typing import Final

from shiftwork.domain.runners.browser_runners import CYPRESS, PLAYWRIGHT
from shiftwork.domain.runners.coverage_runner import COVERAGE
from shiftwork.domain.runners.jest_runner import JEST
from shiftwork.domain.runners.linters import ESLINT, MYPY, PYLINT
from shiftwork.domain.runners.mocha_runner import MOCHA
from shiftwork.domain.runners.nyc_runner import NYC
from shiftwork.domain.runners.phpunit_runner import PHPUNIT
from shiftwork.domain.runners.pytest_runner import PYTEST
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.domain.runners.vitest_runner import VITEST

RUNNERS: Final[tuple[KnownRunner, ...]] = (
    *(PYTEST, COVERAGE, JEST, VITEST, NYC, MOCHA, PLAYWRIGHT, CYPRESS, PHPUNIT, MYPY, PYLINT, ESLINT),
)
