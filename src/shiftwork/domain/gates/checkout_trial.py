"""A gate that is red in a gate tree and green in the user's checkout: what is tried, and what explains it."""

from dataclasses import dataclass, field
from enum import StrEnum


class Cause(StrEnum):
    """What the user's checkout has and a gate tree has not."""

    VARIABLES = "variables"
    FILES = "files"
    UNCOMMITTED = "uncommitted"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Everything of one kind that the checkout has beyond a gate tree; of these, `printed` stand in what the gate
    printed, and `tracked` in files of the commit.
    """

    everything: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    tracked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How the user's checkout differs from a gate tree: variables that gates are not given, files that git ignores, and
    paths that are not as the commit has them.
    """

    variables: Named = field(default_factory=Named)
    files: Named = field(default_factory=Named)
    uncommitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One more run of the gate in a gate tree, with these variables and ignored files of the user's, or with all that
    is `uncommitted` in their checkout.
    """

    variables: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    uncommitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What makes the difference. Where it is `exact`, the gate was green with these names alone."""

    cause: Cause
    names: tuple[str, ...] = ()
    exact: bool = False
