"""`shiftwork gc --older-than`: old runs leave the database, and are shown from their files."""

import json
import re
from pathlib import Path

from tests.e2e.cli_rig import Project, new_project


def typed(project: Project, url: str, *words: str) -> str:
    answer = project.shiftwork(*words, SHIFTWORK_STORE_URL=url)
    assert answer.returncode == 0, answer
    return answer.stdout


def shown(project: Project, url: str, run: str) -> list[str]:
    status = json.loads(typed(project, url, "status", run, "--json"))
    del status["archived"]
    documents = (
        ("report", run),
        ("export", run),
        ("proof", "--run", run, "--json"),
        ("stories", run, "--json"),
        ("steps", "US-001", "--run", run, "--json"),
    )
    return [json.dumps(status), *(typed(project, url, *words) for words in documents)]


def test_an_old_run_leaves_a_shared_database_and_is_shown_as_before(tmp_path: Path, postgres_url: str) -> None:
    url = postgres_url
    (tmp_path / "ours").mkdir()
    project = new_project(tmp_path / "ours")
    typed(project, url, "run", "Add a greeting")
    run = json.loads(typed(project, url, "status", "--json"))["run"]
    typed(project, url, "gc")
    before = shown(project, url, run)

    mistyped = project.shiftwork("gc", "--older-than", "soon", SHIFTWORK_STORE_URL=url)
    assert (mistyped.returncode, mistyped.stderr) == (
        64,
        "shiftwork: soon is no age: write a number and h, d or w\n  try: shiftwork gc --older-than 30d\n",
    )
    assert json.loads(typed(project, url, "gc", "--older-than", "30d", "--json"))["archived_runs"] == []
    assert f"{run}  would archive " in typed(project, url, "gc", "--older-than", "0h", "--dry-run")
    (archived,) = json.loads(typed(project, url, "gc", "--older-than", "0h", "--json"))["archived_runs"]
    assert (archived["run"], archived["file"]) == (run, f"{run}.jsonl.gz")
    assert archived["facts"] > 10
    file = project.state / "archive" / archived["file"]
    assert file.stat().st_mode & 0o777 == 0o600

    assert shown(project, url, run) == before
    listed = typed(project, url, "status", "--all")
    assert re.search(rf"^{run}  landed .* \(archived\) Add a greeting\n", listed, re.MULTILINE)
    text = typed(project, url, "status", run)
    assert "landed (archived: it can only be read)" in text
    assert text.rstrip().endswith(f"next: shiftwork report {run}")
    (row,) = json.loads(typed(project, url, "status", "--all", "--json"))["runs"]
    assert row["archived"] == archived["file"]
    assert json.loads(typed(project, url, "gc", "--older-than", "0h", "--json"))["archived_runs"] == []
    for words in (("retry", "US-001", "--run", run), ("undo", "US-001", "--run", run), ("resume", run)):
        refused = project.shiftwork(*words, SHIFTWORK_STORE_URL=url)
        assert (refused.returncode, "archived" in refused.stderr) == (64, True), refused
    project.settle(agent="echo more > more.txt; echo 'SUMMARY: done'")
    project.shiftwork("run", "Add another greeting", SHIFTWORK_STORE_URL=url)
    assert len(json.loads(typed(project, url, "status", "--all", "--json"))["runs"]) == 2
