"""Two repositories on one database: no command in one shows or changes anything of the other."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.config.site import STORE_URL
from tests import warm
from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.patience import SECONDS

STORY = "US-001"
SPEC = {"project": "p", "userStories": [{"id": STORY, "title": "Greet", "acceptanceCriteria": ["it greets"]}]}

OF_A_RUN = (
    ("status", "{run}"),
    ("status", "--json", "{run}"),
    ("stories", "{run}"),
    ("logs", "{run}"),
    ("notes", "{run}"),
    ("report", "{run}"),
    ("export", "{run}"),
    ("pause", "{run}"),
    ("cancel", "{run}"),
    ("cancel", "{run}", "--story", STORY),
    ("resume", "{run}"),
    ("resume", "{run}", "--max-cost", "99"),
    ("retry", STORY, "--run", "{run}"),
    ("undo", STORY, "--run", "{run}"),
    ("diff", STORY, "--run", "{run}"),
    ("proof", STORY, "--run", "{run}"),
    ("answer", STORY, "yes", "--run", "{run}"),
    ("approve", STORY, "--run", "{run}"),
    ("reject", STORY, "--run", "{run}"),
    ("edit", STORY, "--title", "Other", "--run", "{run}"),
    ("reorder", STORY, "--run", "{run}"),
    ("add", "Another thing to do", "--run", "{run}"),
)
OF_NONE = (("status", "--all"), ("status", "--all-projects"), ("gc",), ("gc", "--all"), ("agents",))


@dataclass(frozen=True, kw_only=True)
class Member:
    """One of the repositories: it has a run that has landed, and a newer one whose process was killed at its start."""

    project: Project
    url: str
    landed: str
    unfinished: str

    @property
    def runs(self) -> tuple[str, str]:
        return self.landed, self.unfinished

    def types(self, *words: str) -> subprocess.CompletedProcess[str]:
        return typed(self.project, self.url, *words)

    def trace(self) -> dict[str, Any]:
        """All that is kept of it: its branches, and every row that names one of its runs or its queue."""
        queue = f"landing/{(self.project.root / '.git/shiftwork/project').read_text().strip()}/main"
        return {"refs": self.project.git("show-ref", "--head"), **_rows(self.url, self.runs, queue)}


def typed(project: Project, url: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return warm.run(words, cwd=project.root, env=project.environment(**{STORE_URL: url}, **env))


def _rows(url: str, runs: tuple[str, ...], queue: str) -> dict[str, list[tuple[Any, ...]]]:
    streams = [*(f"run/{run}" for run in runs), *(f"story/{run}/{STORY}" for run in runs), queue, *runs]
    asked = {"facts": "stream", "inbox": "target", "leases": "resource", "runs": "run", "stories": "run"}
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return {
                table: [
                    tuple(row)
                    for row in connection.execute(
                        sa.text(f"SELECT * FROM {table} WHERE {column} IN :names ORDER BY 1, 2").bindparams(  # noqa: S608 - see above
                            sa.bindparam("names", streams, expanding=True)
                        )
                    )
                ]
                for table, column in asked.items()
            }
    finally:
        engine.dispose()


def member(folder: Path, url: str) -> Member:
    folder.mkdir()
    project = new_project(folder)
    project.settle(agent=WORKING.replace("> hello.txt", ">> hello.txt"))
    (project.root / "prd.json").write_text(json.dumps(SPEC), encoding="utf-8")
    first = typed(project, url, "run", "prd.json", "--workflow", "ralph")
    assert first.returncode == 0, first
    typed(project, url, "run", "Greet once more", "--workflow", "ralph", SHIFTWORK_FAILPOINT="run.recorded")
    listed = json.loads(typed(project, url, "status", "--all", "--json").stdout)["runs"]
    unfinished, landed = (row["run"] for row in listed)
    return Member(project=project, url=url, landed=landed, unfinished=unfinished)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Member, Member]:
    folder = tmp_path_factory.mktemp("projects")
    url = f"sqlite:///{folder}/shared.db"
    return member(folder / "ours", url), member(folder / "theirs", url)


def choices(pair: tuple[Member, Member]) -> st.SearchStrategy[tuple[Member, Member, tuple[str, ...]]]:
    """Who types, who must not notice, and what: of no run, of one of its own, or of one of the other's, which may be
    named by the beginning of its id.
    """
    ours, theirs = pair

    def words(who: Member, other: Member) -> st.SearchStrategy[tuple[str, ...]]:
        foreign = st.sampled_from([*who.runs, *other.runs, other.landed[:-1], other.unfinished[:-1]])
        return st.sampled_from(OF_NONE) | st.builds(
            lambda command, run: tuple(word.format(run=run) for word in command), st.sampled_from(OF_A_RUN), foreign
        )

    return st.one_of(
        words(ours, theirs).map(lambda typed: (ours, theirs, typed)),
        words(theirs, ours).map(lambda typed: (theirs, ours, typed)),
    )


def test_whatever_is_typed_in_one_repository_nothing_crosses_into_the_other(pair: tuple[Member, Member]) -> None:
    @settings(max_examples=50, suppress_health_check=list(HealthCheck))
    @given(chosen=choices(pair))
    def check(chosen: tuple[Member, Member, tuple[str, ...]]) -> None:
        who, other, words = chosen
        before, own = other.trace(), who.trace()
        result = who.types(*words)
        assert other.trace() == before, words
        named = any(run[:-1] in word for run in other.runs for word in words)
        if named:
            assert result.returncode == 64, result
            assert "there is no run" in result.stdout + result.stderr, result
            assert who.trace() == own, words
        elif words != ("status", "--all-projects"):
            assert not any(run in result.stdout + result.stderr for run in other.runs), result

    check()


def test_commands_that_name_no_run_mean_none_of_another_repository_and_all_can_be_listed(
    pair: tuple[Member, Member], tmp_path: Path
) -> None:
    ours, theirs = pair
    before, elsewhere = ours.trace(), new_project(tmp_path)
    for words in (("status",), ("pause",), ("cancel",), ("resume",), ("undo", STORY)):
        result = typed(elsewhere, ours.url, *words)
        assert (result.returncode, result.stderr) == (
            64,
            'shiftwork: nothing has been run here yet\n  try: shiftwork run "what you want done"\n',
        )
    assert ours.trace() == before
    result = ours.types("status", "--all-projects")
    assert result.returncode == 0
    for item in pair:
        for run in item.runs:
            assert f"{run}  " in result.stdout
        assert f"  in {item.project.root}\n" in result.stdout
    listed = json.loads(ours.types("status", "--all-projects", "--json").stdout)["runs"]
    projects = {row["run"]: row["project"] for row in listed}
    assert projects[ours.landed] == projects[ours.unfinished] != projects[theirs.landed] == projects[theirs.unfinished]
    refused = ours.types("status", theirs.landed, "--all-projects")
    assert (refused.returncode, refused.stderr) == (
        64,
        "shiftwork: --all-projects only lists runs\n  try: shiftwork status --all-projects says where each belongs\n",
    )


def test_on_one_postgres_a_run_of_another_repository_is_unknown_too(tmp_path: Path, postgres_url: str) -> None:
    ours = member(tmp_path / "ours", postgres_url)
    (tmp_path / "theirs").mkdir()
    theirs = new_project(tmp_path / "theirs")
    before = ours.trace()
    for words in (("status",), ("pause",), ("cancel",), ("resume",), ("undo", STORY)):
        assert "nothing has been run here yet" in typed(theirs, postgres_url, *words).stderr
    for command in (("pause", ours.unfinished), ("resume", ours.unfinished), ("undo", STORY, "--run", ours.landed)):
        result = typed(theirs, postgres_url, *command)
        assert (result.returncode, "there is no run" in result.stderr) == (64, True), result
    assert ours.trace() == before
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT count(DISTINCT project) FROM runs").fetchone() == (1,)


def test_a_run_continues_where_its_folder_was_moved_to(tmp_path: Path) -> None:
    ours = member(tmp_path / "ours", f"sqlite:///{tmp_path}/shared.db")
    moved = Project(root=ours.project.root.rename(tmp_path / "moved"), agent=ours.project.agent)
    logs = typed(moved, ours.url, "logs", ours.landed)
    assert logs.returncode == 0, logs
    assert str(moved.root) in logs.stdout
    result = typed(moved, ours.url, "resume", ours.unfinished)
    assert result.returncode == 0, result
    assert moved.git("log", "-1", "--format=%s", "main") != "start"


def test_two_repositories_that_are_worked_on_at_once_have_ports_of_their_own(tmp_path: Path) -> None:
    """Each agent writes its port and waits for the other's, so that both hold a port at the same time."""
    result = tmp_path / "result"
    result.mkdir()
    projects = []
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
        project = new_project(tmp_path / name)
        wait = f"while [ $(ls {result} | wc -l) -lt 2 ]; do sleep 0.05; done"
        project.settle(agent=f'echo "$SHIFTWORK_PORT_BASE" > {result}/{name}\n{wait}\n{WORKING}')
        with (project.root / "shiftwork.toml").open("a") as settings:
            settings.write(f'\n[sandbox.agents]\nwritable = ["{result}"]\n')
        projects.append(project)
    ours, theirs = projects
    with ours.started("run", "Greet the world", "--workflow", "ralph") as process:
        assert theirs.shiftwork("run", "Greet the world", "--workflow", "ralph").returncode == 0
        assert process.wait(timeout=SECONDS) == 0
    first, second = ((result / name).read_text() for name in ("ours", "theirs"))
    assert first != second


def test_all_worktrees_of_a_repository_know_the_same_runs_and_land_in_one_queue(tmp_path: Path) -> None:
    main = new_project(tmp_path)
    assert main.shiftwork("run", "Greet the world", "--workflow", "ralph").returncode == 0
    main.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Project(root=tmp_path / "side", agent=main.agent)
    side.settle(agent=WORKING.replace("hello.txt", "side.txt"))
    assert side.status()["run"] == main.status()["run"]
    assert side.shiftwork("run", "Greet the side", "--workflow", "ralph").returncode == 0
    assert main.status()["run"] == side.status()["run"]
    assert side.git("log", "-1", "--format=%s", "side") != main.git("log", "-1", "--format=%s", "main")
    assert not (side.root / ".shiftwork").exists()
