"""Which landed stories of a run its branch no longer has, for commands that only read: `run`, `resume` and `retry`
record what they find, these only show it.

What was found is kept in a file beside the history: git is asked again only after the branch has moved, or more has
landed.
"""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.app.views.missing_stories import landed_commits, with_missing
from shiftwork.app.views.run_views import RunView
from shiftwork.bounded import read_bytes
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import Commit
from shiftwork.errors import ShiftworkError
from shiftwork.git_folders import branch_commit, holding_branch
from shiftwork.ports.store import History
from shiftwork.records import dataclass

_FOLDER: Final = "landed"
_LARGEST: Final = 1 << 20
_BETWEEN: Final = "\n\n\n"
"""Between what was asked and the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """The tips of the branch and of its holding branch, and what each story of the run has landed."""

    run: str
    tips: tuple[Commit, ...]
    commits: Mapping[str, str]

    @property
    def text(self) -> str:
        return "\n".join((*self.tips, "", *sorted(self.commits.values())))


def seen_on_branch(site: Site, env: Mapping[str, str], history: History, view: RunView) -> RunView:
    """The run as its branch is now. Starts an event loop only if the branch has moved since it was last looked at."""
    known = _last_answer(site, view)
    if isinstance(known, _Question):
        import asyncio  # noqa: PLC0415 - slow to import, and rarely needed

        known = asyncio.run(_look(site, env, history, known))
    return with_missing(view, known)


async def look_on_branch(site: Site, env: Mapping[str, str], history: History, view: RunView) -> RunView:
    """As `seen_on_branch`, for callers that have an event loop."""
    known = _last_answer(site, view)
    return with_missing(view, await _look(site, env, history, known) if isinstance(known, _Question) else known)


def _last_answer(site: Site, view: RunView) -> frozenset[str] | _Question:
    """The stories that were missing when this was last looked for, or what to look for now. A branch that does not
    exist says nothing about its work.
    """
    commits, branch = landed_commits(view), view.run.branch
    tip = branch_commit(site.shared, branch) if commits else ""
    if not tip:
        return frozenset()
    tips = filter(None, (tip, branch_commit(site.shared, holding_branch(branch))))
    question = _Question(run=view.run.run, tips=tuple(map(Commit, tips)), commits=commits)
    with contextlib.suppress(OSError):
        asked, _, found = read_bytes(_file(site, question.run), _LARGEST).decode(errors="replace").partition(_BETWEEN)
        if asked == question.text:
            return frozenset(found.splitlines())
    return question


async def _look(site: Site, env: Mapping[str, str], history: History, question: _Question) -> frozenset[str]:
    """What cannot be found out is not missing: commands work without an answer."""
    from shiftwork.app.folds import RUN, load  # noqa: PLC0415 - slow to import, and rarely needed
    from shiftwork.bootstrap.state.open_git import has_landed, missing_at  # noqa: PLC0415 - as above
    from shiftwork.domain.core.ids import RunId, run_stream  # noqa: PLC0415 - as above
    from shiftwork.domain.run.lost_work import landed_work  # noqa: PLC0415 - as above

    missing = frozenset[str]()
    try:
        if not await has_landed(site, env, question.tips, tuple(question.commits.values())):
            run = await load(history, RUN, run_stream(RunId(question.run)))
            works = [work for work in landed_work(run) if question.commits.get(work.story) == work.commit]
            gone = await missing_at(site, env, question.tips, works)
            missing = frozenset(work.story for work in works if work.commit in gone)
    except (ShiftworkError, OSError):
        return missing
    _remember(site, question, missing)
    return missing


def _remember(site: Site, question: _Question, missing: frozenset[str]) -> None:
    file = _file(site, question.run)
    with contextlib.suppress(OSError):
        file.parent.mkdir(exist_ok=True, mode=0o700)
        file.write_text(_BETWEEN.join((question.text, "\n".join(sorted(missing)))), encoding="utf-8")


def _file(site: Site, run: str) -> Path:
    return site.state / _FOLDER / f"{run}.txt"
