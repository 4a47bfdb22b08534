"""The settings of the sandbox, and their effect."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap, outward
from shiftwork.adapters.sandbox.ladder import Ladder
from shiftwork.adapters.sandbox.sandbox import OPEN
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, open_sandboxes
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.config.site import Site, find_site
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.gates.rung import Rung
from shiftwork.errors import SandboxError, SettingsError
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

ROOMS = """\
[sandbox]
tier = "bubblewrap"
[sandbox.agents]
readable = ["~/.aws"]
[sandbox.gates]
network = false
writable = ["cache", "/var/cache/mine"]
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    return find_site(tmp_path / "repo", {})


def outcome_of(site: Site, text: str, **env: str) -> Settings:
    (site.root / "shiftwork.toml").write_text(text)
    return load_settings(site.root, env)


NONE = '[sandbox]\ntier = "none"\n'


@NEEDS_BUBBLEWRAP
def test_where_the_settings_say_nothing_the_sandbox_is_on(site: Site, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    opened = asyncio.run(open_sandboxes(site, outcome_of(site, ""), env))
    assert isinstance(opened.agents.base, Bubblewrap)
    assert isinstance(opened.gates, Ladder)
    assert list(opened.gates.rungs) == list(Rung)
    assert (opened.tier, opened.note) == ("bubblewrap", "")
    strict = asyncio.run(open_sandboxes(site, outcome_of(site, "", SHIFTWORK_SANDBOX="bubblewrap"), env)).gates
    assert isinstance(strict, Ladder)
    assert Rung.UNCONFINED not in strict.rungs


def test_where_it_cannot_be_had_auto_runs_without_it_and_says_so_in_one_line(site: Site) -> None:
    opened = asyncio.run(open_sandboxes(site, outcome_of(site, ""), {"PATH": str(site.root.parent / "programs")}))
    assert (opened.agents.base, opened.gates, opened.tier) == (OPEN, OPEN, "none")
    why = "agents and gates run with your rights, because the program bwrap is not installed"
    assert opened.note == f"no sandbox: {why}; shiftwork doctor says what to do"


def test_a_failure_of_many_lines_is_still_one_line(site: Site) -> None:
    fake = site.root.parent / "programs" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho one >&2\necho two >&2\nexit 1\n")
    fake.chmod(0o755)
    opened = asyncio.run(open_sandboxes(site, outcome_of(site, ""), {"PATH": f"{fake.parent}:/usr/bin:/bin"}))
    assert "because bubblewrap cannot create a sandbox here: one two;" in opened.note
    fake.unlink()
    fake.symlink_to("/usr/bin/bwrap")
    again = asyncio.run(open_sandboxes(site, outcome_of(site, ""), {"PATH": f"{fake.parent}:/usr/bin:/bin"}))
    assert again.note == opened.note, "it is probed once in a process"


def test_none_is_a_choice_that_no_one_is_reminded_of(site: Site) -> None:
    assert asyncio.run(open_sandboxes(site, outcome_of(site, NONE), {})) == Sandboxes()
    assert Sandboxes().note == ""


def test_the_environment_is_the_users_own_word(site: Site) -> None:
    assert outcome_of(site, "", SHIFTWORK_SANDBOX="bubblewrap").sandbox.tier == "bubblewrap"
    assert outcome_of(site, ROOMS, SHIFTWORK_SANDBOX="none").sandbox.tier == "none"
    assert outcome_of(site, NONE, SHIFTWORK_SANDBOX="auto").sandbox.tier == "auto"


@pytest.mark.parametrize(
    ("tier", "why"), [("podman", "podman is not supported yet"), ("docker", "'auto', 'bubblewrap' or 'none'")]
)
def test_other_tiers_are_refused(site: Site, tier: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        outcome_of(site, f'[sandbox]\ntier = "{tier}"\n')


def test_all_that_a_repository_says_of_walls_is_a_matter_of_trust(site: Site) -> None:
    outcome_of(site, ROOMS)
    assert [(command.where, command.text) for command in settings_claim(site.root).commands] == [
        ("sandbox.tier", "bubblewrap"),
        ("sandbox.agents.readable", "~/.aws"),
        ("sandbox.gates.network", "false"),
        ("sandbox.gates.writable", "cache /var/cache/mine"),
    ]


LISTED = ROOMS.replace("network = false", 'hosts = ["*.example.org", "127.0.0.1:8080"]')


def test_so_are_the_hosts_that_it_would_have_called(site: Site) -> None:
    outcome_of(site, LISTED)
    (listed,) = (command for command in settings_claim(site.root).commands if command.where == "sandbox.gates.hosts")
    assert listed.text == "*.example.org 127.0.0.1:8080"


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        ('network = false\nhosts = ["a.org"]', "hosts are listed, but network = false allows none"),
        ('hosts = ["https://a.org"]', "'https://a.org' is not a host: give a name"),
        ('hosts = ["a.org:0"]', "'a.org:0' is not a host"),
        ('hosts = ["*"]', "'\\*' is not a host"),
    ],
)
def test_a_list_that_makes_no_sense_is_reported_at_once(site: Site, gates: str, why: str) -> None:
    with pytest.raises(SettingsError, match=rf"sandbox\.gates: {why}"):
        outcome_of(site, f"[sandbox.gates]\n{gates}\n")


