"""The scripted agent: in its first session of a story it breaks the code and calls it done, later it does the work."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.ordinary.row import Row

_SCRIPT: Final = """\
cat > /dev/null
echo "$SHIFTWORK_STORY" >> "{folder}/sessions"
stage=right
if [ "$(grep -c "^$SHIFTWORK_STORY\\$" "{folder}/sessions")" = 1 ] && [ -d "{folder}/$SHIFTWORK_STORY/broken" ]; then
  stage=broken
fi
cp -R "{folder}/$SHIFTWORK_STORY/$stage/." .
echo SUMMARY:
echo "all of it is done, and every test passes"
"""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """A script outside of the repository, with what it writes and what it has been asked beside it."""

    folder: Path

    @property
    def command(self) -> str:
        return f"sh {self.folder}/agent.sh"

    def sessions(self, number: int) -> int:
        """How many there were for the story of this number."""
        log = self.folder / "sessions"
        return log.read_text(encoding="utf-8").split().count(f"US-{number:03}") if log.exists() else 0


def agent_for(row: Row, folder: Path) -> Agent:
    for number, story in enumerate(row.stories, start=1):
        for stage, files in (("broken", story.broken), ("right", story.right)):
            for path, text in files.items():
                write(folder / f"US-{number:03}" / stage / path, text)
    write(folder / "agent.sh", _SCRIPT.format(folder=folder))
    return Agent(folder=folder)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
