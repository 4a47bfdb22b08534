"""Codex: how to start its headless mode, what it must leave alone, and where to find its session file."""

import json
import signal
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._codex_events import CodexTranscript
from shiftwork.adapters.agents._driver import HomeFiles, Launch, Transcript
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.agents.json_lines import SESSION_ID, clean
from shiftwork.adapters.agents.login.lender import FOLDER as LOGIN_FOLDER
from shiftwork.adapters.agents.login.lender import Login, Renewal
from shiftwork.adapters.agents.login.login_files import codex_credentials, codex_expires
from shiftwork.adapters.agents.outer_session import CODEX_SESSION
from shiftwork.adapters.processes.supervisor.supervise import MARKER_VARIABLE
from shiftwork.bounded import first_link
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.errors import AgentLoginError
from shiftwork.ports.agent import Agent, AgentEvent, AgentReport, AgentTask
from shiftwork.records import dataclass

TOOLBOX: Final = "shiftwork"
"""The agent calls the harness's tools by the names `mcp__shiftwork__<tool>`."""

_PROVIDER: Final = "shiftwork"
_KEY: Final = "CODEX_API_KEY"
_SESSION_BYTES: Final = 64 * 1024 * 1024

_ALWAYS: Final = (
    "--json",
    # Headless, no question would be answered; the harness provides the sandbox.
    "--dangerously-bypass-approvals-and-sandbox",
    "--skip-git-repo-check",
    # Otherwise a refused connection is retried forever.
    "--disable", "unbounded_connection_retries",
    # These two contact a server, and cost seconds if it does not answer.
    "--disable", "plugins",
    "--disable", "apps",
    "-c", "analytics.enabled=false",
    "-c", "check_for_update_on_startup=false",
)  # fmt: skip

_SHOWN: Final = (
    "AGENTS.md",
    "AGENTS.override.md",
    "bin",
    "config.toml",
    "hooks.json",
    "packages",
    "prompts",
    "rules",
    "skills",
)
"""What a session reads in the agent's folder: programs to run, the agent's instructions, and perhaps the agent itself.
"""

_LOGGED_OUT: Final = "Not logged in"


def build(given: AgentOptions) -> Agent:
    """Codex itself only reads CODEX_API_KEY: a key for another purpose must not take precedence over a login."""
    address, key = given.env.get("OPENAI_BASE_URL", ""), given.env.get("CODEX_API_KEY") or None
    driver = Codex(program=given.program, env=given.env, endpoint=CodexEndpoint(base_url=address, api_key=key))
    return ProcessAgent(driver, given.sandbox, lender=given.lender)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexEndpoint:
    """The model's address and API key; without a key, the user's own login and settings are used."""

    base_url: str = ""
    api_key: str | None = None
    retries: int = 4


