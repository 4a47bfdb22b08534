"""The tools that hand work to Shiftwork: each is a command of the command line, and its answer the document that this
prints. They agree to nothing: a repository that is not trusted is refused, and only a person approves or raises limits.
"""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.error_document import Error
from shiftwork.bootstrap import run_request
from shiftwork.config.site import Site, find_site
from shiftwork.entrypoints.mcp import run_arguments
from shiftwork.entrypoints.mcp.mcp_server import RefusedCall
from shiftwork.entrypoints.mcp.quoting import CALL_PLAN, CALL_WAIT, STARTING, quote_texts
from shiftwork.entrypoints.mcp.run_changes import changes, is_over, needs
from shiftwork.entrypoints.mcp.run_process import Document, RunProcess
from shiftwork.entrypoints.mcp.run_tools import LONGEST_WAIT, WAIT
from shiftwork.errors import EXIT_FAILED, EXIT_USAGE, ShiftworkError

_QUICK_SECONDS: Final = 60
_PLAN_SECONDS: Final = 45
_LOOK_SECONDS: Final = 0.5
_FRESH_SECONDS: Final = 5
"""A look at the database misses that a worker has died."""
_LEAST_SECONDS: Final = 1.5
"""Between two looks at a run, each of which is a process."""


class RunToolbox:
    """The tools for one client, in one repository. Several may be called at once."""

    def __init__(self, root: Path, env: Mapping[str, str], closing: threading.Event) -> None:
        self._root = root
        self._env = env
        self._closing = closing
        self._seen: dict[str, Document] = {}
        self._plans: dict[str, RunProcess] = {}
        self._starting: RunProcess | None = None
        """The last `run` whose result no call has returned yet."""
        self._lock = threading.Lock()

    def plan(self, request: str = "", spec: str = "", max_cost: float | None = None) -> Document:
        work = run_request.work_of(self._root, request, spec)
        process = self._plans.pop(work, None)
        if process is None:
            limits = self._limits({"max_cost": max_cost})
            process = self._begin("plan", "--json", *limits, "--", work)
        if not process.until(lambda: process.over, _PLAN_SECONDS):
            self._plans[work] = process
            return {"planning": True, "next": CALL_PLAN}
        return _result(process)

    def start(  # noqa: PLR0913 - the options of a run
        self,
        request: str = "",
        spec: str = "",
        workflow: str = "",
        parallel: int | None = None,
        *,
        keep_going: bool = False,
        review: bool = False,
        **limits: float | None,
    ) -> Document:
        work = run_request.work_of(self._root, request, spec)
        options = (
            *run_request.workflow_words(workflow),
            *((f"--parallel={parallel}",) if parallel is not None else ()),
            *(("--keep-going",) if keep_going else ()),
            *(("--review",) if review else ()),
            *self._limits(limits),
        )
        starting = self._begin("run", "--detach", "--json", *options, "--", work)
        with self._lock:
            self._starting = starting
        return self._started(starting, _QUICK_SECONDS)

    def status(self, run: str = "") -> Document:
        return self._remember(self._look(run))

    def wait(self, run: str = "", seconds: float = WAIT) -> Document:
        begun = time.monotonic()
        until = begun + (min(seconds, LONGEST_WAIT) if seconds > 0 else 0)
        if not run and (starting := self._starting):
            document = self._started(starting, until - time.monotonic())
            if document.get("run") is None:
                return document
            run = str(document["run"])
        now = self._look(run)
        before = self._seen.get(str(now.get("run")), {})
        while not (found := changes(before, now)) and not is_over(now):
            if not self._pause(until):
                break
            now = self._look(str(now.get("run")))
        self._remember(now)
        return {
            **{key: now.get(key) for key in ("run", "title", "status", "activity")},
            "over": is_over(now),
            "changed": found,
            "needs": needs(now),
            "waited_seconds": round(time.monotonic() - begun, 1),
        }

    def answer(self, story: str, text: str, run: str = "") -> Document:
        named = run_arguments.run_words(run, "--run")
        words = (run_arguments.story_of(story), run_arguments.answer_of(text))
        process = self._begin("answer", "--json", *named, "--", *words)
        process.until(lambda: process.over or process.begun is not None, _QUICK_SECONDS)
        if process.over:
            return _result(process)
        return {"story": story, "answered": process.begun is not None, "next": CALL_WAIT}

    def cancel(self, run: str = "", story: str = "") -> Document:
        one = (f"--story={run_arguments.story_of(story)}",) if story else ()
        process = self._begin("cancel", "--json", *one, *run_arguments.run_words(run))
        if not process.until(lambda: process.over, _QUICK_SECONDS):
            return {"run": run or None, "cancelling": True, "next": CALL_WAIT}
        return _result(process)

    def _begin(self, *words: str) -> RunProcess:
        return RunProcess(self._root, words, self._env)

    def _started(self, process: RunProcess, seconds: float) -> Document:
        """The run that the process has started. Its result is given once: an error is in no later look at runs."""
        if not process.until(lambda: process.over, seconds):
            return {"run": None, "starting": True, "next": STARTING}
        with self._lock:
            self._starting = None if self._starting is process else self._starting
        result = _result(process)
        return self._remember(self._look(result["run"])) if result.get("run") else result

    def _look(self, run: str) -> Document:
        process = self._begin("status", "--json", *run_arguments.run_words(run))
        process.until(lambda: process.over, _QUICK_SECONDS)
        return _result(process)

    def _remember(self, document: Document) -> Document:
        self._seen[str(document.get("run"))] = document
        return document

    def _limits(self, limits: Mapping[str, float | None]) -> tuple[str, ...]:
        from shiftwork.config.settings.settings import load_settings  # noqa: PLC0415 - most calls need no settings

        given = {name: value for name, value in limits.items() if value is not None}
        if not given:
            return ()
        settings = load_settings(self._root, self._env).limits
        return tuple(run_arguments.limit_words(given, settings))

    def _pause(self, until: float) -> bool:
        """Waits until the history may have changed; False if the time is up or the client has gone."""
        begun, stamp = time.monotonic(), self._stamp()
        while not self._closing.wait(_LOOK_SECONDS):
            now = time.monotonic()
            if now >= until:
                return False
            moved = now - begun >= _LEAST_SECONDS and self._stamp() != stamp
            if moved or now - begun >= _FRESH_SECONDS:
                return True
        return False

    def _stamp(self) -> tuple[int, ...]:
        """Differs after every change of a history in a file; another database is only looked at now and then."""
        store = self._site().own_store
        return tuple(_changed(Path(f"{store}{ending}")) for ending in ("", "-wal"))

    def _site(self) -> Site:
        return find_site(self._root, self._env, reading=False)


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _result(process: RunProcess) -> Document:
    """The last document of a command that has ended. Raises RefusedCall if it is an error."""
    last = process.last
    if str(last.get("schema", "")).startswith("shiftwork/error/"):
        raise RefusedCall(last)
    if not process.over or not last:
        raise RefusedCall(refusal("unanswered", "the command gave no answer", "shiftwork doctor", EXIT_FAILED))
    return last


def refusal(kind: str, message: str, hint: str, exit_code: int = EXIT_USAGE) -> Document:
    return to_json(Error(kind=kind, message=message, hint=hint, exit_code=exit_code))


def called(toolbox: RunToolbox, name: str, arguments: dict[str, Any]) -> Document:
    """Calls a tool by its name. Raises RefusedCall with an error document. The words of others are quoted in both."""
    try:
        answer: Document = getattr(toolbox, name)(**arguments)
    except RefusedCall as refused:
        raise RefusedCall(quote_texts(refused.document)) from refused
    except ShiftworkError as error:
        document = refusal(error.kind, error.message, error.hint, error.exit_code)
        raise RefusedCall(quote_texts(document)) from error
    except OSError as error:
        document = refusal("files", str(error), "shiftwork doctor", EXIT_FAILED)
        raise RefusedCall(quote_texts(document)) from error
    except Exception as error:
        document = refusal("internal", f"{type(error).__name__}: {error}", "shiftwork doctor", EXIT_FAILED)
        raise RefusedCall(quote_texts(document)) from error
    return quote_texts(answer)
