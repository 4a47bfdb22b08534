"""`.worktreeinclude`: which untracked files of the user's checkout every workspace gets a copy of."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git import Git

INCLUDE_FILE: Final = ".worktreeinclude"


async def included(user: Git, root: Path, state: Path) -> tuple[str, ...]:
    """The files that match its patterns, which are those of `.gitignore` and are matched by git itself."""
    patterns = root / INCLUDE_FILE
    if not patterns.is_file():
        return ()
    pathspecs = ["."]
    if state.is_relative_to(root):
        pathspecs.append(f":(exclude,top,literal){state.relative_to(root)}")
    command = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={patterns}", "--")
    # A name that ends with a slash is another repository's folder.
    return tuple(name for name in (await user.run(*command, *pathspecs)).parts if not name.endswith("/"))
