"""Which hosts an agent calls to reach its model, from the user's settings."""

import json
from pathlib import Path

import pytest

from shiftwork.config.agents.hosts import Endpoints, own_endpoints

AWS_LOGIN = (
    "sts.amazonaws.com sts.eu-west-1.amazonaws.com oidc.eu-west-1.amazonaws.com portal.sso.eu-west-1.amazonaws.com"
)
GOOGLE_LOGIN = "oauth2.googleapis.com sts.googleapis.com iamcredentials.googleapis.com"


def found(agent: str, home: Path, **env: str) -> Endpoints:
    endpoints = own_endpoints(agent, {"HOME": str(home), **env})
    assert endpoints is not None
    return endpoints


def called(agent: str, home: Path, **env: str) -> str:
    """Names of those at the usual port, others with theirs."""
    endpoints = found(agent, home, **env)
    assert all(host.is_wished for host in endpoints.hosts), "each may lead to the user's own network"
    return " ".join(str(host).removesuffix(":443") for host in endpoints.hosts)


@pytest.mark.parametrize(
    ("env", "hosts"),
    [
        ({}, "api.anthropic.com"),
        ({"ANTHROPIC_API_KEY": "k"}, "api.anthropic.com"),
        ({"ANTHROPIC_BASE_URL": "https://models.corp.example/v1"}, "models.corp.example"),
        ({"ANTHROPIC_BASE_URL": "http://models.corp.example:4000"}, "models.corp.example:4000"),
        ({"ANTHROPIC_BASE_URL": "http://Models.Corp.example"}, "models.corp.example:80"),
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "eu-west-1"},
            f"bedrock-runtime.eu-west-1.amazonaws.com bedrock.eu-west-1.amazonaws.com {AWS_LOGIN}",
        ),
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_BEARER_TOKEN_BEDROCK": "t"},
            "bedrock-runtime.us-east-1.amazonaws.com bedrock.us-east-1.amazonaws.com",
        ),
        (
            {
                "CLAUDE_CODE_USE_BEDROCK": "1",
                "CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1",
                "ANTHROPIC_BEDROCK_BASE_URL": "https://gate.example/bedrock",
                "AWS_DEFAULT_REGION": "cn-north-1",
            },
            "gate.example bedrock-runtime.cn-north-1.amazonaws.com.cn bedrock.cn-north-1.amazonaws.com.cn",
        ),
        (
            {
                "CLAUDE_CODE_USE_BEDROCK": "1",
                "AWS_BEARER_TOKEN_BEDROCK": "t",
                "AWS_USE_FIPS_ENDPOINT": "true",
                "AWS_USE_DUALSTACK_ENDPOINT": "true",
            },
            "bedrock-runtime-fips.us-east-1.api.aws bedrock-fips.us-east-1.api.aws",
        ),
        (
            {"CLAUDE_CODE_USE_MANTLE": "1", "AWS_REGION": "eu-west-1"},
            f"bedrock-mantle.eu-west-1.api.aws {AWS_LOGIN}",
        ),
        (
            {"CLAUDE_CODE_USE_ANTHROPIC_AWS": "1", "ANTHROPIC_AWS_API_KEY": "k", "AWS_REGION": "eu-west-1"},
            "aws-external-anthropic.eu-west-1.api.aws",
        ),
        ({"CLAUDE_CODE_USE_VERTEX": "1"}, f"us-east5-aiplatform.googleapis.com {GOOGLE_LOGIN}"),
        (
            {"CLAUDE_CODE_USE_VERTEX": "1", "CLOUD_ML_REGION": "global", "VERTEX_REGION_CLAUDE_HAIKU_4_5": "eu"},
            f"aiplatform.eu.rep.googleapis.com aiplatform.googleapis.com {GOOGLE_LOGIN}",
        ),
        (
            {"CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": "1", "CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH": "1"},
            "claude.googleapis.com",
        ),
        (
            {"CLAUDE_CODE_USE_FOUNDRY": "1", "ANTHROPIC_FOUNDRY_RESOURCE": "mine"},
            "mine.services.ai.azure.com login.microsoftonline.com",
        ),
        (
            {
                "CLAUDE_CODE_USE_FOUNDRY": "1",
                "ANTHROPIC_FOUNDRY_BASE_URL": "https://other.example/anthropic",
                "AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us",
            },
            "other.example login.microsoftonline.us",
        ),
        ({"CLAUDE_CODE_USE_FOUNDRY": "1", "ANTHROPIC_FOUNDRY_API_KEY": "k"}, ""),
    ],
)
def test_claude_code_calls_the_place_of_its_model(tmp_path: Path, env: dict[str, str], hosts: str) -> None:
    assert called("claude-code", tmp_path, **env) == hosts


