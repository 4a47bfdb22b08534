"""PHPUnit: which code its settings name."""

from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner

PHPUNIT: Final = KnownRunner(
    name="phpunit",
    settings=("phpunit.xml*", "phpunit.dist.xml"),
    keys=("bootstrap",),
    options=("--bootstrap",),
)
