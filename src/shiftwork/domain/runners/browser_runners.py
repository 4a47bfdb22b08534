"""Playwright and Cypress, which test a product in a browser."""

from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner

PLAYWRIGHT: Final = KnownRunner(
    name="playwright",
    settings=("playwright.config.*",),
    keys=("globalSetup", "globalTeardown", "reporter"),
)

CYPRESS: Final = KnownRunner(name="cypress", settings=("cypress.config.*",), keys=("supportFile",))
