"""`shiftwork report --html`: the file that a browser opens."""

import json
import resource
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.html_report.html_document import html_document
from shiftwork.app.views.report.run_record import record_of
from shiftwork.domain.core.ids import StoryId
from tests.app.full_history import account_of
from tests.e2e.cli_rig import Project

SECONDS = 1.0
"""How much longer a browser may be busy with a report of 100 stories than with an empty page."""


def test_a_run_is_written_as_one_private_file(project: Project) -> None:
    assert project.shiftwork("run", "Add a greeting").returncode == 0
    run = json.loads(project.shiftwork("status", "--json").stdout)["run"]
    written = project.shiftwork("report", "--html")
    assert (written.returncode, written.stdout) == (0, f"written to shiftwork-{run}.html\n")
    file = project.root / f"shiftwork-{run}.html"
    text = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert "Add a greeting" in text
    assert '<span class="add">+' in text, "the diff of what landed"
    other = json.loads(project.shiftwork("report", run, "--html", "--out", "other.html", "--json").stdout)
    assert (other["file"], (project.root / "other.html").read_text()) == ("other.html", text)
    refused = project.shiftwork("report", "--html", "--out", "nowhere/report.html")
    assert (refused.returncode, "there is no folder nowhere" in refused.stderr) == (64, True)
    file.unlink()
    file.symlink_to(project.root.parent / "elsewhere")
    assert project.shiftwork("report", "--html").returncode == 64, "an agent may have left a link under the usual name"
    assert not (project.root.parent / "elsewhere").exists()


def visited(address: str) -> tuple[str, str, float]:
    """The document that Chromium builds, what it logs, and for how long its processes were busy."""
    chromium = shutil.which("chromium") or pytest.fail("chromium is missing: apt-get install chromium")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([chromium, *options, address], check=True, capture_output=True, text=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended.stdout, ended.stderr, busy


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_browser_shows_it_at_once_and_finds_nothing_wrong(tmp_path: Path) -> None:
    record = record_of(await account_of(MemoryStore()))
    first = record.stories[0]
    stories = [replace(first, asked=replace(first.asked, id=StoryId(f"US-{number:03}"))) for number in range(1, 101)]
    diffs = {story.asked.id: "+a line that was added\n" * 500 for story in stories}
    file = tmp_path / "report.html"
    file.write_text(html_document(replace(record, stories=tuple(stories)), diffs, moving=False))
    _, _, bare = visited("about:blank")
    document, logged, busy = visited(file.as_uri())
    assert document.count("<details") == 100
    assert "CONSOLE" not in logged, "the policy of the page allows all that it uses"
    assert busy - bare < SECONDS
