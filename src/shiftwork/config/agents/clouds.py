"""Which variables of a cloud login an agent needs: those of the cloud that its own configuration names, else none.

Only the user's own configuration counts: the environment, and the agent's settings in the user's folder. A repository's
settings are ignored; otherwise a repository could obtain the login by naming the cloud.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.config.agents.user_files import claude_variables, codex_provider, table
from shiftwork.records import dataclass

_NO: Final = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cloud:
    """Used if one of `flags` is set: `places` locate the model, `login` holds the credentials. With one of `instead`,
    the rest of the login is not needed.
    """

    flags: tuple[str, ...]
    places: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()

    def needed(self, said: Mapping[str, str]) -> tuple[str, ...]:
        if not any(is_set(said, flag) for flag in self.flags):
            return ()
        given = tuple(name for name in self.instead if is_set(said, name))
        return (*self.places, *(given or self.login))


_AWS_PLACES: Final = (
    *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"),
)
_AWS_LOGIN: Final = (
    *("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_SDK_LOAD_CONFIG"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_LOGIN_CACHE_DIRECTORY"),
    *("AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    *("AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_DISABLED"),
)
_BEDROCK_TOKEN: Final = "AWS_BEARER_TOKEN_BEDROCK"  # noqa: S105 - the name of a variable
_GOOGLE_PLACES: Final = ("CLOUD_ML_REGION", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_QUOTA_PROJECT")
_GOOGLE_LOGIN: Final = ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG")
_AZURE_LOGIN: Final = (
    *("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_AUTHORITY_HOST", "AZURE_TOKEN_CREDENTIALS"),
    *("AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN"),
    *("AZURE_FEDERATED_TOKEN_FILE", "AZURE_USERNAME", "AZURE_PASSWORD", "AZURE_ADDITIONALLY_ALLOWED_TENANTS"),
)

_CLAUDE_CODE: Final = (
    _Cloud(
        flags=("CLAUDE_CODE_USE_BEDROCK",),
        places=_AWS_PLACES,
        login=_AWS_LOGIN,
        instead=(_BEDROCK_TOKEN, "CLAUDE_CODE_SKIP_BEDROCK_AUTH"),
    ),
    _Cloud(
        flags=("CLAUDE_CODE_USE_MANTLE",),
        places=_AWS_PLACES,
        login=_AWS_LOGIN,
        instead=(_BEDROCK_TOKEN, "CLAUDE_CODE_SKIP_MANTLE_AUTH"),
    ),
    _Cloud(
        flags=("CLAUDE_CODE_USE_ANTHROPIC_AWS",),
        places=_AWS_PLACES,
        login=_AWS_LOGIN,
        instead=("ANTHROPIC_AWS_API_KEY", "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH"),
    ),
    _Cloud(
        flags=("CLAUDE_CODE_USE_VERTEX",),
        places=_GOOGLE_PLACES,
        login=_GOOGLE_LOGIN,
        instead=("CLAUDE_CODE_SKIP_VERTEX_AUTH",),
    ),
    _Cloud(
        flags=("CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",),
        places=_GOOGLE_PLACES,
        login=_GOOGLE_LOGIN,
        instead=("CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH",),
    ),
    _Cloud(
        flags=("CLAUDE_CODE_USE_FOUNDRY",),
        login=_AZURE_LOGIN,
        instead=("ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH"),
    ),
)
_VERTEX: Final = "CLAUDE_CODE_USE_VERTEX"
_VERTEX_REGIONS: Final = "VERTEX_REGION_"
BEDROCK: Final = "amazon-bedrock"
"""Codex's name for this provider."""


def needed_by_claude_code(env: Mapping[str, str]) -> frozenset[str]:
    """From the environment and the `env` table of the user's `settings.json`."""
    said = {**env, **claude_variables(env)}
    names = {name for cloud in _CLAUDE_CODE for name in cloud.needed(said)}
    if is_set(said, _VERTEX):
        names |= {name for name in env if name.startswith(_VERTEX_REGIONS)}
    return frozenset(names)


def needed_by_codex(env: Mapping[str, str]) -> frozenset[str]:
    """The variables that the active provider of the user's `config.toml` names, and no other provider's."""
    provider = codex_provider(env)
    names = {*_texts(provider.table.get("env_key")), *_texts(*table(provider.table, "env_http_headers").values())}
    if provider.name == BEDROCK:
        names |= {*_AWS_PLACES, *((_BEDROCK_TOKEN,) if env.get(_BEDROCK_TOKEN) else _AWS_LOGIN)}
    return frozenset(names)


def is_set(said: Mapping[str, str], name: str) -> bool:
    """Whether a switch variable is on."""
    return said.get(name, "").strip().lower() not in _NO


def _texts(*values: object) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
