"""The wheel without extras: everything works on SQLite, and what needs an extra is refused with the command to type."""

import json
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shiftwork.adapters.store.sql.schema_version import HEAD, VERSION_TABLE
from shiftwork.entrypoints.api.application import routes
from shiftwork.entrypoints.api.board_files import BoardFiles
from shiftwork.extras import EXTRAS
from tests.conformance.store.test_upgrading import left_behind
from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.e2e.installed_rig import Installed, installed_once

pytestmark = pytest.mark.slow

POSTGRES = "postgresql://ann@127.0.0.1:1/none"

REFUSALS = {
    "postgres": (f'[store]\nurl = "{POSTGRES}"\n', "url under [store] in shiftwork.toml"),
    "notify": ('[notify]\nurls = ["ntfy://topic"]\n', "[notify] names urls"),
    "acp": ('[profiles.other]\nuse = "acp"\ncommand = "my-agent --acp"\n', '[profiles.other] has use = "acp"'),
}
"""By extra: settings that need it, and how the refusal begins."""

assert {*REFUSALS, "web"} == EXTRAS.keys(), "without web, the server works and says that HTTP is off"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Installed:
    own = tmp_path_factory.getbasetemp()
    return installed_once(own if worker_id == "master" else own.parent)


def needing(project: Project, settings: str) -> Project:
    """An agent that leaves a trace, and settings that need an extra."""
    project.settle(agent=f"touch {project.shared}/started\n{WORKING}")
    file = project.root / "shiftwork.toml"
    file.write_text(f"{file.read_text()}\n{settings}")
    return project


IMPORT_ALL = """
import importlib, pkgutil, shiftwork
for module in pkgutil.walk_packages(shiftwork.__path__, "shiftwork."):
    try:
        module.name.endswith("__main__") or importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        print(module.name)
"""
NEED_EXTRAS = (
    "shiftwork.adapters.agents.acp.conversation",
    "shiftwork.adapters.engine.",
    "shiftwork.adapters.store.reader.postgres_reader",
    "shiftwork.entrypoints.api.",
    "shiftwork.entrypoints.host.board_beside",
    "shiftwork.entrypoints.host.http_api",
)


def test_it_brings_few_packages_and_no_tests_and_lacks_only_the_adapters_of_extras(bare: Installed) -> None:
    packages = bare.packages()
    assert len(packages) <= 16
    assert packages.isdisjoint({"dbos", "psycopg", "apprise", "alembic", "genai-prices", "rich"})
    assert bare.says("import importlib.util as u; print(u.find_spec('shiftwork.testing'))") == "None\n"
    failed = bare.says(IMPORT_ALL).split()
    assert "shiftwork.adapters.store.reader.postgres_reader" in failed
    assert [name for name in failed if not name.startswith(NEED_EXTRAS)] == []
    _has_the_web_board(bare)


def _has_the_web_board(bare: Installed) -> None:
    """The server serves it."""
    (folder,) = bare.folder.glob("lib/python*/site-packages/shiftwork/board")
    browser = TestClient(BoardFiles(routes(), folder))
    page = browser.get("/runs")
    assert page.status_code == 200
    wanted = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    assert {Path(each).suffix for each in wanted} >= {".js", ".css"}
    assert {each: browser.get(each).status_code for each in wanted} == dict.fromkeys(wanted, 200)
    assert not re.search(r"<script(?![^>]*src=)|<style|\son[a-z]+=", page.text), "the policy forbids inline code"


def test_a_request_lands_the_demo_runs_and_other_agents_can_be_taught(bare: Installed, tmp_path: Path) -> None:
    project = new_project(tmp_path)
    (project.root / "shiftwork.toml").unlink()
    assert bare.shiftwork(project, "init").returncode == 1, "it has found no check that could be a gate"
    project.settle()
    doctor = bare.shiftwork(project, "doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    done = bare.shiftwork(project, "run", "--workflow", "ralph", "Say hello")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hello" in project.git("log", "-1", "--format=%s").lower()
    status = bare.shiftwork(project, "status", "--json")
    assert json.loads(status.stdout)["status"] == "completed"
    demo = bare.shiftwork(project, "demo")
    assert demo.returncode == 0, demo.stdout + demo.stderr
    document = json.loads(bare.shiftwork(project, "mcp", "--json").stdout)
    assert document["skill"].startswith("---\nname: shiftwork\n")
    assert "start" in [tool["name"] for tool in document["tools"]]


def test_the_database_of_an_earlier_release_is_upgraded(bare: Installed, sqlite_url: str) -> None:
    left_behind(sqlite_url, "0001", [])
    bare.says("import sys; from shiftwork.adapters.store.open import open_store; open_store(*sys.argv[1:])", sqlite_url)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() == [(HEAD,)]  # noqa: S608


def installing(extra: str) -> re.Pattern[str]:
    """The command that installs the extra where Shiftwork is; that environment has no pip of its own."""
    return re.compile(rf"uv pip install --python \S+/bin/python\S* 'shiftwork\[{extra}\]'")


def refused(done: subprocess.CompletedProcess[str], extra: str) -> None:
    _, begins = REFUSALS[extra]
    assert done.returncode == 64, done
    assert begins in done.stderr
    assert f"this needs the extra '{extra}', which is not installed" in done.stderr
    assert installing(extra).search(done.stderr)


def test_what_needs_an_extra_is_refused_by_every_command_with_the_one_that_installs_it(
    bare: Installed, project: Project
) -> None:
    for extra, (settings, _) in REFUSALS.items():
        needing(project, settings)
        refused(bare.shiftwork(project, "run", "Say hello"), extra)
    for left in (project.shared / "started", project.state / "state.db", project.state / "hub.git"):
        assert not left.exists(), "nothing was started"
    for extra, (settings, _) in REFUSALS.items():
        needing(project, settings)
        examined = bare.shiftwork(project, "doctor")
        assert examined.returncode == 1, examined
        assert f"this needs the extra '{extra}', which is not installed" in examined.stdout
        assert installing(extra).search(examined.stdout)
    needing(project, REFUSALS["notify"][0])
    refused(bare.shiftwork(project, "notify", "--test"), "notify")
    needing(project, "".join(settings for settings, _ in REFUSALS.values()))
    refused(bare.shiftwork(project, "status"), "postgres")
    given = bare.shiftwork(project, "status", SHIFTWORK_STORE_URL=POSTGRES)
    assert "SHIFTWORK_STORE_URL is the address of a Postgres database" in given.stderr
    project.settle()
    for words in (("board",), ("demo", "--web")):
        done = bare.shiftwork(project, *words, TMPDIR=str(project.shared))
        assert done.returncode == 64, done
        assert "the web board: this needs the extra 'web', which is not installed" in done.stderr
        assert installing("web").search(done.stderr)
        assert not list(project.shared.glob("shiftwork-demo-*"))
