"""What each runner's output reports, and how its threshold for coverage is turned off."""

import time

import pytest

from shiftwork.domain.runners.coverage_runner import COVERAGE
from shiftwork.domain.runners.jest_runner import JEST
from shiftwork.domain.runners.known_runners import RUNNERS
from shiftwork.domain.runners.nyc_runner import NYC
from shiftwork.domain.runners.pytest_runner import PYTEST
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.domain.runners.vitest_runner import VITEST

ADDED = 'export PYTEST_ADDOPTS="${PYTEST_ADDOPTS:-} --cov-fail-under=0"\n'
VITEST_OFF = "--coverage.enabled=false"


@pytest.mark.parametrize(
    ("runner", "line"),
    [
        (PYTEST, "FAIL Required test coverage of 100% not reached. Total coverage: 98.00%"),
        (PYTEST, "ERROR: Coverage failure: total of 50 is less than fail-under=80"),
        (COVERAGE, "Coverage failure: total of 50 is less than fail-under=80"),
        (JEST, 'Jest: "global" coverage threshold for lines (100%) not met: 90%'),
        (VITEST, "ERROR: Coverage for lines (90%) does not meet global threshold (100%)"),
        (NYC, "ERROR: Coverage for lines (90%) does not meet global threshold (100%)"),
    ],
)
def test_a_runner_reports_too_little_coverage_in_a_line_of_its_own(runner: KnownRunner, line: str) -> None:
    assert runner.read_report(f"some words\n{line}\nmore").is_short
    assert not runner.read_report(f"it printed {line}").is_short
    assert not runner.read_report("3 passed in 0.1s").is_short


@pytest.mark.parametrize(
    ("runner", "command", "lowered"),
    [
        (PYTEST, "pytest -q", f"{ADDED}pytest -q"),
        (PYTEST, "pytest --cov-fail-under=80 -q", f"{ADDED}pytest --cov-fail-under=0 -q"),
        (PYTEST, "pytest --cov-fail-under 80.5", f"{ADDED}pytest --cov-fail-under=0"),
        (COVERAGE, "coverage run -m unittest && coverage report", None),
        (COVERAGE, "coverage report --fail-under=80 -m", "coverage report --fail-under=0  -m"),
        (COVERAGE, "python3 -m coverage xml", "python3 -m coverage xml --fail-under=0"),
        (JEST, "npx jest --coverage", "npx jest --coverage --coverageThreshold='{}' "),
        (JEST, "npm test", "npm test -- --coverageThreshold='{}' "),
        (JEST, "npm run test -- --ci", "npm run test -- --ci --coverageThreshold='{}' "),
        (JEST, "tsc && yarn test; true", "tsc && yarn test --coverageThreshold='{}' ; true"),
        (JEST, "make test", "make test"),
        (JEST, """jest --coverageThreshold='{"global": {}}' --ci""", "jest --ci --coverageThreshold='{}' "),
        (JEST, r"""jest --coverageThreshold "{\"global\": {}}" """, "jest --coverageThreshold='{}' "),
        (VITEST, "vitest run --coverage", f"vitest run --coverage {VITEST_OFF} "),
        (VITEST, "vitest --coverage.enabled --run", f"vitest --run {VITEST_OFF} "),
        (VITEST, "vitest --coverage=true --coverage.all=false", f"vitest --coverage.all=false {VITEST_OFF} "),
        (NYC, "nyc --check-coverage mocha", "nyc --check-coverage=false mocha"),
        (NYC, "npx c8 --check-coverage=true node --test", "npx c8 --check-coverage=false node --test"),
    ],
)
def test_the_threshold_is_turned_off_where_the_runner_allows_it(
    runner: KnownRunner, command: str, lowered: str | None
) -> None:
    expected = lowered or "coverage run -m unittest && coverage report --fail-under=0"
    assert runner.drop_threshold(command) == expected


@pytest.mark.parametrize("piece", ["1 a, ", "Jest: ", 'Jest: "', "ERROR: Coverage for ", "npm ", "coverage ", "nyc "])
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    text, began = piece * (200_000 // len(piece)), time.process_time()
    for runner in RUNNERS:
        runner.read_report(text)
        runner.drop_threshold(text[:20_000])
    assert time.process_time() - began < 5