class Codex:
    """Drives `codex exec`, the native binary rather than the wrapper that npm installs.

    With a key, every attempt has its own CODEX_HOME. Without a key it is the user's, as in `env`, because the login is
    there; the servers and the model in their settings then apply, too.
    """

    def __init__(
        self,
        *,
        program: Path,
        env: Mapping[str, str],
        endpoint: CodexEndpoint = CodexEndpoint(),  # noqa: B008 - frozen
    ) -> None:
        # On SIGINT it ends the commands that it has started; on SIGTERM it leaves them running.
        self.stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGINT, 5.0),)
        self._program = str(program)
        self._env = {name: value for name, value in env.items() if name not in CODEX_SESSION}
        self._endpoint = endpoint

    def launch(self, task: AgentTask) -> Launch:
        argv = [self._program, "exec", *(("resume",) if task.resume else ()), *_ALWAYS, *self._provider()]
        if task.toolbox:
            argv += _mcp_config(task.toolbox)
        if task.model:
            argv += ["--model", task.model]
        # The folder of a private home must exist, so an empty settings file is created there.
        private, env = self._endpoint.api_key is not None, self._environment(task)
        return Launch(
            argv=(*argv, *((task.resume.id,) if task.resume else ()), "-"),
            env=env,
            stdin=task.prompt.encode(errors="replace"),
            files={"codex/config.toml": ""} if private else {},
            home_files=HomeFiles() if private else HomeFiles(login=self._login(_folder(env))),
        )

    def transcript(self, task: AgentTask) -> Transcript:
        # A confined session has its own folder.
        earlier = task.resume.usage if task.resume else NOTHING_USED
        return _Session((task.home / LOGIN_FOLDER, _folder(self._environment(task))), earlier)

    def version_argv(self) -> tuple[str, ...]:
        return (self._program, "--version")

    def login_argv(self) -> tuple[str, ...]:
        return () if self._endpoint.api_key is not None else (self._program, "login", "status")

    def login(self, printed: str) -> str:
        """A provider from the user's own settings needs no login; warnings are printed before the answer."""
        if self._endpoint.api_key is not None:
            return "with an API key"
        said = next((line for line in printed.splitlines() if not line.startswith("WARNING")), "")
        if said != _LOGGED_OUT:
            return said
        if provider := _own_provider(_folder(self._env)):
            return f"with your own provider {provider}"
        raise AgentLoginError("Codex is not logged in", hint=f"{Path(self._program).name} login, or set CODEX_API_KEY")

    def install_hint(self) -> str:
        return "npm install -g @openai/codex, then run `codex login` once, or set CODEX_API_KEY"

    def _login(self, folder: Path) -> Login:
        credentials = folder / "auth.json"
        return Login(
            folder=folder,
            credentials=credentials,
            expires=codex_expires,
            renewal=_renewal(self._program, self._env),
            shown=_SHOWN,
            lent={credentials: codex_credentials},
        )

    def _environment(self, task: AgentTask) -> dict[str, str]:
        env = {**self._env, **task.env, "TMPDIR": str(task.home / "tmp"), "PWD": str(task.workdir)}
        if self._endpoint.api_key is not None:
            # Not below TMPDIR, where it refuses to keep its programs.
            env |= {"HOME": str(task.home), "CODEX_HOME": str(task.home / "codex"), _KEY: self._endpoint.api_key}
        return env

    def _provider(self) -> Iterator[str]:
        if self._endpoint.api_key is None:
            return
        # Only the agent needs the key, not the commands that it runs.
        yield from _set("shell_environment_policy.exclude", _written([_KEY]))
        if self._endpoint.base_url:
            given = {
                "name": _written(_PROVIDER),
                "base_url": _written(self._endpoint.base_url),
                "wire_api": '"responses"',
                "env_key": _written(_KEY),
                "request_max_retries": str(self._endpoint.retries),
                "stream_max_retries": str(self._endpoint.retries),
            }
            yield from _set(f"model_providers.{_PROVIDER}", _table(given))
            yield from _set("model_provider", _written(_PROVIDER))


class _Session:
    """Reads the output, and at the end Codex's own session file, which has more details in typed form."""

    def __init__(self, folders: tuple[Path, ...], earlier: Usage) -> None:
        self._folders = folders
        self._printed = CodexTranscript(earlier)

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        return self._printed.feed(line)

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        if SESSION_ID.fullmatch(self._printed.thread):
            folder = next((place for place in self._folders if place.is_dir()), self._folders[-1]) / "sessions"
            for path in folder.glob(f"*/*/*/rollout-*-{self._printed.thread}.jsonl"):
                # The agent's commands can write there: reading a pipe would block, and a link may lead anywhere.
                if path.is_file() and first_link(folder.parent, path) is None:
                    self._printed.feed_session(_lines(path))
        return self._printed.verdict(exit_code, stderr)


def _renewal(program: str, env: Mapping[str, str]) -> Renewal:
    """Any session renews the login. This session may change nothing and has the smallest possible task."""
    flags = ("--json", "--skip-git-repo-check", "--sandbox", "read-only", "--disable", "unbounded_connection_retries")
    return Renewal(argv=(program, "exec", *flags, "-"), env=env, stdin=b"Answer with the word OK.")


def _folder(env: Mapping[str, str]) -> Path:
    return Path(env.get("CODEX_HOME") or f"{env.get('HOME', '')}/.codex")


def _own_provider(folder: Path) -> str:
    """Returns the provider in the user's own settings; empty if it is the provider that needs a login."""
    try:
        named = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")).get("model_provider")
    except (OSError, ValueError):
        return ""
    return clean(named) if isinstance(named, str) and named != "openai" else ""


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while file.tell() < _SESSION_BYTES and (line := file.readline(_SESSION_BYTES)):
                yield line
    except OSError:
        # The file is optional: without it, only the model's name and the end of a limit are unknown.
        return


def _mcp_config(command: tuple[str, ...]) -> Iterator[str]:
    server = {
        "command": _written(command[0]),
        "args": _written(list(command[1:])),
        # Without it Codex does not wait for the tools, and a session may begin without them.
        "required": "true",
        "startup_timeout_sec": "60",
        # A server gets only a few standard variables and these.
        "env_vars": _written([MARKER_VARIABLE]),
    }
    return _set(f"mcp_servers.{TOOLBOX}", _table(server))


def _set(key: str, value: str) -> Iterator[str]:
    yield from ("-c", f"{key}={value}")


def _written(value: str | list[str]) -> str:
    """Returns the value as TOML: JSON strings and lists are valid TOML once DEL is escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(entries: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{key}={value}" for key, value in entries.items()) + "}"
