"""Which untracked files of the user's checkout every workspace gets a copy of: those that agreed patterns match."""

from collections.abc import Sequence

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.domain.tampering.reserved_paths import is_reserved


async def included(user: Git, patterns: Sequence[str]) -> tuple[str, ...]:
    """The files that match, by the rules of `.gitignore` and by git itself. The patterns are given: the file that they
    were read from may have changed since the user agreed to them.
    """
    if not patterns:
        return ()
    listed = (f"--exclude={pattern}" for pattern in patterns)
    # A name that ends with a slash is another repository's folder. One with a line break in it could not be kept out of
    # commits: no rule for ignored files can name it.
    names = (await user.run("ls-files", "-z", "--others", "--ignored", *listed, "--", ".")).parts
    return tuple(name for name in names if not name.endswith("/") and "\n" not in name and not is_reserved(name))