@pytest.mark.parametrize(
    "address", ["", "https://", "ftp://a.example", "https://[::1]:1", "https://a.example:x", "https://ä.de"]
)
def test_an_address_that_cannot_be_called_names_no_host(tmp_path: Path, address: str) -> None:
    expected = "" if address else "api.anthropic.com"
    assert called("claude-code", tmp_path, ANTHROPIC_BASE_URL=address) == expected


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_model_on_this_machine_is_a_port(tmp_path: Path, name: str) -> None:
    address = f"http://{name}:4000/v1"
    assert found("claude-code", tmp_path, ANTHROPIC_BASE_URL=address) == Endpoints(ports=(4000,))
    assert found("codex", tmp_path, CODEX_API_KEY="k", OPENAI_BASE_URL=address) == Endpoints(ports=(4000,))


def test_the_users_settings_of_claude_code_count_where_it_reads_them(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    text = json.dumps({"env": {"ANTHROPIC_BASE_URL": "https://models.example"}})
    (tmp_path / ".claude" / "settings.json").write_text(text)
    assert called("claude-code", tmp_path) == "models.example"
    assert called("claude-code", tmp_path, ANTHROPIC_BASE_URL="https://other.example") == "models.example"
    assert called("claude-code", tmp_path, ANTHROPIC_API_KEY="k") == "api.anthropic.com"


@pytest.mark.parametrize(
    ("settings", "env", "hosts"),
    [
        ("", {}, "api.openai.com chatgpt.com"),
        ("", {"CODEX_API_KEY": "k"}, "api.openai.com chatgpt.com"),
        ('model_provider = "mine"', {"CODEX_API_KEY": "k"}, "api.openai.com chatgpt.com"),
        ("", {"CODEX_API_KEY": "k", "OPENAI_BASE_URL": "https://gate.example/v1"}, "gate.example"),
        ("", {"OPENAI_BASE_URL": "https://gate.example/v1"}, "gate.example chatgpt.com"),
        (
            'openai_base_url = "https://eu.example/v1"\nchatgpt_base_url = "https://chat.example/x"',
            {},
            "eu.example chat.example",
        ),
        ('model_provider = "mine"', {}, "models.example:8443"),
        ('profile = "work"\n[profiles.work]\nmodel_provider = "mine"', {}, "models.example:8443"),
        ('model_provider = "other"', {}, "api.openai.com chatgpt.com"),
        (
            'model_provider = "amazon-bedrock"',
            {"AWS_REGION": "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK": "t"},
            "bedrock-mantle.eu-west-1.api.aws",
        ),
    ],
)
def test_codex_calls_the_provider_in_force(tmp_path: Path, settings: str, env: dict[str, str], hosts: str) -> None:
    (tmp_path / ".codex").mkdir()
    providers = '\n[model_providers.mine]\nbase_url = "https://models.example:8443/v1"\n'
    (tmp_path / ".codex" / "config.toml").write_text(settings + providers)
    assert called("codex", tmp_path, **env) == hosts


def test_providers_that_codex_knows_on_this_machine_are_ports(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('model_provider = "ollama"\n')
    home = {"CODEX_HOME": str(tmp_path)}
    assert found("codex", tmp_path, **home).ports == (11434,)
    assert found("codex", tmp_path, **home, CODEX_OSS_PORT="8081").ports == (8081,)
    assert called("codex", tmp_path, **home, CODEX_OSS_BASE_URL="http://gpu.example:9/v1") == "gpu.example:9"


@pytest.mark.parametrize("agent", ["acp", "command"])
def test_of_other_agents_nothing_is_known(agent: str) -> None:
    assert own_endpoints(agent, {"ANTHROPIC_BASE_URL": "https://models.example"}) is None
