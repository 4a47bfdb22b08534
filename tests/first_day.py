"""The session of `docs/howto/first-day.md`: typed again in a new repository.

The agent is the real Claude Code, and the model behind it is scripted. `python -m tests.first_day` records the page.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.documented import ROOT, at_a_prompt
from tests.e2e.claude_rig import step_of, summary

PAGE: Final = ROOT / "docs/howto/first-day.md"
HOME: Final = "/home/ada"
LEFT_OUT: Final = "…"

_SESSION: Final = re.compile(r"^```text session\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_VARIES: Final = re.compile(
    r"\b(?=[0-9a-z]*\d)[0-9a-z]{9,12}\b|\b[0-9a-f]{7,64}\b|\d+(?:[.:,]\d+)*(?: (?:ms|s|min|h))?(?: \d+ s)?"
)

# The repository and the work ---------------------------------------------------------------------------------------

_ARRIVAL: Final = '''\
from datetime import date, timedelta


def arrival(sent: date, days: int) -> date:
    """The day on which a parcel arrives."""
    return sent + timedelta(days=days)
'''
_TEST: Final = """\
import unittest
from datetime import date

from parcels import arrival


class Arrival(unittest.TestCase):
    def test_a_parcel_arrives_after_its_days(self) -> None:
        self.assertEqual(arrival(date(2026, 3, 2), 2), date(2026, 3, 4))
"""
FILES: Final[Mapping[str, str]] = {
    "parcels.py": _ARRIVAL,
    "tests/__init__.py": "",
    "tests/test_parcels.py": _TEST,
    ".gitignore": "__pycache__/\n",
}

_WEEKEND: Final = '''\
from datetime import date, timedelta


def arrival(sent: date, days: int) -> date:
    """The day on which a parcel arrives."""
    day = sent + timedelta(days=days)
    return day + timedelta(days=day.isoweekday() == 7)  # nothing is delivered on a Sunday
'''
_WEEKEND_TEST: Final = """\
import unittest
from datetime import date

from parcels import arrival


class Sunday(unittest.TestCase):
    def test_a_parcel_due_on_a_sunday_arrives_on_monday(self) -> None:
        self.assertEqual(arrival(date(2026, 3, 6), 2), date(2026, 3, 9))
"""
_LATE: Final = f'''\
{_WEEKEND}

def is_late(sent: date, days: int, today: date) -> bool:
    """Whether a parcel should have arrived before today."""
    return arrival(sent, days) < today
'''
_LATE_TEST: Final = """\
import unittest
from datetime import date

from parcels import is_late


class Late(unittest.TestCase):
    def test_a_parcel_is_late_the_day_after_its_arrival(self) -> None:
        self.assertFalse(is_late(date(2026, 3, 6), 2, date(2026, 3, 9)))
        self.assertTrue(is_late(date(2026, 3, 6), 2, date(2026, 3, 10)))
"""
_WORK: Final = {
    "US-001": {"parcels.py": _WEEKEND, "tests/test_sunday.py": _WEEKEND_TEST},
    "US-002": {"parcels.py": _LATE, "tests/test_late.py": _LATE_TEST},
}
_PROOF: Final = {
    "US-001": "tests/test_sunday.py::test_a_parcel_due_on_a_sunday_arrives_on_monday",
    "US-002": "tests/test_late.py::test_a_parcel_is_late_the_day_after_its_arrival",
}
_PLAN: Final = """\
STORIES_JSON: [
 {"id": "US-001", "title": "Deliver nothing on Sundays",
  "acceptanceCriteria": ["`arrival(date(2026, 3, 6), 2)` is Monday, 9 March"]},
 {"id": "US-002", "title": "Say whether a parcel is late", "dependsOn": ["US-001"],
  "acceptanceCriteria": ["`is_late` is true from the day after `arrival`"]}]
