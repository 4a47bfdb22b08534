"""`.worktreeinclude`: patterns of uncommitted files that are copied for agents and gates.

Such files often contain passwords, and the list comes with the repository, where agents land files too. So it needs
consent like the commands of the settings. It is read once, from the user's checkout, before anything runs; changes that
land meanwhile have no effect until the user agrees to the changed list.
"""

from pathlib import Path
from typing import Final

from shiftwork.bounded import UnreadableError, read_text
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.errors import SettingsError

INCLUDE_FILE: Final = ".worktreeinclude"

_LARGEST: Final = 1 << 16
_WHERE: Final = "copies"


def include_claim(root: Path) -> Claim:
    """Each pattern of the file. Raises SettingsError if the file cannot be read."""
    file = root / INCLUDE_FILE
    listed = tuple(Command(where=_WHERE, text=line) for line in _patterns(file))
    return Claim(file=file, commands=listed, ordered=True)


def patterns_of(claim: Claim) -> tuple[str, ...]:
    """As git expects them, in order: if two match, the later one decides."""
    return tuple(command.text for command in claim.commands)


def _patterns(file: Path) -> tuple[str, ...]:
    try:
        text = read_text(file, _LARGEST).removeprefix("\ufeff")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (UnreadableError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise SettingsError(f"{file} cannot be read: {reason}", hint="correct the file, or remove it") from error
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read: {error.strerror}", hint=f"check its permissions: ls -l {file}"
        ) from error
    lines = (_trimmed(line) for line in text.split("\n"))
    return tuple(line for line in lines if line and not line.startswith("#") and "\0" not in line)


def _trimmed(line: str) -> str:
    """Without trailing blanks, unless the last of them is escaped, as in git."""
    bare = line.rstrip(" \t\r")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return f"{bare} " if escaped and bare != line else bare
