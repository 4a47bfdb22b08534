"""Which variables of the user's environment agents and gates see; a cloud login only where it is used."""

import json
from pathlib import Path

import pytest

from shiftwork.config.surroundings import visible, visible_to_agent

AWS = {
    "AWS_REGION": "eu-west-1",
    "AWS_PROFILE": "work",
    "AWS_ACCESS_KEY_ID": "AKIA0",
    "AWS_SECRET_ACCESS_KEY": "s",
    "AWS_SESSION_TOKEN": "t",
}
CLOUDS = {
    **AWS,
    "AWS_VAULT": "vault",
    "GOOGLE_APPLICATION_CREDENTIALS": "/k.json",
    "GOOGLE_API_KEY": "g",
    "GOOGLE_CLOUD_PROJECT": "p",
    "CLOUD_ML_REGION": "r",
    "VERTEX_REGION_CLAUDE_HAIKU_4_5": "r",
    "AZURE_TENANT_ID": "tenant",
    "AZURE_CLIENT_SECRET": "a",
    "AZURE_DEVOPS_TOKEN": "d",
    "OPENAI_API_KEY": "o",
    "GITHUB_TOKEN": "h",
}


def seen(agent: str, home: Path, **more: str) -> set[str]:
    env = {"HOME": str(home), **CLOUDS, **more}
    return set(visible_to_agent(agent, env, ())) - {"HOME", *more}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "acp", "command"])
def test_no_agent_sees_a_clouds_login_that_it_does_not_use(tmp_path: Path, agent: str) -> None:
    assert seen(agent, tmp_path) == set()
    assert visible({"HOME": "/", **CLOUDS}) == {"HOME": "/"}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"CLAUDE_CODE_USE_BEDROCK": "1"}, set(AWS)),
        ({"CLAUDE_CODE_USE_BEDROCK": "0"}, set()),
        ({"CLAUDE_CODE_USE_BEDROCK": "true", "CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1"}, {"AWS_REGION"}),
        ({"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_BEARER_TOKEN_BEDROCK": "b"}, {"AWS_REGION"}),
        (
            {"CLAUDE_CODE_USE_VERTEX": "1"},
            {
                "GOOGLE_APPLICATION_CREDENTIALS",
                "GOOGLE_CLOUD_PROJECT",
                "CLOUD_ML_REGION",
                "VERTEX_REGION_CLAUDE_HAIKU_4_5",
            },
        ),
        ({"CLAUDE_CODE_USE_FOUNDRY": "1"}, {"AZURE_TENANT_ID", "AZURE_CLIENT_SECRET"}),
        ({"CLAUDE_CODE_USE_FOUNDRY": "1", "ANTHROPIC_FOUNDRY_API_KEY": "f"}, set()),
    ],
)
def test_claude_code_sees_the_login_of_the_cloud_that_it_uses(
    tmp_path: Path, said: dict[str, str], names: set[str]
) -> None:
    assert seen("claude-code", tmp_path, **said) == names


def test_a_token_that_is_enough_is_given(tmp_path: Path) -> None:
    said = {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_BEARER_TOKEN_BEDROCK": "b"}
    env = {"HOME": str(tmp_path), **said}
    assert visible_to_agent("claude-code", env, ()) == env


def test_the_users_own_settings_of_claude_code_count(tmp_path: Path) -> None:
    folder = tmp_path / ".claude"
    folder.mkdir()
    for broken in ("[]", "{", '{"env": 1}', '{"env": {"CLAUDE_CODE_USE_BEDROCK": 1}}', "[" * 100_000):
        (folder / "settings.json").write_text(broken)
        assert seen("claude-code", tmp_path) == set()
    (folder / "settings.json").write_text(json.dumps({"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}))
    assert seen("claude-code", tmp_path) == set(AWS)
    assert seen("codex", tmp_path) == set()
    assert seen("claude-code", tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "other")) == set()


CODEX = """\
model_provider = "mine"
[model_providers.mine]
env_key = "OPENAI_API_KEY"
env_http_headers = { X = "GITHUB_TOKEN" }
[model_providers.other]
env_key = "GOOGLE_API_KEY"
[profiles.cloud]
model_provider = "amazon-bedrock"
"""


def test_codex_sees_what_its_provider_in_force_names(tmp_path: Path) -> None:
    folder = tmp_path / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX)
    assert seen("codex", tmp_path) == {"OPENAI_API_KEY", "GITHUB_TOKEN"}
    (folder / "config.toml").write_text(f'profile = "cloud"\n{CODEX}')
    assert seen("codex", tmp_path) == set(AWS)
    (folder / "config.toml").write_text("model_provider = [")
    assert seen("codex", tmp_path) == set()
