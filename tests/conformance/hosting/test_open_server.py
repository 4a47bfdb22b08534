"""The server of a repository, as it is built: what its workers inherit, and what it does about lost checkouts."""

import asyncio
import json
import subprocess
from pathlib import Path

from shiftwork.adapters.hosting.server_file import living
from shiftwork.bootstrap.server.living import path_of
from shiftwork.bootstrap.server.open_server import claimed_file, open_server
from shiftwork.bootstrap.state.refused_resume import reason_of
from shiftwork.config.site import find_site
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import EXIT_USAGE
from tests.api.api_rig import staged
from tests.conformance.hosting.test_server_file import refused_writes
from tests.patience import eventually

WRITES_ENVIRONMENT = """\
import json, os
with open({file!r} + ".new", "w") as file:
    json.dump(dict(os.environ), file)
os.replace({file!r} + ".new", {file!r})
os._exit(0)
"""


def test_a_worker_does_not_inherit_the_trust_of_the_terminal_that_started_the_server(tmp_path: Path) -> None:
    """A run that was handed over from another terminal would get a consent that nobody has given for it."""
    seen, modules = tmp_path / "seen", tmp_path / "modules"
    modules.mkdir()
    (modules / "sitecustomize.py").write_text(WRITES_ENVIRONMENT.format(file=str(seen)))
    with staged(tmp_path / "user") as stage, claimed_file(stage.site) as file:
        assert file
        env = {**stage.env, "PYTHONPATH": str(modules), "SHIFTWORK_TRUST": "1"}
        opened = asyncio.run(open_server(stage.site, env, file, 1, lambda _: None))
        opened.workers.start(RunId("r1"), str(stage.site.root))
        eventually(opened.workers.ended)
    inherited = json.loads(seen.read_text())
    assert inherited["SHIFTWORK_STATE_HOME"] == env["SHIFTWORK_STATE_HOME"]
    assert "SHIFTWORK_TRUST" not in inherited


def test_a_server_writes_its_address_as_soon_as_the_disk_has_space_again(tmp_path: Path) -> None:
    with staged(tmp_path / "user") as stage, claimed_file(stage.site) as file:
        assert file
        opened = asyncio.run(open_server(stage.site, stage.env, file, 1, lambda _: None))
        with refused_writes():
            opened.publish("http://127.0.0.1:1")
        opened.tidy()
        found = living(path_of(stage.site))
    assert found is not None
    assert found.address == "http://127.0.0.1:1"


def test_a_run_whose_checkout_is_gone_says_so_where_people_look(tmp_path: Path) -> None:
    with staged(tmp_path / "user") as stage, claimed_file(stage.site) as file:
        assert file
        opened = asyncio.run(open_server(stage.site, stage.env, file, 1, lambda _: None))
        opened.workers.start(RunId("r1"), "/gone")
        (ending,) = opened.workers.ended()
        assert ending.code == EXIT_USAGE, "it is not tried again"
        refused = reason_of(stage.site, "r1")
        assert refused is not None
        assert refused[0] == ending.said
        assert "/gone is no checkout" in refused[0]
        assert "shiftwork resume r1" in refused[0]


def test_a_server_has_no_place_once_its_checkout_is_removed(tmp_path: Path) -> None:
    with staged(tmp_path / "user") as stage:
        there = tmp_path / "there"
        git = ["git", "-C", str(stage.site.root), "worktree"]
        subprocess.run([*git, "add", "-q", "-b", "side", str(there)], env=stage.env, check=True)
        site = find_site(there, stage.env)
        with claimed_file(site) as file:
            assert file
            opened = asyncio.run(open_server(site, stage.env, file, 1, lambda _: None))
            assert opened.has_checkout()
            subprocess.run([*git, "remove", str(there)], env=stage.env, check=True)
            assert not opened.has_checkout()
            assert opened.remains(), "the repository is still there"
