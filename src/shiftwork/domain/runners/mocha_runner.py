"""mocha: which code its settings name."""

from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner

MOCHA: Final = KnownRunner(
    name="mocha",
    settings=(".mocharc*", "package.json"),
    keys=("require", "file", "import", "ui", "reporter"),
    options=("--require", "--import", "--file", "--reporter", "-r"),
    section="mocha",
)
