"""Runs the demo: a new repository, the real engine, history, git, gates and landing, and a scripted agent."""

import contextlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import click

from shiftwork.app.commands.runs import Order
from shiftwork.app.views import amounts
from shiftwork.app.views.documents.commands.server_documents import BoardLink
from shiftwork.app.views.documents.document import moment
from shiftwork.app.views.documents.run_documents import result_document
from shiftwork.app.views.documents.run_records import EmptyResult
from shiftwork.app.views.live.board import Change
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.config.site import CACHE_HOME, STATE_HOME, Site, environment, find_site, state_home
from shiftwork.domain.core.ids import RunId, landing_stream
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.workflow.workflow import AUTO
from shiftwork.entrypoints.cli.demo.demo_script import FIRST_TESTS, REQUEST, START, overconfident
from shiftwork.entrypoints.cli.env.signals import ASKING
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.work import announcement
from shiftwork.entrypoints.cli.work.foreground import Shift, Stop, carry, chosen_view
from shiftwork.entrypoints.cli.work.run_command import starting
from shiftwork.entrypoints.cli.work.summary import exit_code
from shiftwork.entrypoints.host.board_link import ensure_board
from shiftwork.errors import EXIT_INTERRUPTED
from shiftwork.records import dataclass
from shiftwork.search_paths import tool

_BRANCH: Final = "main"
_AGENT: Final = "scripted"
_TIER: Final = "SHIFTWORK_SANDBOX"
_LOOK_SECONDS: Final = 0.1
_READ_SECONDS: Final = 2.0
"""How long the board is empty, so that a person sees where the run will appear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """The demo's repository; `site` ignores the user's environment, so its history stays in its own folder."""

    site: Site
    gate: str
    keep: bool
    web: bool
    as_json: bool


def run(*, keep: bool, web: bool, as_json: bool) -> int:
    folder = Path(tempfile.mkdtemp(prefix="shiftwork-demo-"))
    cache = folder.with_name(f"{folder.name}-cache")
    try:
        _make_repository(folder)
        gate = f"{shlex.quote(_python())} -m unittest -v"
        # A kept repository becomes the user's project: commands typed there must find it.
        site = find_site(
            folder, {CACHE_HOME: str(cache), STATE_HOME: str(state_home(environment()) if keep else cache)}
        )
        stage = _Stage(site=site, gate=gate, keep=keep, web=web, as_json=as_json)
        return _watched(stage) if web else _play(stage)
    finally:
        for made in (cache,) if keep else (cache, folder):
            shutil.rmtree(made, ignore_errors=True)


def _watched(stage: _Stage) -> int:
    """On the web board, which stays until Ctrl-C."""
    ensure_board()
    from shiftwork.entrypoints.host.board_beside import board_beside  # noqa: PLC0415 - needs the extra

    code = EXIT_INTERRUPTED
    with board_beside(stage.site) as board, _until_ctrl_c(stage):
        _end_as_by_ctrl_c()
        if stage.as_json:
            say(BoardLink(address=board.address, link=board.link, expires_at=moment(board.expires_at)))
        else:
            click.echo(f"{board.link}\nOpen this link: the demo begins when the page is there. Ctrl-C ends it.\n")
        while not board.is_open:
            time.sleep(_LOOK_SECONDS)
        time.sleep(_READ_SECONDS)
        code = _play(stage)
        if code == EXIT_INTERRUPTED:
            return code
        _end_as_by_ctrl_c()  # the run has had handlers of its own
        if not stage.as_json:
            click.echo(f"\nThe board is at {board.address} until Ctrl-C.")
        threading.Event().wait()
    return code


@contextlib.contextmanager
def _until_ctrl_c(stage: _Stage) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if not stage.as_json:
            click.echo("\nThe board has ended.")  # on a line of its own, after ^C


def _end_as_by_ctrl_c() -> None:
    """A terminal that is closed ends the demo in order, too. It often sends several signals: the first one counts."""

    def end(number: int, frame: FrameType | None) -> None:
        for other in handled - {signal.SIGINT}:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.default_int_handler(number, frame)

    handled = {number for number in ASKING if signal.getsignal(number) is not signal.SIG_IGN}
    for number in handled:
        signal.signal(number, end)


def _play(stage: _Stage) -> int:
    if not stage.as_json:
        click.echo(f"a small repository, one gate ({stage.gate}), a scripted agent")
    settings = _settings(stage)
    announcement.report_sandbox(stage.site, settings, as_json=stage.as_json)
    if not stage.as_json:
        click.echo("")
    order = Order(
        spec=one_shot(REQUEST),
        workflow=AUTO,
        branch=_BRANCH,
        landing=landing_stream(stage.site.project, _BRANCH),
        agent=_AGENT,
    )
    shift = Shift(
        site=stage.site,
        settings=settings,
        begin=starting(order),
        agents={_AGENT: overconfident()},
    )
    watching = chosen_view(REQUEST, as_json=stage.as_json)
    run_id, stop = carry(shift, watching)
    return _conclude(stage, run_id, stop, watching.board.changes)


def _settings(stage: _Stage) -> Settings:
    """The defaults, with the sandbox tier of the user's environment; the gate may need the Python that runs this."""
    known = load_settings(stage.site.root, {_TIER: environment().get(_TIER, "")})
    python = tuple(dict.fromkeys((sys.prefix, sys.base_prefix))) if sys.executable in stage.gate else ()
    gates = known.sandbox.gates.model_copy(update={"readable": python})
    sandbox = known.sandbox.model_copy(update={"gates": gates})
    return known.model_copy(update={"gates": {"test": stage.gate}, "sandbox": sandbox})


