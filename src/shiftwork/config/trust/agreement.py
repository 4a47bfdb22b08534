"""What the user has agreed to beside the settings of a repository: it stands in other files, or in none."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """`included` are the patterns of untracked files that are copied from the checkout: see `included_files`.
    `registries` are addresses that the repository names and the user has agreed to, `unagreed` those that the user has
    not: see `registries.project_registries`. `setup` is whether the user has agreed to the setup command itself, and
    did not only see that it was found.
    """

    included: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    setup: bool = False


NOTHING_AGREED: Final = Agreed()
