"""Gates of a PHP project: composer scripts, or phpunit and pest."""

from collections.abc import Iterator

from shiftwork.config.detection.folder import Folder, table
from shiftwork.config.detection.found import Detected, FoundGate


def find(folder: Folder) -> Detected:
    """Finds the gates and the setup command of a PHP project; Composer installs into the project itself."""
    if not folder.has("composer.json"):
        return Detected()
    return Detected(gates=tuple(_gates(folder)), setup="composer install --no-interaction --quiet")


def _gates(folder: Folder) -> Iterator[FoundGate]:
    scripts = table(folder.json("composer.json"), "scripts")
    for name in ("lint", "test"):
        if name in scripts:
            yield FoundGate(name=name, command=f"composer {name}", source="composer.json")
    settings = folder.first("phpunit.xml", "phpunit.xml.dist")
    if "test" not in scripts and settings:
        runner = "pest" if folder.has("tests/Pest.php") else "phpunit"
        yield FoundGate(name="test", command=f"vendor/bin/{runner}", source=settings)
