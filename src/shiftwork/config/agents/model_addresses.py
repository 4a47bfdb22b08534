"""The addresses that Claude Code and Codex call to reach their models, from the environment and the user's settings.

Hosts that renew a login are not included: a session has a copy that cannot be renewed. Nor are the addresses from which
cloud machines get their credentials (169.254.169.254): they serve every program, not just an agent.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from shiftwork.config.agents.clouds import BEDROCK, is_set
from shiftwork.config.agents.user_files import CodexProvider, claude_variables, codex_provider


def addresses_of_claude_code(env: Mapping[str, str]) -> Iterator[str]:
    """With a key it has a home of its own, without the user's settings."""
    said = env if env.get("ANTHROPIC_API_KEY") else {**env, **claude_variables(env)}
    clouds = [addresses for flag, addresses in _CLOUDS.items() if is_set(said, flag)]
    if not clouds:
        yield said.get("ANTHROPIC_BASE_URL") or "api.anthropic.com"
    for addresses in clouds:
        yield from addresses(said)


def _bedrock(said: Mapping[str, str]) -> Iterator[str]:
    yield from _given(said, "ANTHROPIC_BEDROCK_BASE_URL")
    regions = {_aws_region(said), *_given(said, "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION")}
    for region in sorted(regions):
        yield from _aws(said, region, ("bedrock-runtime", "bedrock"))
    yield from _aws_login(said, ("AWS_BEARER_TOKEN_BEDROCK", "CLAUDE_CODE_SKIP_BEDROCK_AUTH"))


def _mantle(said: Mapping[str, str]) -> Iterator[str]:
    address = f"bedrock-mantle.{_aws_region(said)}.api.aws"
    yield said.get("ANTHROPIC_BEDROCK_MANTLE_BASE_URL") or address
    yield from _aws_login(said, ("AWS_BEARER_TOKEN_BEDROCK", "CLAUDE_CODE_SKIP_MANTLE_AUTH"))


def _anthropic_aws(said: Mapping[str, str]) -> Iterator[str]:
    yield said.get("ANTHROPIC_AWS_BASE_URL") or f"aws-external-anthropic.{_aws_region(said)}.api.aws"
    yield from _aws_login(said, ("ANTHROPIC_AWS_API_KEY", "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH"))


def _aws_region(said: Mapping[str, str]) -> str:
    return said.get("AWS_REGION") or said.get("AWS_DEFAULT_REGION") or "us-east-1"


def _aws(said: Mapping[str, str], region: str, services: Iterable[str]) -> Iterator[str]:
    """Host names for the region, according to the AWS variables."""
    fips = "-fips" if is_set(said, "AWS_USE_FIPS_ENDPOINT") else ""
    dual = is_set(said, "AWS_USE_DUALSTACK_ENDPOINT")
    china = region.startswith("cn-")
    domain = ("api.amazonwebservices.com.cn" if china else "api.aws") if dual else "amazonaws.com"
    for service in services:
        yield f"{service}{fips}.{region}.{domain}{'.cn' if china and not dual else ''}"


def _aws_login(said: Mapping[str, str], instead: Iterable[str]) -> Iterator[str]:
    """For assumed roles and sessions of the identity center; a token or a gateway needs neither."""
    if any(is_set(said, name) for name in instead):
        return
    yield "sts.amazonaws.com"
    yield from _aws(said, _aws_region(said), ("sts", "oidc", "portal.sso"))


def _vertex(said: Mapping[str, str]) -> Iterator[str]:
    yield from _given(said, "ANTHROPIC_VERTEX_BASE_URL")
    named = (value for name, value in said.items() if name.startswith("VERTEX_REGION_") and value)
    for region in sorted({said.get("CLOUD_ML_REGION", "").strip() or "us-east5", *named}):
        yield _VERTEX_PLACES.get(region, f"{region}-aiplatform.googleapis.com")
    yield from _google_login(said, "CLAUDE_CODE_SKIP_VERTEX_AUTH")


def _anthropic_google(said: Mapping[str, str]) -> Iterator[str]:
    yield said.get("ANTHROPIC_GOOGLE_CLOUD_BASE_URL") or "claude.googleapis.com"
    yield from _google_login(said, "CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH")


def _google_login(said: Mapping[str, str], skipped: str) -> Iterator[str]:
    if not is_set(said, skipped):
        yield from ("oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com")


def _foundry(said: Mapping[str, str]) -> Iterator[str]:
    yield from _given(said, "ANTHROPIC_FOUNDRY_BASE_URL")
    yield from (f"{name}.services.ai.azure.com" for name in _given(said, "ANTHROPIC_FOUNDRY_RESOURCE"))
    if not any(is_set(said, name) for name in ("ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH")):
        yield said.get("AZURE_AUTHORITY_HOST") or "login.microsoftonline.com"


def _given(said: Mapping[str, str], name: str) -> Iterator[str]:
    if value := said.get(name, ""):
        yield value


_VERTEX_PLACES: Final = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}

_CLOUDS: Final[dict[str, Callable[[Mapping[str, str]], Iterator[str]]]] = {
    "CLAUDE_CODE_USE_BEDROCK": _bedrock,
    "CLAUDE_CODE_USE_MANTLE": _mantle,
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": _anthropic_aws,
    "CLAUDE_CODE_USE_VERTEX": _vertex,
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": _anthropic_google,
    "CLAUDE_CODE_USE_FOUNDRY": _foundry,
}
"""By the variable that selects the cloud. If a cloud is selected, no other model host is called."""


def addresses_of_codex(env: Mapping[str, str]) -> Iterator[str]:
    """With a key it has a home of its own, without the user's settings."""
    key, address = env.get("CODEX_API_KEY"), env.get("OPENAI_BASE_URL")
    if key and address:
        yield address
        return
    provider = CodexProvider() if key else codex_provider(env)
    settings = {name: value for name, value in provider.settings.items() if isinstance(value, str)}
    if provider.name == BEDROCK:
        yield f"bedrock-mantle.{_aws_region(env)}.api.aws"
        yield from _aws_login(env, ("AWS_BEARER_TOKEN_BEDROCK",))
    elif provider.name in _LOCAL:
        port = env.get("CODEX_OSS_PORT") or _LOCAL[provider.name]
        yield env.get("CODEX_OSS_BASE_URL") or f"http://localhost:{port}"
    elif isinstance(own := provider.table.get("base_url"), str) and own:
        yield own
    else:
        yield address or settings.get("openai_base_url") or "api.openai.com"
        # Even with a key, Codex asks this host for the list of models, and waits seconds for an answer.
        yield settings.get("chatgpt_base_url") or "chatgpt.com"


_LOCAL: Final = {"ollama": "11434", "lmstudio": "1234"}
"""Codex's built-in providers on this machine."""
