"""The sandbox of the setup command: which hosts it may call, and the advice to the user where that is not enough."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.adapters.sandbox.ladder import Ladder
from shiftwork.bootstrap.sandbox.registries import registries_in_force, setup_advice
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, open_sandboxes
from shiftwork.config.registries.addresses import NO_REGISTRIES, registries
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import find_site
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from shiftwork.errors import SettingsError
from shiftwork.records import replace
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytestmark = NEEDS_BUBBLEWRAP

FOUND = registries(["https://index.example.org/simple", "http://localhost:4873/"])


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    return {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")}


def opened(env: dict[str, str], text: str) -> Sandboxes:
    root = Path(env["HOME"]) / "repo"
    (root / "shiftwork.toml").write_text(text)
    return asyncio.run(open_sandboxes(find_site(root, env), load_settings(root, env), env, (), FOUND))


def own(sandbox: object) -> Bubblewrap:
    assert isinstance(sandbox, Ladder)
    found = sandbox.rungs[Rung.OWN]
    assert isinstance(found, Bubblewrap)
    return found


def hosts(sandbox: Bubblewrap) -> list[str]:
    assert sandbox.reach
    return list(map(str, sandbox.reach.hosts))


def test_gates_and_setup_reach_the_registries_and_setup_the_hosts_of_its_own_table(env: dict[str, str]) -> None:
    found = opened(env, '[sandbox.setup]\nhosts = ["github.com"]\n')
    assert hosts(own(found.gates)) == ["index.example.org:443"]
    setup = own(found.setup)
    assert hosts(setup) == ["index.example.org:443", "github.com"]
    assert setup.reach
    assert (setup.reach.ports, setup.reach.table) == ((4873,), "sandbox.setup")


@pytest.mark.parametrize("network", ["network = false", 'hosts = ["example.net"]'])
def test_setup_reaches_the_registries_also_where_gates_do_not(env: dict[str, str], network: str) -> None:
    found = opened(env, f"[sandbox.gates]\n{network}\n")
    assert "index.example.org:443" in hosts(own(found.setup))
    assert isinstance(found.gates, Bubblewrap)
    assert found.gates.reach is None or hosts(found.gates) == ["example.net"]


def test_where_gates_are_given_the_machines_network_setup_has_it_too(env: dict[str, str]) -> None:
    found = opened(env, "[sandbox.gates]\nnetwork = true\n")
    assert isinstance(found.gates, Bubblewrap)
    assert found.setup == replace(found.gates, judging=False), "what it runs judges nothing"
    assert setup_advice(found.setup, "make") == ()


def test_advice_names_the_hosts_and_the_next_command_until_the_user_has_agreed(env: dict[str, str]) -> None:
    first, last = setup_advice(opened(env, "").setup, "make")
    assert "under [sandbox.setup]: index.example.org:443" in first
    assert last.endswith("shiftwork trust --gate setup --access host")
    GateConsents(Path(env["HOME"]) / "repo", env).give("make", Rung.HOST)
    agreed = opened(env, "").setup
    assert setup_advice(agreed, "make") == ()
    assert isinstance(agreed, Ladder)
    host = agreed.rungs[agreed.rung("make")]
    assert isinstance(host, Bubblewrap)
    assert (host.network, host.reach) == (True, None)


def test_a_host_that_is_none_is_a_mistake(env: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="is not a host"):
        opened(env, '[sandbox.setup]\nhosts = ["https://github.com"]\n')


def test_where_there_is_no_sandbox_no_one_is_asked_for_registries(env: dict[str, str]) -> None:
    site = find_site(Path(env["HOME"]) / "repo", env)
    (site.root / "pyproject.toml").touch()
    found = [
        asyncio.run(registries_in_force(site, load_settings(site.root, {**env, "SHIFTWORK_SANDBOX": tier}), env))
        for tier in ("none", "auto")
    ]
    assert found[0] == NO_REGISTRIES
    assert found[1].hosts
