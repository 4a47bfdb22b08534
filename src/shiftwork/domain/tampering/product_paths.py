"""Which files are the product's own source code: not its tests, nor what configures or starts them."""

from shiftwork.domain.gates.commands import is_check_script, named
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.tampering.protected_paths import FOLDERS, is_configuration, is_test
from shiftwork.domain.text.file_types import is_source
from shiftwork.domain.text.globs import matches


def is_product_source(path: str, protection: Protection) -> bool:
    """A check script that a gate's command names judges the product and is not part of it."""
    if not is_source(path) or matches(FOLDERS, path) or is_test(path, protection) or is_configuration(path):
        return False
    said = named(protection.commands)
    return path not in said.run | said.otherwise or not is_check_script(path)
