"""Another project on the same database with its own run: neither project may see anything of the other."""

import random
import time
from pathlib import Path
from typing import Final

from tests.chaos.checks import Inspector
from tests.chaos.prey import Orchestrator, kill_everything
from tests.chaos.project import Needs, make_project
from tests.chaos.user import User

NAME: Final = "neighbour"
NEEDS: Final[Needs] = {"US-001": (), "US-002": ("US-001",)}
"""Named like stories of the other project, on purpose."""

_LONGEST_SECONDS: Final = 600.0
UNREACHABLE: Final = "check that the server is running"


class Neighbour:
    """Is started beside a trial and left alone; where its database was away when it came, it is started again."""

    def __init__(self, root: Path, store_url: str) -> None:
        self._bench = make_project(root, store_url, NAME, NEEDS)
        user = User(bench=self._bench, chance=random.Random(0))  # noqa: S311 - who does nothing
        self._inspector = Inspector(bench=self._bench, user=user, project=NAME, needs=NEEDS)
        self._orchestrator = self._start()

    @property
    def at_work(self) -> bool:
        return self._orchestrator.code is None

    def finish(self) -> list[str]:
        """Wait for its end; what is wrong then."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        try:
            while (code := self._orchestrator.code) != 0:
                if code is not None:
                    said = self._orchestrator.output.read_text(errors="replace").strip()[-1500:]
                    if UNREACHABLE not in said:
                        return [f"{NAME}: it gave up with exit code {code}: {said}"]
                    self._orchestrator = self._start()
                if time.monotonic() > deadline:
                    return [f"{NAME}: its run did not end"]
                time.sleep(0.1)
            return [f"{NAME}: {violation}" for violation in self._inspector.at_the_end()]
        finally:
            kill_everything(self._bench)

    def _start(self) -> Orchestrator:
        run = self._inspector.run
        return Orchestrator(self._bench, ("resume", run) if run else ("run", "../prd.json"), "")
