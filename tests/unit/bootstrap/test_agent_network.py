"""The settings of the agents' network, and their effect."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.bootstrap.sandbox import sandboxes
from shiftwork.bootstrap.sandbox.agent_network import AgentSandbox, agent_tables, called_hosts, unlimited
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.config.registries.addresses import Registries
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.config.site import find_site
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.network.hosts import read_host
from shiftwork.errors import SandboxError, SettingsError
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

BASE = Bubblewrap(program="/usr/bin/bwrap", home=Path("/home/ada"), repository=Path("/home/ada/project"))
PACKAGES = Registries(hosts=(read_host("packages.example"),))
ENV = {"HOME": "/home/ada", "HTTPS_PROXY": "http://proxy.example:3128"}


def settings(root: Path, text: str) -> Settings:
    (root / "shiftwork.toml").write_text(text)
    return load_settings(root, {})


def sandbox(found: Settings) -> AgentSandbox:
    return AgentSandbox(base=BASE, room=found.sandbox.agents, registries=PACKAGES)


def reached(found: Settings, name: str = "", **env: str) -> Pass | None:
    """What the run's own agent may call, or that of a profile."""
    given = [(table, agent) for text, table, agent in agent_tables(found) if text == (name or found.agent.use)]
    (table, agent), *_ = given
    return sandbox(found).reach(agent, table, {**ENV, **env})


def hosts(reach: Pass | None) -> str:
    assert reach is not None
    return " ".join(map(str, reach.hosts))


def test_by_default_an_agent_calls_its_model_and_the_registries_alone(tmp_path: Path) -> None:
    reach = reached(settings(tmp_path, ""))
    assert hosts(reach) == "api.anthropic.com:443 packages.example"
    assert reach is not None
    assert (reach.table, reach.ports, reach.upstream.tunnels) == ("agent", (), "http://proxy.example:3128")


def test_two_profiles_call_their_own_models(tmp_path: Path) -> None:
    found = settings(tmp_path, '[profiles.second]\nuse = "codex"\n[profiles."a b"]\nhosts = ["more.example"]\n')
    assert "anthropic" not in hosts(reached(found, "second", CODEX_API_KEY="k"))
    spaced = reached(found, "a b")
    assert hosts(spaced) == "api.anthropic.com:443 more.example packages.example"
    assert spaced is not None
    assert spaced.table == 'profiles."a b"'


def test_listed_hosts_are_added_to_its_own(tmp_path: Path) -> None:
    text = '[agent]\nhosts = ["mine.example"]\n[sandbox.agents]\nhosts = ["all.example"]\nports = [5432]\n'
    reach = reached(settings(tmp_path, text), ANTHROPIC_BASE_URL="http://localhost:4000")
    assert hosts(reach) == "mine.example all.example packages.example"
    assert reach is not None
    assert (reach.ports, reach.table) == ((4000, 5432), "agent")
    everybody = reached(settings(tmp_path, '[sandbox.agents]\nhosts = ["all.example"]\n'))
    assert everybody is not None
    assert everybody.table == "sandbox.agents", "where the user keeps the list"


def test_a_model_on_this_machine_is_reached_also_where_another_port_of_it_is_listed(tmp_path: Path) -> None:
    text = '[sandbox.agents]\nhosts = ["127.0.0.1:8080"]\n'
    reach = reached(settings(tmp_path, text), ANTHROPIC_BASE_URL="http://127.0.0.1:4000")
    assert hosts(reach) == "127.0.0.1:4000 127.0.0.1:8080 packages.example"


@pytest.mark.parametrize("network", ["true", "false"])
def test_the_user_may_choose_the_whole_network_or_none(tmp_path: Path, network: str) -> None:
    found = settings(tmp_path, f"[sandbox.agents]\nnetwork = {network}\n")
    assert reached(found) is None
    assert unlimited(sandbox(found), found) == ""


def test_a_list_goes_before_the_whole_network(tmp_path: Path) -> None:
    found = settings(tmp_path, '[agent]\nhosts = ["mine.example"]\n[sandbox.agents]\nnetwork = true\n')
    assert hosts(reached(found)) == "api.anthropic.com:443 mine.example packages.example"


