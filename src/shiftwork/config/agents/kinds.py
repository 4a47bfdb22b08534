"""The kinds of agents: for each name in the settings, everything about it that is not in its adapter."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from shiftwork.config.agents.clouds import needed_by_claude_code, needed_by_codex
from shiftwork.config.agents.model_addresses import addresses_of_claude_code, addresses_of_codex
from shiftwork.records import dataclass

type Env = Mapping[str, str]


def _no_cloud(_: Env) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKind:
    """An agent that the settings may name."""

    adapter: str
    """The module in `adapters/agents` that defines `build`."""
    extra: str = ""
    """The extra of the package that its adapter needs."""
    program: str = ""
    """What it is called with; empty if `command` in the settings says that."""
    suits: str = ""
    """When to use it, as `shiftwork config explain agent.use` says it, unless its name says that."""
    variables: tuple[str, ...] = ()
    """How the names of the variables of its own login and endpoint begin. It sees no other agent's secrets."""
    cloud_variables: Callable[[Env], frozenset[str]] = _no_cloud
    """The variables of the cloud that the user's own settings for it select."""
    addresses: Callable[[Env], Iterable[str]] | None = None
    """What it calls to reach its model; None if that is unknown, and then it keeps this machine's network."""
    obeyed_files: tuple[str, ...] = ()
    """Files of a repository that it reads from its working folder and obeys without asking the model."""
    counts_tokens: bool = True
    author: str = ""
    """What a commit that it worked on names it as, with an address; empty if that follows from its profile."""
    limits_cost: bool = False
    """Whether it reports what it costs, and stops at an amount of money."""
    uses_tools: bool = True
    """Whether it can call the tools that read its task and edit its steps."""


DEFAULT_AGENT: Final = "claude-code"

AGENTS: Final = {
    "claude-code": AgentKind(
        adapter="claude_code",
        program="claude",
        variables=("ANTHROPIC_", "CLAUDE_"),
        cloud_variables=needed_by_claude_code,
        addresses=addresses_of_claude_code,
        author="Claude <noreply@anthropic.com>",
        obeyed_files=(".claude/settings.json", ".claude/settings.local.json"),
        limits_cost=True,
    ),
    "codex": AgentKind(
        adapter="codex",
        program="codex",
        variables=("CODEX_", "OPENAI_BASE_URL"),
        cloud_variables=needed_by_codex,
        addresses=addresses_of_codex,
        author="Codex <noreply@openai.com>",
        obeyed_files=(".codex/config.toml", ".codex/hooks.json"),
    ),
    "acp": AgentKind(
        adapter="acp.agent",
        extra="acp",
        suits="for any that supports the Agent Client Protocol",
    ),
    "command": AgentKind(adapter="command", suits="for any program of your own", counts_tokens=False, uses_tools=False),
}
"""By the name in the settings. A new agent is an entry here and its adapter."""
