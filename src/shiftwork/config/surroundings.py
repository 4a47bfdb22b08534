"""The part of the user's environment that an agent or a gate sees: a short list, and the names in the settings."""

from collections.abc import Iterable, Mapping
from typing import Final

from shiftwork.config.agents.kinds import AGENTS

_ORDINARY: Final = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)

_PREFIXES: Final = ("LC_",)


def visible(env: Mapping[str, str], listed: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a gate or a setup command."""
    names = _ORDINARY.union(listed)
    return {name: value for name, value in env.items() if name in names or name.startswith(_PREFIXES)}


def visible_to_agent(agent: str, env: Mapping[str, str], listed: Iterable[str]) -> dict[str, str]:
    """The environment of an agent, with its own login, so that it works without configuration. A cloud login is
    included only if the agent is configured to use that cloud.
    """
    kind = AGENTS[agent]
    own = {name: value for name, value in env.items() if name.startswith(kind.variables)}
    return visible(env, {*listed, *kind.cloud_variables(env)}) | own