ACP = '[agent]\nuse = "acp"\ncommand = "gemini --acp"\n'


def test_an_agent_of_which_nothing_is_known_keeps_the_network_and_one_line_says_so(tmp_path: Path) -> None:
    found = settings(tmp_path, f'{ACP}[profiles.mine]\nuse = "command"\ncommand = "x"\n')
    assert reached(found) is None
    message = unlimited(sandbox(found), found)
    assert message.startswith("acp, mine can reach the whole network of this machine, with the services on it: ")
    assert "an empty list of hosts under [agent], [profiles.mine] sets no limit" in message
    assert 'hosts = ["api.example.com"] in shiftwork.toml' in message
    assert "\n" not in message
    assert unlimited(AgentSandbox(room=found.sandbox.agents), found) == "", "without a sandbox another line says so"


@pytest.mark.parametrize(
    ("text", "table"),
    [
        (f'{ACP}hosts = ["models.example"]\n', "agent"),
        (f'{ACP}[sandbox.agents]\nhosts = ["models.example"]\n', "sandbox.agents"),
    ],
)
def test_until_its_hosts_are_listed(tmp_path: Path, text: str, table: str) -> None:
    found = settings(tmp_path, text)
    reach = reached(found)
    assert hosts(reach) == "models.example packages.example"
    assert reach is not None
    assert reach.table == table
    assert unlimited(sandbox(found), found) == ""


def test_whom_each_agent_may_call_in_words(tmp_path: Path) -> None:
    found = settings(tmp_path, '[profiles.mine]\nuse = "command"\ncommand = "x"\n')
    called = dict(called_hosts(sandbox(found), found, {**ENV, "ANTHROPIC_BASE_URL": "http://127.0.0.1:4000"}))
    assert called == {"claude-code": "packages.example, port 4000 of this machine"}


def test_hosts_of_an_agent_are_a_matter_of_trust(tmp_path: Path) -> None:
    settings(tmp_path, '[agent]\nhosts = ["a.example"]\n[profiles.b]\nhosts = ["b.example"]\n')
    claims = [(command.where, command.text, command.runs) for command in settings_claim(tmp_path).commands]
    assert claims == [("agent.hosts", "a.example", True), ("profiles.b.hosts", "b.example", True)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[agent]\nhosts = ["https://a.example"]\n', r"agent\.hosts.*'https://a.example' is not a host"),
        (
            '[profiles.b]\nhosts = ["b.example"]\n[sandbox.agents]\nnetwork = false\n',
            r"profiles\.b\.hosts lists hosts, but network = false under \[sandbox\.agents\] allows none",
        ),
    ],
)
def test_a_list_that_makes_no_sense_is_an_error(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        settings(tmp_path, text)


def lonely(folder: Path) -> str:
    """A PATH on which bubblewrap makes every sandbox but those with a network of their own, as in some containers."""
    fake = folder / "programs" / "bwrap"
    fake.parent.mkdir()
    refusing = 'case " $* " in *" --unshare-net "*) echo "bwrap: loopback: not permitted" >&2; exit 1;; esac'
    fake.write_text(f'#!/bin/sh\n{refusing}\nexec /usr/bin/bwrap "$@"\n')
    fake.chmod(0o755)
    return f"{fake.parent}:/usr/bin:/bin"


@NEEDS_BUBBLEWRAP
def test_where_no_network_can_be_made_agents_keep_the_machines_and_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxes, "_PROBED", {})
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "PATH": lonely(tmp_path)}
    site, found = find_site(root, {}), settings(root, "")
    opened = asyncio.run(open_sandboxes(site, found, env))
    why = "bubblewrap cannot create a sandbox here: bwrap: loopback: not permitted"
    assert opened.network == f"agents keep this machine's network, with the services on it, because {why}"
    assert (opened.tier, opened.note) == ("bubblewrap", "")
    confined = opened.agents.of(found.agent, "agent", env)
    assert isinstance(confined, Bubblewrap)
    assert confined.reach is None
    with pytest.raises(SandboxError, match="loopback: not permitted"):
        asyncio.run(open_sandboxes(site, settings(root, '[sandbox]\ntier = "bubblewrap"\n'), env))
