"""A login that sessions share: one process at a time renews it outside, and puts it where sessions find it."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.agents.login.lender import FOLDER, Lender
from tests.conformance.agents.login_rig import Account, new_account
from tests.patience import SECONDS


def lent_token(home: Path) -> str:
    document = json.loads((home / FOLDER / ".credentials.json").read_text())["claudeAiOauth"]
    assert document["refreshToken"] is None
    return str(document["accessToken"])


async def session(account: Account, lender: Lender, home: Path) -> str:
    async with lender.lending(account.login, home, kept=True):
        return lent_token(home)


def test_a_session_gets_the_login_without_what_renews_it(tmp_path: Path) -> None:
    account = new_account(tmp_path)
    (tmp_path / "user/.claude.json").write_text('{"userID": "u", "projects": {"/x": {"history": ["secret"]}}}')
    home = tmp_path / "home"
    before = os.umask(0)
    try:
        assert asyncio.run(session(account, Lender(locks=tmp_path / "locks"), home)) == "access-0"
    finally:
        os.umask(before)
    assert json.loads((home / "house/.claude.json").read_text()) == {"userID": "u"}
    assert account.asked == []
    for path in (home / FOLDER, home / FOLDER / ".credentials.json", home / "house/.claude.json"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"[" * 100_000, b'{"claudeAiOauth": 1}', b"x" * (1 << 21)])
def test_what_is_no_login_is_not_lent(tmp_path: Path, content: bytes | None) -> None:
    account = new_account(tmp_path)
    if content is None:
        account.credentials.unlink()
    else:
        account.credentials.write_bytes(content)

    async def opened() -> list[str]:
        async with Lender(locks=tmp_path / "locks").lending(account.login, tmp_path / "home", kept=True):
            return [file.name for file in (tmp_path / "home" / FOLDER).iterdir()]

    assert asyncio.run(opened()) == []


def test_eight_sessions_at_once_renew_a_login_once_and_all_start_from_it(tmp_path: Path) -> None:
    account = new_account(tmp_path, seconds=10)

    async def all_of_them() -> list[str]:
        # Each with a lender of its own, as processes have.
        lenders = [Lender(locks=tmp_path / "locks") for _ in range(8)]
        return await asyncio.gather(*(session(account, lender, tmp_path / f"h{n}") for n, lender in enumerate(lenders)))

    assert asyncio.run(all_of_them()) == ["access-1"] * 8
    assert account.asked == ["refresh-0"]
    assert account.is_logged_in
    assert account.stored["mcpOAuth"] == {"other": "service-token"}
    assert stat.S_IMODE(next((tmp_path / "locks").iterdir()).stat().st_mode) == 0o600


PROCESS = """\
import asyncio, sys
from pathlib import Path
from shiftwork.adapters.agents.login.lender import Lender
from tests.conformance.agents.login_rig import Account
from tests.conformance.agents.test_login import session
folder = Path(sys.argv[1])
print(asyncio.run(session(Account(folder=folder), Lender(locks=folder / "locks"), folder / sys.argv[2])))
"""


def test_processes_take_turns(tmp_path: Path) -> None:
    account = new_account(tmp_path, seconds=-5)
    words = [sys.executable, "-c", PROCESS, str(tmp_path)]
    root = Path(__file__).parents[3]
    begun = [subprocess.Popen([*words, f"p{n}"], cwd=root, stdout=subprocess.PIPE, text=True) for n in range(3)]
    assert [popen.communicate(timeout=SECONDS)[0] for popen in begun] == ["access-1\n"] * 3
    assert (account.asked, account.is_logged_in) == (["refresh-0"], True)


def test_a_session_at_work_gets_the_renewed_login(tmp_path: Path) -> None:
    account = new_account(tmp_path)
    home = tmp_path / "home"

    async def works() -> None:
        async with Lender(locks=tmp_path / "locks", poll_seconds=0.05).lending(account.login, home, kept=True):
            assert lent_token(home) == "access-0"
            account.ends_in(5)
            async with asyncio.timeout(SECONDS):
                while lent_token(home) != "access-1":
                    await asyncio.sleep(0.02)

    asyncio.run(works())
    assert account.is_logged_in


def test_a_renewal_in_progress_is_not_cut_off_by_the_end_of_a_session(tmp_path: Path) -> None:
    account = new_account(tmp_path)

    async def works() -> None:
        async with Lender(locks=tmp_path / "locks", poll_seconds=0.01).lending(
            account.login, tmp_path / "home", kept=True
        ):
            account.ends_in(5)
            async with asyncio.timeout(SECONDS):
                while not account.asked:
                    await asyncio.sleep(0.01)

    asyncio.run(works())
    assert account.is_logged_in
    assert account.stored["claudeAiOauth"]["accessToken"] == "access-1"


def test_a_renewal_that_does_not_help_is_not_tried_over_and_over(tmp_path: Path) -> None:
    account = new_account(tmp_path, seconds=-5)
    (tmp_path / "server/valid").write_text("refresh-9")
    lender = Lender(locks=tmp_path / "locks")
    for number in range(3):
        assert asyncio.run(session(account, lender, tmp_path / f"h{number}")) == "access-0"
    assert account.asked == ["refresh-0"]