def test_an_empty_list_is_none(site: Site) -> None:
    assert outcome_of(site, "[sandbox.gates]\nnetwork = false\nhosts = []\n").sandbox.gates.host_list == ()


def test_without_bubblewrap_it_is_refused_with_what_to_do(site: Site) -> None:
    with pytest.raises(SandboxError, match="the program bwrap is not installed") as refused:
        asyncio.run(open_sandboxes(site, outcome_of(site, ROOMS), {"PATH": str(site.root.parent / "programs")}))
    assert "apt install bubblewrap" in refused.value.hint
    assert refused.value.exit_code == 64


@NEEDS_BUBBLEWRAP
def test_each_kind_of_program_has_its_own_room(site: Site, tmp_path: Path) -> None:
    home, real = tmp_path / "home", tmp_path / "elsewhere"
    real.mkdir()
    home.mkdir()
    (home / ".aws").symlink_to(real)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    opened = asyncio.run(open_sandboxes(site, outcome_of(site, ROOMS), env, (tmp_path / "objects",)))
    agents, gates = opened.agents.base, opened.gates
    assert isinstance(agents, Bubblewrap)
    assert isinstance(gates, Bubblewrap)
    assert (agents.network, gates.network) == (True, False)
    assert {home / ".aws", real, tmp_path / "objects"} < set(agents.readable)
    assert {home / ".aws", real}.isdisjoint(gates.readable)
    assert (agents.writable, gates.writable) == ((), (site.root / "cache", Path("/var/cache/mine")))
    assert not any(site.root.is_relative_to(path) or home.is_relative_to(path) for path in agents.readable)


@NEEDS_BUBBLEWRAP
def test_each_has_its_own_list_of_hosts(site: Site, tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    opened = asyncio.run(open_sandboxes(site, outcome_of(site, LISTED), env))
    assert isinstance(opened.gates, Bubblewrap)
    found = outcome_of(site, LISTED)
    agents = opened.agents.reach(found.agent, "agent", env)
    assert agents
    assert [str(host) for host in agents.hosts] == ["api.anthropic.com:443"]
    assert opened.gates.reach
    assert [str(host) for host in opened.gates.reach.hosts] == ["*.example.org", "127.0.0.1:8080"]
    assert opened.gates.reach.table == "sandbox.gates"


def test_where_names_are_resolved_by_a_file_elsewhere_it_is_shown(tmp_path: Path) -> None:
    etc, run = tmp_path / "etc", tmp_path / "run"
    etc.mkdir()
    run.mkdir()
    (run / "resolv.conf").write_text("nameserver 127.0.0.53\n")
    (etc / "resolv.conf").symlink_to("../run/resolv.conf")
    (etc / "mtab").symlink_to("/proc/mounts")
    (etc / "gone").symlink_to("nowhere")
    (etc / "folder").symlink_to(run)
    (etc / "sh").symlink_to("/bin/sh")
    assert outward(etc) == (run.resolve() / "resolv.conf",)
