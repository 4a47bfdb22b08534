"""Which files are the product's own source code: not its tests, nor what configures or starts them."""

from shiftwork.domain.model.tampering import Protection
from shiftwork.domain.rules.commanding import is_check_script, named
from shiftwork.domain.rules.protecting import FOLDERS, is_configuration, is_test, matches
from shiftwork.domain.rules.sources import is_source


def is_product_source(path: str, protection: Protection) -> bool:
    """A check script that a gate's command names judges the product, and is no part of it."""
    if not is_source(path) or matches(FOLDERS, path) or is_test(path, protection) or is_configuration(path):
        return False
    said = named(protection.commands)
    return path not in said.run | said.otherwise or not is_check_script(path)