"""


def answer(request: ModelRequest) -> Turn:
    """A plan; then, for each story, a file in each turn of its first session, and a review."""
    _, kind = step_of(request)
    if kind == "plan":
        return summary(f"two stories\n{_PLAN}")
    story = next(name for name in _WORK if f"## Story {name}: " in request.prompt)
    files = list(_WORK[story].items())
    if kind == "coding" and request.turn < len(files):
        path, content = files[request.turn]
        folder = re.search(r"^- Folder: (.+)$", request.prompt, re.MULTILINE)
        assert folder
        return call("Write", file_path=f"{folder[1]}/{path}", content=content)
    if kind == "coding":
        return summary(f"it is done, with a test\nSIZE: small\nEVIDENCE:\n- AC-1 test {_PROOF[story]}")
    return summary("the change does what was asked")


# The session -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Day:
    """A user's machine: `home` has the repository, `programs` the agent."""

    home: Path
    programs: Path
    address: str

    def prepare(self, claude: Path) -> None:
        repository = self.home / "parcels"
        for path, text in FILES.items():
            (repository / path).parent.mkdir(parents=True, exist_ok=True)
            (repository / path).write_text(text)
        self.programs.mkdir()
        (self.programs / "claude").symlink_to(claude)
        (self.programs / "python3").symlink_to(Path(sys.base_prefix) / "bin/python3")
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Ada"),
            ("config", "user.email", "ada@example.com"),
            ("add", "-A"),
            ("commit", "-q", "-m", "feat: say when a parcel arrives"),
        ):
            subprocess.run(("git", *words), cwd=repository, check=True)

    def type(self, command: str) -> str:
        """What the command prints. At a terminal `init` asks whether checks may run: here the answer is yes."""
        agreed = {"SHIFTWORK_TRUST": "1"} if command.startswith("shiftwork init") else {}
        env = {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": "sk-ant-scripted",
            **agreed,
        }
        done = at_a_prompt(f"exec 2>&1; {command}", self.home / "parcels", env)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        printed = done.stdout.replace(str(self.home), HOME).replace(str(self.programs), "/usr/local/bin")
        return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def typed_again(page: str, day: Day) -> str:
    """The page with what its commands print now. `…` on a line of its own stands for lines that the page leaves out."""

    def again(found: re.Match[str]) -> str:
        rows = [row.splitlines() for row in re.split(r"^\$ ", found["body"], flags=re.MULTILINE)[1:]]
        texts = [
            "\n".join((f"$ {row[0]}", *fitted(_without_end(row[1:]), day.type(row[0]).splitlines()))) for row in rows
        ]
        return "\n".join(("```text session", "\n\n".join(texts), "```"))

    return _SESSION.sub(again, page)


def _without_end(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines


def fitted(shown: list[str], printed: list[str]) -> list[str]:
    """The printed lines in place of those shown, where these are the same but for what varies; else all of them."""
    rest, lines = list(printed), list[str]()
    if LEFT_OUT not in shown:
        return printed
    for line in shown:
        if line == LEFT_OUT:
            lines.append(line)
            continue
        while rest and comparable(rest[0]) != comparable(line):
            if not lines or lines[-1] != LEFT_OUT:
                return printed
            rest.pop(0)
        if not rest:
            return printed
        lines.append(rest.pop(0))
    return lines


def comparable(page: str) -> str:
    """Without what differs between two days: times, ids, the names of commits."""
    return re.sub(r"[ ]+", " ", _VARIES.sub("0", page))


def play(folder: Path, claude: Path) -> str:
    with ModelServer() as server:
        server.load("model", answer)
        day = Day(home=folder / "home", programs=folder / "bin", address=server.url("model"))
        day.prepare(claude)
        return typed_again(PAGE.read_text(encoding="utf-8"), day)


def main() -> None:
    found = subprocess.run(
        (sys.executable, ROOT / "scripts/agents.py", "claude"), stdout=subprocess.PIPE, text=True, check=True
    )
    with TemporaryDirectory() as folder:
        page = play(Path(folder), Path(found.stdout.strip()))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    os.umask(0o022)
    main()
