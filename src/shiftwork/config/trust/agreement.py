"""What the user has agreed to beside the settings of a repository: it stands in other files, or in none."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """`included` are the patterns by which untracked files of the checkout are copied: see `includes`. `registries` are
    addresses that the repository names and the user has agreed to, and `unagreed` those that they have not: see
    `registries.project`. `setup` is whether they have agreed to the setup command itself, and did not only see that
    one was found.
    """

    included: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    setup: bool = False


NOTHING_AGREED: Final = Agreed()
