"""What the user has agreed to in addition to the settings of a repository, in other files or in none."""

from typing import Final

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """`included` are the patterns of untracked files that are copied from the checkout: see `included_files`.
    `registries` are addresses that the repository names and the user has agreed to, `unagreed` those without consent:
    see `registries.project_registries`. `setup` is whether the user has agreed to the setup command itself, rather than
    only seen that it was detected.
    """

    included: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    setup: bool = False


NOTHING_AGREED: Final = Agreed()
