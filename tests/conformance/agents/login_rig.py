"""A user with a login whose tokens can be used once, and a program that renews it as a real agent's does."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiftwork.adapters.agents.login.lender import Login, Renewal
from shiftwork.adapters.agents.login.login_files import claude_credentials, claude_expires, claude_state

RENEWS = """\
import json, os, pathlib, sys, time
here = pathlib.Path(sys.argv[1])
server, file = here / "server", here / "user/.claude/.credentials.json"
login = json.loads(file.read_text())
with (server / "asked").open("a") as log:
    log.write(login["claudeAiOauth"]["refreshToken"] + chr(10))
valid = (server / "valid").read_text()
if login["claudeAiOauth"]["refreshToken"] != valid:
    sys.exit("this token was used before")
number = int(valid.removeprefix("refresh-")) + 1
(server / "valid").write_text(f"refresh-{number}")
time.sleep(0.2)
login["claudeAiOauth"].update(
    accessToken=f"access-{number}", refreshToken=f"refresh-{number}", expiresAt=int((time.time() + 28800) * 1000)
)
new = file.with_suffix(".new")
new.write_text(json.dumps(login))
os.replace(new, file)
"""
"""Renewing with a token that was used before fails, because refresh tokens rotate."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """The user's folders; `login` is how it is lent."""

    folder: Path

    @property
    def credentials(self) -> Path:
        return self.folder / "user/.claude/.credentials.json"

    @property
    def login(self) -> Login:
        state = self.folder / "user/.claude.json"
        return Login(
            folder=self.credentials.parent,
            credentials=self.credentials,
            expires=claude_expires,
            renewal=Renewal(
                argv=("/usr/bin/env", "python3", str(self.folder / "renews.py"), str(self.folder)),
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder / "user")},
            ),
            lent={self.credentials: claude_credentials, state: claude_state},
        )

    def ends_in(self, seconds: float) -> None:
        stored = self.stored
        stored["claudeAiOauth"]["expiresAt"] = int((time.time() + seconds) * 1000)  # noqa: TID251 - as a server does
        self.credentials.write_text(json.dumps(stored))

    @property
    def stored(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.credentials.read_text())
        return document

    @property
    def is_logged_in(self) -> bool:
        """Whether what the user has could be renewed once more."""
        return bool(self.stored["claudeAiOauth"]["refreshToken"] == (self.folder / "server/valid").read_text())

    @property
    def asked(self) -> list[str]:
        log = self.folder / "server/asked"
        return log.read_text().splitlines() if log.exists() else []


def new_account(folder: Path, seconds: float = 28_800) -> Account:
    account = Account(folder=folder)
    for place in (account.credentials.parent, folder / "server"):
        place.mkdir(parents=True)
    (folder / "server/valid").write_text("refresh-0")
    (folder / "renews.py").write_text(RENEWS)
    login = {"accessToken": "access-0", "refreshToken": "refresh-0", "expiresAt": 0, "scopes": ["user:inference"]}
    account.credentials.write_text(json.dumps({"claudeAiOauth": login, "mcpOAuth": {"other": "service-token"}}))
    account.ends_in(seconds)
    return account
