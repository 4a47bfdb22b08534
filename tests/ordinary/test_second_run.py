"""The next run reuses what is known of the base and the gates, and checks nothing again before its first session."""

from pathlib import Path
from typing import Final

import pytest

from tests.ordinary.agent import write
from tests.ordinary.every import ROWS
from tests.ordinary.trial import built, commit
from tests.ordinary.user import User

pytestmark = [pytest.mark.ordinary, pytest.mark.slow, pytest.mark.timeout(1800)]

ROW: Final = ROWS["make"]

_AGENT: Final = """\
cat > /dev/null
echo session >> "{folder}/starts"
cp -R "{folder}/work/$(grep -c '^session$' "{folder}/starts")/." .
echo SUMMARY:
echo "done"
"""

_SETTINGS: Final = """\
[agent]
use = "command"
command = "sh {folder}/agent.sh"

[workspace]
setup = "echo setup >> {folder}/starts"

[gates]
test = "echo gate >> {folder}/starts; python3 -m unittest discover -s tests"

[run]
workflow = "ralph"

[sandbox.agents]
writable = ["{folder}"]

[sandbox.gates]
writable = ["{folder}"]
"""


def _starts(user: User, sentence: str, log: Path) -> list[str]:
    """Which processes were started for a run, in their order: the setup's, gates' and agents' own words."""
    before = len(log.read_text(encoding="utf-8").split()) if log.exists() else 0
    run = user.shiftwork("run", sentence)
    assert run.returncode == 0, run
    return log.read_text(encoding="utf-8").split()[before:]


@pytest.fixture
def user(tmp_path: Path) -> User:
    made = built(ROW, tmp_path)
    attempt_folder = tmp_path / "desk"
    write(made.root / "shiftwork.toml", _SETTINGS.format(folder=attempt_folder))
    commit(made, "settings")
    write(attempt_folder / "agent.sh", _AGENT.format(folder=attempt_folder))
    for number, story in enumerate(ROW.stories, start=1):
        for path, text in story.right.items():
            write(attempt_folder / "work" / str(number) / path, text)
    return made


def test_the_second_run_starts_nothing_before_its_first_session(user: User, tmp_path: Path) -> None:
    log = tmp_path / "desk" / "starts"
    first = _starts(user, "Count the pieces in the cart", log)
    assert "gate" in first[: first.index("session")], "the first time, gates are tried before a session is paid for"
    second = _starts(user, "Empty the cart", log)
    assert second[0] == "session", second
    assert "gate" in second, "what lands was checked"
