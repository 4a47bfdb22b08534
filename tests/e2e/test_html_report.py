"""`shiftwork report --html`: the file that a browser opens."""

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

SECONDS = 1.0
"""How much longer a browser may be busy with a report of 100 stories than with an empty page."""


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
