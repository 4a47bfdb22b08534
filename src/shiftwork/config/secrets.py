"""Which values are secrets: by the names of variables, and in the files of package managers."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_text
from shiftwork.redaction import tokens_in
from shiftwork.regexes import regex

_LARGEST: Final = 1 << 18

_NAMED: Final = regex(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL|AUTH(?!OR)|COOKIE|SIGNING|_PAT$|_KEY$|^KEY$",
    re.IGNORECASE,
)
_NOT_NAMED: Final = regex(r"_(?:FILE|PATH|DIR|HOME|SOCK|SOCKET|ASKPASS|TOKENS|METHOD|TYPE|MODE|KEY_ID)$", re.IGNORECASE)

_FILES: Final = (
    *(".netrc", ".npmrc", ".pypirc", ".yarnrc.yml", ".git-credentials", ".cargo/credentials.toml"),
    *(".pip/pip.conf", ".config/pip/pip.conf", ".config/uv/uv.toml", ".config/pypoetry/auth.toml"),
    *(".cargo/config.toml", ".bundle/config"),
)
_KEPT: Final = regex(
    r"(?:\bpassword|\bpasswd|_authToken|_auth|_password|npmAuthToken|\btoken)\s*[=:\s]\s*[\"']?([^\s\"']+)",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether the name of a variable shows that its value is a secret."""
    return bool(_NAMED.search(name)) and not _NOT_NAMED.search(name)


def of_environment(env: Mapping[str, str]) -> Iterator[str]:
    """Values of variables with secret names, and from all other variables tokens and passwords in URLs."""
    for name, value in env.items():
        yield from tokens_in(value)
        if is_secret(name) and "://" not in value:
            yield value.strip()


def of_home(home: Path) -> Iterator[str]:
    """Registry credentials in the files of package managers."""
    for name in _FILES:
        try:
            text = read_text(home / name, _LARGEST)
        except (OSError, ValueError):
            continue
        yield from tokens_in(text)
        yield from (found[1] for found in _KEPT.finditer(text))
