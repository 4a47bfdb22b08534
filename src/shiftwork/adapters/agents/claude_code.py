"""Claude Code: how its headless mode is started, and what it is told to leave alone. Its events are read next door."""

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._claude_events import ClaudeTranscript
from shiftwork.adapters.agents._driver import Belongings, Launch, Transcript
from shiftwork.adapters.agents.json_lines import parse, text
from shiftwork.adapters.agents.login.lender import Login, Renewal
from shiftwork.adapters.agents.login.login_files import claude_credentials, claude_expires, claude_state
from shiftwork.errors import AgentLoginError
from shiftwork.ports.agent import AgentTask

TOOLBOX: Final = "shiftwork"
"""The harness's tools are called `mcp__shiftwork__<tool>` by the agent."""

_LEAST_USD: Final = 0.000001
"""It takes no budget of nothing."""

_QUIET: Final = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # A background task keeps the process alive long after its final event.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
}

_PATIENT: Final = {"MCP_TIMEOUT": "60000"}
"""How long it waits for the tools to start, in milliseconds: after half a minute, by itself, a session would begin
without them. The user's own word goes before this.
"""

_OUTER_SESSION: Final = frozenset(
    {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
    }
)
"""Set where Shiftwork itself was started by Claude Code: a fresh session must not take itself for part of that one."""

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
"""Of its folder: what a session reads. It says which programs are run and what the agent is told; the program itself
may be among it.
"""

_OTHER_LOGINS: Final = frozenset({"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"})
"""These go before a key; where a key is given, the key is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is and who pays; empty values leave it to the user's own login and settings."""

    base_url: str = ""
    api_key: str | None = None


class ClaudeCode:
    """Drives `claude -p`.

    The user's login is found through what `env` says about their home, unless `private_home` gives every attempt its
    own; a private home knows no login, so it goes with an API key. `allow_root` tells that this process is root, which
    Claude Code refuses to work without prompts for unless it is told that somebody else has seen to the walls.
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
        # Strict even without a toolbox: servers of the user's own settings are not part of the attempt.
        argv.append("--strict-mcp-config")
        if task.toolbox:
            argv += ["--mcp-config", _mcp_config(task.toolbox)]
        if task.model:
            argv += ["--model", task.model]
        if task.limits.cost_usd is not None:
            argv += ["--max-budget-usd", f"{max(task.limits.cost_usd, _LEAST_USD):.6f}"]
        env = self._environment(task)
        return Launch(
            argv=tuple(argv),
            env=env,
            stdin=task.prompt.encode(errors="replace"),
            belongings=Belongings() if self._private_home else Belongings(login=self._login(env)),
        )

    def transcript(self, _: AgentTask) -> Transcript:
        return ClaudeTranscript()

    def version_argv(self) -> tuple[str, ...]:
        return (self._program, "--version")

    def install_hint(self) -> str:
        return "npm install -g @anthropic-ai/claude-code, then run `claude` once to log in"

    def login_argv(self) -> tuple[str, ...]:
        return () if self._endpoint.api_key is not None else (self._program, "auth", "status")

    def login(self, printed: str) -> str:
        """Releases that do not know the command print no JSON."""
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
        # Beside the folder, unless that was named.
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
        env = _PATIENT | {name: value for name, value in given.items() if name not in _OUTER_SESSION}
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
    """Any session does it. This one has no tools, and as little to do as there can be."""
    argv = (program, "-p", "--output-format", "json", "--strict-mcp-config", "--tools", "", "--model", "haiku")
    own = {name: value for name, value in env.items() if name not in _OUTER_SESSION}
    return Renewal(argv=argv, env=own | _QUIET, stdin=b"Answer with the word OK.")


def _mcp_config(command: tuple[str, ...]) -> str:
    # `alwaysLoad`: otherwise tools hide behind a search, and an agent that does not search never learns of them.
    server = {"type": "stdio", "command": command[0], "args": list(command[1:]), "alwaysLoad": True}
    return json.dumps({"mcpServers": {TOOLBOX: server}})
