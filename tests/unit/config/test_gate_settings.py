"""Gates of a monorepo in the settings: the folder in which one runs, and the paths that it is about."""

from pathlib import Path

import pytest

from shiftwork.config.settings.settings import load_settings
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.gates.gate import Gate
from shiftwork.errors import SettingsError


def written(folder: Path, text: str) -> Path:
    (folder / "shiftwork.toml").write_text(f"[gates]\n{text}\n", encoding="utf-8")
    return folder


def test_a_gate_has_a_folder_and_paths(tmp_path: Path) -> None:
    text = (
        'lint = "make lint"\napi = { command = "pytest", cwd = "packages/api", paths = ["packages/api/**", "*.lock"] }'
    )
    assert load_settings(written(tmp_path, text), {}).gate_list == (
        Gate(name="lint", command="make lint"),
        Gate(
            name="api",
            command="cd packages/api && pytest",
            cwd="packages/api",
            paths=("packages/api/**", "*.lock"),
        ),
    )


@pytest.mark.parametrize("cwd", ["/etc", "..", "a/../..", "~/x", "-P"])
def test_a_folder_outside_of_the_repository_is_refused(tmp_path: Path, cwd: str) -> None:
    with pytest.raises(SettingsError, match=r"gates\.api.*cwd must"):
        load_settings(written(tmp_path, f'api = {{ command = "x", cwd = "{cwd}" }}'), {})


@pytest.mark.parametrize("path", ["", "/", ".", "!a/**", "/a/**", "../a/**", " "])
def test_what_is_no_path_of_the_repository_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(SettingsError, match="is not a glob of paths in the repository"):
        load_settings(written(tmp_path, f'api = {{ command = "x", paths = ["{path}"] }}'), {})


def test_both_need_consent_because_they_decide_what_runs(tmp_path: Path) -> None:
    claim = settings_claim(written(tmp_path, 'api = { command = "x", cwd = "api", paths = ["api/**"] }'))
    assert [(command.where, command.text) for command in claim.commands] == [
        ("gates.api.command", "x"),
        ("gates.api.cwd", "api"),
        ("gates.api.paths", "api/**"),
    ]


@pytest.mark.parametrize("path", ["packages/{api,web}/**", "packages/[aw]*/**"])
def test_wildcards_of_other_dialects_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(SettingsError, match="are wildcards; list the paths one by one"):
        load_settings(written(tmp_path, f'api = {{ command = "x", paths = ["{path}"] }}'), {})
