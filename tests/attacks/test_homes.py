"""Attacks on the folders in which the user's own consents and state are: by who shares them, and by a clone."""

import os
from pathlib import Path

from shiftwork.config.trust.consent_claims import TrustBook, settings_claim
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
    """As where XDG_CONFIG_HOME leads to a folder of several users. Who is no root cannot give a folder away: there it
    stays one that all can write to.
    """
    project, config = with_canary(tmp_path), tmp_path / "config"
    TrustBook(config).trust(settings_claim(project.root))
    told = []
    for mode, owner in ((0o777, os.geteuid()), (0o755, 12345 if os.geteuid() == 0 else os.geteuid())):
        config.chmod(0o777 if owner == os.geteuid() else mode)
        os.chown(config, owner, -1)
        told.append(typed(project, tier, *RUN, trusted=False))
    os.chown(config, os.geteuid(), -1)
    refused = [one.returncode == EX_USAGE and "nothing is read or kept there" in one.stderr for one in told]
    return settled(*refused, not (tmp_path / "canary").exists())


@attack(row("a clone brings the folder of settings that a relative variable names", Severity.HIGH, Harm.CONSENT))
def test_relative_settings(tier: str, tmp_path: Path) -> Outcome:
    project = with_canary(tmp_path)
    TrustBook(project.root / "config").trust(settings_claim(project.root))
    env = project.environment(**{TIER_VARIABLE: tier}, SHIFTWORK_TRUST="") | {"SHIFTWORK_CONFIG_HOME": "config"}
    told = warm.run(RUN, cwd=project.root, env=env, timeout=SOON)
    refused = told.returncode == EX_USAGE and "is no absolute path" in told.stderr
    return settled(refused, not (tmp_path / "canary").exists())
