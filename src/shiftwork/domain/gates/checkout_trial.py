"""A gate that is red in a gate tree and green in the user's checkout: the trials, and what explains the difference."""

from enum import StrEnum

from shiftwork.records import dataclass, field


class Cause(StrEnum):
    """What the user's checkout has and a gate tree does not have."""

    VARIABLES = "variables"
    FILES = "files"
    UNCOMMITTED = "uncommitted"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Everything of one kind that only the checkout has; of these, the gate's output names the `printed`, and files of
    the commit name the `tracked`.
    """

    everything: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    tracked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How the user's checkout differs from a gate tree: variables that gates do not get, files that git ignores, and
    paths that differ from the commit.
    """

    variables: Named = field(default_factory=Named)
    files: Named = field(default_factory=Named)
    uncommitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Another run of the gate in a gate tree, with these variables and ignored files of the user, or with everything
    that is `uncommitted` in the checkout.
    """

    variables: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    uncommitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What explains the difference. Where it is `exact`, the gate was green with only these names."""

    cause: Cause
    names: tuple[str, ...] = ()
    exact: bool = False
