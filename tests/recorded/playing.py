"""Plays what `typed` lists in three projects; each output has a title, and nothing in it varies."""

import asyncio
import contextlib
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient

from shiftwork.adapters.store.open import open_store
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import find_site
from shiftwork.domain.core.ids import RunId, StoryId, Stream, landing_stream, run_stream, story_stream
from shiftwork.domain.core.plain import to_plain
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.application import create_app
from shiftwork.entrypoints.api.http_server import access
from tests.e2e.cli_rig import Project, new_project
from tests.e2e.mcp_rig import serving
from tests.recorded.normalized import Names
from tests.recorded.typed import ASKING, CALLS, NEW, REPAIRED, REQUESTS

ASKING_AGENT: Final = """\
cat > {where}/prompt
if [ "$SHIFTWORK_STORY" = US-001 ] && ! grep -q "Answer: tabs" {where}/prompt; then
  echo "STORY_BLOCKED: Tabs or blanks?"
  exit 0
fi
[ "$SHIFTWORK_STORY" != US-003 ] || exit 1
echo done > "$SHIFTWORK_STORY.txt"
echo SUMMARY:
echo "did it"
"""
REPAIRING_AGENT: Final = """\
cat > /dev/null
body="return sum(items)"
[ -e {where}/tried ] || body="return 0"
touch {where}/tried
printf 'def total(items):\\n    %s\\n' "$body" > price.py
echo SUMMARY:
echo "wrote total"
"""
PRICE_TEST: Final = """\
import unittest
from price import total


class Price(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
PORT: Final = 8123


def play_project(name: str, folder: Path) -> dict[str, str]:
    """What was typed or sent in that project, and what came of it, by part."""
    return RECORDINGS[name](folder)


def _play_new(folder: Path) -> dict[str, str]:
    project, names = _project(folder)
    return {"commands": "".join(_type_lines(project, NEW, names))}


def _play_asking(folder: Path) -> dict[str, str]:
    project, names = _project(folder)
    project.settle(agent=ASKING_AGENT.format(where=project.shared), gates='test = "true"')
    return {
        "commands": "".join(_type_lines(project, ASKING, names)),
        "requests": "".join(_send_requests(project, names)),
        "calls": "".join(_call_tools(project, names)),
        "facts": "".join(_read_facts(project, names)),
    }


def _play_repaired(folder: Path) -> dict[str, str]:
    project, names = _project(folder)
    project.settle(
        agent=REPAIRING_AGENT.format(where=project.shared),
        gates=f'test = "{sys.executable} -B -m unittest discover -s tests -t ."',
    )
    files = {
        "price.py": "def total(items):\n    return 3\n",
        "tests/__init__.py": "",
        "tests/test_price.py": PRICE_TEST,
    }
    _commit_files(project, files)
    return {
        "commands": "".join(_type_lines(project, REPAIRED, names)),
        "facts": "".join(_read_facts(project, names)),
    }


RECORDINGS: Final[Mapping[str, Callable[[Path], dict[str, str]]]] = {
    "new": _play_new,
    "asking": _play_asking,
    "repaired": _play_repaired,
}
"""The projects, by the beginning of the names of their recordings."""


def _project(folder: Path) -> tuple[Project, Names]:
    project = new_project(folder)
    stories = [{"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"]} for n in (1, 2, 3)]
    _commit_files(project, {"prd.json": json.dumps({"project": "demo", "userStories": stories})})
    cache = find_site(project.root, project.environment()).cache
    places = {
        str(project.root): "PROJECT",
        str(project.shared): "SHARED",
        str(cache): "CACHE",
        str(folder): "FOLDER",
        sys.executable: "PYTHON",
        sys.prefix: "PREFIX",
    }
    return project, Names(places=places)


def _commit_files(project: Project, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = project.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "a project")


def _type_lines(project: Project, lines: str, names: Names) -> Iterator[str]:
    for line in lines.splitlines():
        if line.startswith("!"):
            subprocess.run(("sh", "-c", line[1:]), cwd=project.root, check=True)
            continue
        completed = project.shiftwork(*shlex.split(line), COLUMNS="100")
        names.meet_runs(_runs_of(project))
        assert "Traceback" not in completed.stderr, completed
        said = "".join(map(_readable_line, completed.stdout.splitlines(keepends=True)))
        yield _entry(names, f"$ shiftwork {line}", f"exit {completed.returncode}", said, completed.stderr)


def _send_requests(project: Project, names: Names) -> Iterator[str]:
    env = project.environment()
    site = find_site(project.root, env)
    word = Tokens(site.state).create(Role.ADMIN, "recording", 1.0)[1]
    app, _ = create_app(site, env, access(site, PORT))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", headers={"authorization": f"Bearer {word}"}) as client:
        for line in REQUESTS.splitlines():
            method, path, *body = line.split(" ", 2)
            address = f"{PREFIX}{path.replace('RUN', names.runs[0])}"
            response = client.request(method, address, json=json.loads(body[0]) if body else None)
            kind = response.headers.get("content-type", "")
            text = _readable(_by_story(response.json())) if kind.startswith("application/json") else response.text
            yield _entry(names, line, f"{response.status_code} {kind}\n{text}")


def _call_tools(project: Project, names: Names) -> Iterator[str]:
    with serving(project.root, project.environment()) as client:
        listed = client.answer(client.request("tools/list"))["result"]["tools"]
        yield _entry(names, "tools/list", _readable(listed))
        for line in CALLS.splitlines():
            tool, arguments = line.replace("RUN", names.runs[0]).split(" ", 1)
            failed, document = client.call(tool, **json.loads(arguments))
            yield _entry(names, line, f"{'failed' if failed else 'done'}\n{_readable(document)}")


def _read_facts(project: Project, names: Names) -> Iterator[str]:
    """The facts of each stream of the runs, by kind, with all that they say."""
    site = find_site(project.root, project.environment())
    streams: list[Stream] = [landing_stream(site.project, "main")]
    for run in names.runs:
        stories = ("US-001", "US-002", "US-003")
        streams += [run_stream(RunId(run)), *(story_stream(RunId(run), StoryId(story)) for story in stories)]
    with contextlib.closing(open_store(site.store_url)) as store:
        found = [(stream, asyncio.run(store.events.read(stream))) for stream in streams]
    for stream, recorded in found:
        facts = [item.fact for item in recorded]
        text = "\n".join(json.dumps({type(fact).__name__: to_plain(fact)}, sort_keys=True) for fact in facts)
        yield _entry(names, stream, text)


def _runs_of(project: Project) -> list[str]:
    """The names of the runs of the project, the oldest first."""
    completed = project.shiftwork("status", "--all", "--json")
    if completed.returncode:
        return []
    listed = json.loads(completed.stdout).get("runs", [])
    return [item["run"] for item in reversed(listed)]


def _readable(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False)


def _by_story(document: Any) -> Any:
    """With events of stories and of the run, which happen at about the same time, by story."""
    if not isinstance(document, dict):
        return document
    return {name: sorted(value, key=_story_of) if _is_events(value) else value for name, value in document.items()}


def _is_events(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "time" in item for item in value)


def _story_of(event: Mapping[str, Any]) -> str:
    return str(event.get("story") or "")


def _readable_line(line: str) -> str:
    return f"{_readable(json.loads(line))}\n" if line.startswith('{"schema"') else line


def _entry(names: Names, title: str, *texts: str) -> str:
    body = "".join(text if text.endswith("\n") or not text else f"{text}\n" for text in texts)
    return f"=== {names.normalize(title)}\n{names.normalize(body)}\n"