def _python() -> str:
    found = shutil.which("python3", path=environment().get("PATH"))
    return "python3" if found else sys.executable


def _make_repository(folder: Path) -> None:
    for name, text in (("stats.py", START), ("test_stats.py", FIRST_TESTS), (".gitignore", "__pycache__/\n")):
        (folder / name).write_text(text, encoding="utf-8")
    _git(folder, "init", "--quiet", f"--initial-branch={_BRANCH}")
    _git(folder, "config", "user.name", "You")
    _git(folder, "config", "user.email", "you@example.org")
    _git(folder, "add", "-A")
    _git(folder, "commit", "--quiet", "--message", "A small library of statistics")


def _git(folder: Path, *words_of_git: str) -> str:
    """Without the user's git settings: a demo must not use their signing, hooks and templates."""
    env = {name: value for name, value in environment().items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    asked = (tool("git", env, (folder,)) or "git", "-C", str(folder), *words_of_git)
    completed = subprocess.run(asked, cwd="/", env=env, capture_output=True, text=True, check=True)  # noqa: S603 - fixed words
    return completed.stdout.rstrip()


def _conclude(stage: _Stage, run: RunId | None, stop: Stop, changes: Sequence[Change]) -> int:
    view = answer(lambda: run_view(open_queries(stage.site), run, liveness())) if run else None
    code = exit_code(view, stop) if view else EXIT_INTERRUPTED
    folder = str(stage.site.root) if stage.keep else ""
    if stage.as_json:
        empty = EmptyResult(stop=stop, exit_code=code)
        say(result_document(view, stop=stop, exit_code=code, folder=folder) if view else empty)
    else:
        click.echo("\n" + "\n".join(_output(stage, view, changes)))
    return code


def _output(stage: _Stage, view: RunView | None, changes: Sequence[Change]) -> Iterator[str]:
    if view is None or view.run.status != "completed":
        yield "the demo did not finish"
    else:
        yield from _proof(view, changes)
        yield ""
        yield from (f"  {line}" for line in _git(stage.site.root, "log", "--stat", "--format=%h %s", "-1").split("\n"))
    yield ""
    if stage.keep:
        yield f"kept: cd {stage.site.root} && shiftwork status"
    else:
        gone = "is removed at the end" if stage.web else "has been removed"
        yield f"the repository {gone}; shiftwork demo --keep leaves it in place"
        yield "next, in a repository of your own: shiftwork init"


def _proof(view: RunView, changes: Sequence[Change]) -> Iterator[str]:
    """What was proved, from the recorded changes."""
    landed = view.stories[0].story.landing
    refused = [change for change in changes if change.event == "landing_refused"]
    gates = next((change.text for change in reversed(changes) if change.event == "gates_passed"), "")
    attempts = sum(step.attempts for step in view.stories[0].steps)
    yield "The agent said it was done. Its code was wrong, and nothing landed."
    yield "What the gate printed went into a repair; the commit that landed has passed it."
    yield ""
    yield phrases.facts(
        [
            ("landed", f"{landed.commit[:10]} on {landed.ref}, which was never red"),
            ("gates", f"{gates}, on {landed.commit[:10]}"),
            ("refused", f"{len(refused)} time" + ("s" if len(refused) != 1 else "")),
            ("attempts", f"{attempts} sessions in {len(view.stories[0].steps)} steps, each a fresh one"),
            ("took", phrases.took(view)),
            ("cost", amounts.cost(view.used)),
        ]
    )
