"""Claude Code: how to start its headless mode, and what it must leave alone. `_claude_events` reads its events."""

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._claude_events import ClaudeTranscript
from shiftwork.adapters.agents._driver import HomeFiles, Launch, Transcript
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.agent_options import AgentOptions
from shiftwork.adapters.agents.json_lines import parse, text
from shiftwork.adapters.agents.login.lender import Login, Renewal
from shiftwork.adapters.agents.login.login_files import claude_credentials, claude_expires, claude_state
from shiftwork.adapters.agents.outer_session import CLAUDE_CODE_SESSION
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.errors import AgentLoginError
from shiftwork.ports.agent import Agent, AgentTask
from shiftwork.records import dataclass

TOOLBOX: Final = "shiftwork"
"""The agent calls the harness's tools by the names `mcp__shiftwork__<tool>`."""

_LEAST_USD: Final = 0.000001
"""The smallest budget, because Claude Code refuses a budget of zero."""

_QUIET: Final = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # A background task keeps the process alive long after its final event.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
}

_PATIENT: Final = {"MCP_TIMEOUT": "60000"}
"""Milliseconds that Claude Code waits for the tools to start: with its default of 30 seconds a session could begin
without them. The user's own value takes precedence.
"""

_SHOWN: Final = (
    "settings.json",
    "settings.local.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "hooks",
    "local",
    "output-styles",
    "plugins",
    "rules",
    "skills",
    "workflows",
)
"""What a session reads in the agent's folder: programs to run, the agent's instructions, and perhaps the agent itself.
"""

_OTHER_LOGINS: Final = frozenset({"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"})
"""Claude Code prefers these to an API key; they are removed if a key is given."""


def build(given: AgentOptions) -> Agent:
    """With a key in the environment every attempt has a home of its own; otherwise the user's login is used."""
    key = given.env.get("ANTHROPIC_API_KEY") or None  # an empty variable is no key
    driver = ClaudeCode(
        program=given.program,
        env=given.env,
        endpoint=Endpoint(api_key=key),
        private_home=key is not None,
        allow_root=os.geteuid() == 0,
    )
    return ProcessAgent(driver, given.sandbox, lender=given.lender)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The model's address and API key; empty values mean the user's own login and settings."""

    base_url: str = ""
    api_key: str | None = None


class ClaudeCode:
    """Drives `claude -p`.

    The user's login is found through the home in `env`, unless `private_home` gives every attempt its own; a private
    home has no login, so it needs an API key. `allow_root` says that this process is root: Claude Code then refuses to
    work without prompts, unless a variable says that it runs in a sandbox.
    """

    def __init__(
        self,
        *,
        program: Path,
        env: Mapping[str, str],
        endpoint: Endpoint = Endpoint(),  # noqa: B008 - frozen
        private_home: bool = False,
        allow_root: bool = False,
    ) -> None:
        self.stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
        self._program = str(program)
        self._env = dict(env)
        self._endpoint = endpoint
        self._private_home = private_home
        self._allow_root = allow_root

    def launch(self, task: AgentTask) -> Launch:
        argv = [self._program, "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        # Strict even without a toolbox: servers in the user's own settings are not part of the attempt.
        argv.append("--strict-mcp-config")
        if task.toolbox:
            argv += ["--mcp-config", _mcp_config(task.toolbox)]
        if task.resume:
            argv += ["--resume", task.resume.id]
        if task.model:
            argv += ["--model", task.model]
        if task.limits.cost_usd is not None:
            argv += ["--max-budget-usd", f"{max(task.limits.cost_usd, _LEAST_USD):.6f}"]
        env = self._environment(task)
        return Launch(
            argv=tuple(argv),
            env=env,
            stdin=task.prompt.encode(errors="replace"),
            home_files=HomeFiles() if self._private_home else HomeFiles(login=self._login(env)),
        )

    def transcript(self, task: AgentTask) -> Transcript:
        # Its tokens count from the start of the process, and its cost from the start of the session.
        earlier = Usage(cost_usd=task.resume.usage.cost_usd) if task.resume else NOTHING_USED
        return ClaudeTranscript(earlier)

    def version_argv(self) -> tuple[str, ...]:
        return (self._program, "--version")

    def install_hint(self) -> str:
        return "npm install -g @anthropic-ai/claude-code, then run `claude` once to log in"

    def login_argv(self) -> tuple[str, ...]:
        return () if self._endpoint.api_key is not None else (self._program, "auth", "status")

    def login(self, printed: str) -> str:
        """Releases without this command print no JSON."""
        if self._endpoint.api_key is not None:
            return "with an API key"
        status = parse(printed.encode())
        if status.get("loggedIn") is False:
            way = f"{Path(self._program).name} auth login, or set ANTHROPIC_API_KEY"
            raise AgentLoginError("Claude Code is not logged in", hint=way)
        return f"logged in ({text(status, 'authMethod')})" if status.get("loggedIn") is True else ""

    def _login(self, env: Mapping[str, str]) -> Login:
        home = Path(env.get("HOME", "/"))
        folder = Path(env.get("CLAUDE_CONFIG_DIR") or home / ".claude")
        # Next to the folder, unless CLAUDE_CONFIG_DIR is set.
        state = (folder if env.get("CLAUDE_CONFIG_DIR") else home) / ".claude.json"
        credentials = folder / ".credentials.json"
        return Login(
            folder=folder,
            credentials=credentials,
            expires=claude_expires,
            renewal=_renewal(self._program, self._env),
            shown=_SHOWN,
            lent={credentials: claude_credentials, state: claude_state},
        )

    def _environment(self, task: AgentTask) -> dict[str, str]:
        given = {**self._env, **task.env}
        env = _PATIENT | {name: value for name, value in given.items() if name not in CLAUDE_CODE_SESSION}
        env |= _QUIET | {"TMPDIR": str(task.home / "tmp"), "PWD": str(task.workdir)}
        if self._private_home:
            env |= {"HOME": str(task.home), "CLAUDE_CONFIG_DIR": str(task.home / "claude")}
        if self._endpoint.base_url:
            env["ANTHROPIC_BASE_URL"] = self._endpoint.base_url
        if self._endpoint.api_key is not None:
            env = {name: value for name, value in env.items() if name not in _OTHER_LOGINS}
            env["ANTHROPIC_API_KEY"] = self._endpoint.api_key
        if self._allow_root:
            env["IS_SANDBOX"] = "1"
        return env


def _renewal(program: str, env: Mapping[str, str]) -> Renewal:
    """Any session renews the login. This session has no tools and the smallest possible task."""
    argv = (program, "-p", "--output-format", "json", "--strict-mcp-config", "--tools", "", "--model", "haiku")
    own = {name: value for name, value in env.items() if name not in CLAUDE_CODE_SESSION}
    return Renewal(argv=argv, env=own | _QUIET, stdin=b"Answer with the word OK.")


def _mcp_config(command: tuple[str, ...]) -> str:
    # `alwaysLoad`: otherwise the tools are found only by a search, and an agent that does not search never sees them.
    server = {"type": "stdio", "command": command[0], "args": list(command[1:]), "alwaysLoad": True}
    return json.dumps({"mcpServers": {TOOLBOX: server}})
