"""Which untracked files of the user's checkout are copied to every workspace: those that match the agreed patterns."""

from collections.abc import Sequence

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.domain.tampering.reserved_paths import is_reserved


async def included(user: Git, patterns: Sequence[str]) -> tuple[str, ...]:
    """The files that match, by git's own rules for `.gitignore`. Takes the patterns as an argument, because their file
    may have changed since the user agreed to them.
    """
    if not patterns:
        return ()
    listed = (f"--exclude={pattern}" for pattern in patterns)
    # A name that ends with a slash is the folder of another repository. A name with a line break could not be kept out
    # of commits: no ignore rule can contain it.
    names = (await user.run("ls-files", "-z", "--others", "--ignored", *listed, "--", ".")).parts
    return tuple(name for name in names if not name.endswith("/") and "\n" not in name and not is_reserved(name))
