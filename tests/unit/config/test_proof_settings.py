"""The settings of protected tests and of the profile to call in."""

from pathlib import Path

import pytest

from shiftwork.config.settings.settings import load_settings
from shiftwork.domain.tampering.findings import Protection, ProtectPolicy
from shiftwork.errors import SettingsError


def test_protection_is_on_unless_the_settings_say_otherwise(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}).proof.protection == Protection()
    (tmp_path / "shiftwork.toml").write_text('[proof]\nprotect = ["checks/**"]\nprotect_policy = "report"\n')
    wanted = Protection(policy=ProtectPolicy.REPORT, patterns=("checks/**",))
    assert load_settings(tmp_path, {}).proof.protection == wanted


def test_only_a_profile_that_is_there_can_be_called_in(tmp_path: Path) -> None:
    settings = tmp_path / "shiftwork.toml"
    settings.write_text('[profiles.thorough]\nuse = "codex"\n\n[proof]\nescalate = "thorough"\n')
    assert load_settings(tmp_path, {}).proof.escalate == "thorough"
    settings.write_text('[proof]\nescalate = "thorough"\n')
    with pytest.raises(SettingsError, match="which is not a profile"):
        load_settings(tmp_path, {})
