"""`.worktreeinclude`: which untracked files of the user's checkout every workspace gets a copy of."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git import Git
from shiftwork.domain.rules.reserved import is_reserved

INCLUDE_FILE: Final = ".worktreeinclude"


async def included(user: Git, root: Path) -> tuple[str, ...]:
    """The files that match its patterns, which are those of `.gitignore` and are matched by git itself."""
    patterns = root / INCLUDE_FILE
    if not patterns.is_file():
        return ()
    command = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={patterns}", "--", ".")
    # A name that ends with a slash is another repository's folder.
    names = (await user.run(*command)).parts
    return tuple(name for name in names if not name.endswith("/") and not is_reserved(name))
