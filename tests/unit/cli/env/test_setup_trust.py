"""Consent to a setup command that was found: it is for these dependencies and no others."""

from pathlib import Path

from shiftwork.config.site import find_site
from shiftwork.config.trust.consent_claims import TrustedFiles
from shiftwork.entrypoints.cli.env.setup_trust import setup_claim
from shiftwork.testing.git_user import new_user


def test_changed_dependencies_need_consent_again(tmp_path: Path) -> None:
    user = new_user(tmp_path)
    site, known = find_site(user.root, user.env), TrustedFiles(tmp_path / "config")
    user.commit("dependencies", {"package.json": "{}\n", "package-lock.json": "{}\n"})
    known.trust(setup_claim(site, "npm ci", user.env))
    user.commit("work", {"src/shop.js": "1\n"})
    assert known.trusts(setup_claim(site, "npm ci", user.env))
    user.commit("an install script", {"package-lock.json": '{"packages": {}}\n'})
    assert not known.trusts(setup_claim(site, "npm ci", user.env))
