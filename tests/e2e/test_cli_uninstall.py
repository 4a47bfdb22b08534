"""`shiftwork uninstall`, and the cache of repositories that are gone: nothing that was written is left unknown."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from tests import warm
from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project, new_project, sleeping, written_pid


@pytest.fixture
def homes(tmp_path: Path) -> dict[str, str]:
    return {
        "SHIFTWORK_CACHE_HOME": str(tmp_path / "homes/cache"),
        "SHIFTWORK_STATE_HOME": str(tmp_path / "homes/state"),
        "SHIFTWORK_CONFIG_HOME": str(tmp_path / "homes/config"),
    }


def test_uninstall_lists_everything_and_removes_it_but_not_what_landed(project: Project, homes: dict[str, str]) -> None:
    foreign = [Path(home) / "other-program" / "file" for home in homes.values()]
    workflow = Path(homes["SHIFTWORK_CONFIG_HOME"]) / "workflows/own.yml"
    for file in (*foreign, workflow):
        file.parent.mkdir(parents=True)
        file.write_text("not ours to remove\n")
    assert project.shiftwork("run", "Add a greeting", **homes).returncode == 0
    tip = project.git("rev-parse", "main")
    listed = project.shiftwork("uninstall", **homes)
    assert listed.returncode == 0
    assert project.state.exists(), "nothing goes before it was agreed to"
    cached = f"{homes['SHIFTWORK_CACHE_HOME']}/{(project.state / 'project').read_text().strip()}"
    for folder in (cached, f"{homes['SHIFTWORK_STATE_HOME']}/projects", str(project.state)):
        assert f"  {folder}" in listed.stdout
    assert listed.stdout.splitlines()[-1] == "nothing was removed; to remove it: shiftwork uninstall --yes"
    typed = project.types(blocks(ROOT / "docs" / "howto" / "uninstall.md", "uninstall"), **homes)
    assert typed.stdout == listed.stdout
    document = json.loads(project.shiftwork("uninstall", "--yes", "--json", **homes).stdout)
    assert document["is_removed"]
    assert [entry["location"] for entry in document["everything"] if entry["stays"]] == [
        str(project.root / "shiftwork.toml")
    ]
    assert not project.state.exists()
    assert project.git("for-each-ref", "refs/shiftwork") == ""
    assert all(file.exists() for file in (*foreign, workflow)), "a variable may name a folder that others use, too"
    assert {file for home in homes.values() for file in Path(home).rglob("*") if file.is_file()} == {*foreign, workflow}
    assert project.git("rev-parse", "main") == tip
    assert project.git("status", "--porcelain") == "?? shiftwork.toml"
    assert project.shiftwork("uninstall", "--yes", **homes).stdout == "nothing was written on this machine\n"


def test_nothing_is_removed_while_a_process_works(project: Project, homes: dict[str, str]) -> None:
    project.settle(agent=sleeping(project.shared))
    env = project.environment(**homes)
    with warm.received(("run", "Add a greeting"), cwd=project.root, env=env):
        written_pid(project.shared / "pid")
        refused = project.shiftwork("uninstall", "--yes", **homes)
        assert refused.returncode == 1
        assert f"a process works on a run in {project.root}: nothing was removed" in refused.stderr
    assert project.state.exists()


def test_gc_removes_the_cache_of_a_repository_that_is_gone_and_names_its_own(
    project: Project, homes: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = new_project(tmp_path / "other")
    for each in (project, other):
        assert each.shiftwork("run", "Add a greeting", **homes).returncode == 0
    cache = Path(homes["SHIFTWORK_CACHE_HOME"])
    (gone,) = {folder.name for folder in cache.iterdir()} - {(project.state / "project").read_text().strip()}
    shutil.rmtree(other.root)
    assert json.loads(project.shiftwork("gc", "--json", **homes).stdout)["gone_repositories"] == []
    long_ago = time.time() - 7200  # noqa: TID251 - of a file
    os.utime(cache / gone, (long_ago, long_ago))
    shown = project.shiftwork("gc", "--dry-run", **homes).stdout
    assert f"would remove the cache of {other.root}, which is gone" in shown
    assert (cache / gone).exists()
    swept = json.loads(project.shiftwork("gc", "--json", **homes).stdout)
    assert [entry["folder"] for entry in swept["gone_repositories"]] == [str(other.root)]
    assert not (cache / gone).exists()
    assert swept["kept_for_next_run"]["bytes"] > 0
    assert json.loads(project.shiftwork("gc", "--all", "--json", **homes).stdout)["kept_for_next_run"]["bytes"] == 0
    assert project.shiftwork("run", "Add it again", **homes).returncode in {0, 1}
