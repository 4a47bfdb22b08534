"""A branch that the user moves between our last look at it and the move."""

import asyncio
import shutil
from pathlib import Path

from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.ports.workspace import Missed
from shiftwork.records import replace
from tests.conformance.workspace.git.git_rig import GitRig

_LATE = """\
#!/bin/sh
case " $* " in *" update-ref --create-reflog "*) {git} update-ref refs/heads/main {mine} {old} ;; esac
exec {git} "$@"
"""


def test_a_commit_of_the_last_moment_stays_on_the_branch(elsewhere: GitRig, tmp_path: Path) -> None:
    candidate = elsewhere.candidate(elsewhere.story({"new.txt": "n\n"}))
    mine = elsewhere.user.commit("mine", {"mine.txt": "m\n"})
    program = tmp_path / "late-git"
    program.write_text(_LATE.format(git=shutil.which("git"), mine=mine, old=candidate.base))
    program.chmod(0o755)
    user = replace(elsewhere.hub.user, program=str(program))
    repository = GitRepository(hub=replace(elsewhere.hub, user=user))
    assert asyncio.run(repository.move("main", candidate)) == Missed()
    assert elsewhere.user.at("main") == mine
