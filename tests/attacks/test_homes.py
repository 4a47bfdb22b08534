"""Attacks on the folders with the user's own consents and state: by other users of these folders, and by a clone."""

import os
from pathlib import Path

from shiftwork.config.trust.consent_claims import TrustedFiles, settings_claim
from tests import warm
from tests.attacks.state_rig import SOON, row, settled, typed
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.tier import TIER_VARIABLE

RUN = ("run", "--workflow", "ralph", "Say hello")
EX_USAGE = 64


def with_canary(folder: Path) -> Project:
    project = new_project(folder)
    project.settle(agent=f"touch {folder}/canary\n{WORKING}")
    return project


@attack(row("another user plants a consent where users share the folder of settings", Severity.HIGH, Harm.CONSENT))
def test_planted_consent(tier: str, tmp_path: Path) -> Outcome:
    """As where XDG_CONFIG_HOME is a folder of several users. Only root can give a folder away: for other users it
    stays a folder that all can write to.
    """
    project, config = with_canary(tmp_path), tmp_path / "config"
    TrustedFiles(config).trust(settings_claim(project.root))
    runs = []
    for mode, owner in ((0o777, os.geteuid()), (0o755, 12345 if os.geteuid() == 0 else os.geteuid())):
        config.chmod(0o777 if owner == os.geteuid() else mode)
        os.chown(config, owner, -1)
        runs.append(typed(project, tier, *RUN, trusted=False))
    os.chown(config, os.geteuid(), -1)
    refused = [
        completed.returncode == EX_USAGE and "nothing is read or kept there" in completed.stderr for completed in runs
    ]
    return settled(*refused, not (tmp_path / "canary").exists())


@attack(row("a clone brings the folder of settings that a relative variable names", Severity.HIGH, Harm.CONSENT))
def test_relative_settings(tier: str, tmp_path: Path) -> Outcome:
    project = with_canary(tmp_path)
    TrustedFiles(project.root / "config").trust(settings_claim(project.root))
    env = project.environment(**{TIER_VARIABLE: tier}, SHIFTWORK_TRUST="") | {"SHIFTWORK_CONFIG_HOME": "config"}
    completed = warm.run(RUN, cwd=project.root, env=env, timeout=SOON)
    refused = completed.returncode == EX_USAGE and "is not an absolute path" in completed.stderr
    return settled(refused, not (tmp_path / "canary").exists())
