"""What `doctor` checks about the repository: git, the state of runs, the user's consent."""

import os
import subprocess
from pathlib import Path

from shiftwork.bootstrap.git_consent import git_claim, is_agreed
from shiftwork.bootstrap.work.repository import NEEDED_GIT, commit_remarks
from shiftwork.config.project import Ownership, unregistered
from shiftwork.config.registries.project_registries import registry_claim
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import LEFTOVER, Site, environment, left_out
from shiftwork.config.trust.consent_claims import Claim
from shiftwork.config.trust.included_files import include_claim
from shiftwork.entrypoints.cli.env.run_choices import find_base
from shiftwork.entrypoints.cli.env.trust import TRUST, book, is_trusted, next_command
from shiftwork.entrypoints.cli.render.check_line import FAIL, OK, WARN, Check, failed
from shiftwork.entrypoints.cli.render.visible_text import marked
from shiftwork.errors import ShiftworkError
from shiftwork.search_paths import tool


def state_checks(site: Site) -> list[Check]:
    """State that may come from an archive, a copied folder or a clone."""
    if site.ownership is Ownership.UNREGISTERED:
        return [failed("state", unregistered(site.whereabouts)), *_leftover(site)]
    return _leftover(site)


def _leftover(site: Site) -> list[Check]:
    if not os.path.lexists(site.root / LEFTOVER):
        return []
    found = f"{LEFTOVER} is in the checkout and is not read: the state of runs is in {site.state}"
    return [Check(name="state", state=WARN, detail=found, hint=f"look at it, then: rm -r {LEFTOVER}")]


def trust_check(claim: Claim) -> Check:
    if environment().get(TRUST) or book(environment()).trusts(claim):
        message = f"you have trusted {claim.file.name}" if claim.commands else "the repository's settings run nothing"
        return Check(name="trust", state=OK, detail=message)
    message = f"{claim.file.name} has commands, guards or limits that you have not trusted"
    return Check(name="trust", state=FAIL, detail=message, hint=f"look at them, then: {next_command(claim)}")


def included_checks(site: Site) -> list[Check]:
    """Until the user agrees to the list, nothing is copied: gates may then be red because a file is missing, and this
    check explains why.
    """
    claim = include_claim(site.root)
    if not claim.commands or is_trusted(claim, environment()):
        return []
    message = f"{claim.file.name} names files of yours to copy for agents and gates; until you agree, none is copied"
    return [Check(name="trust", state=FAIL, detail=message, hint=f"look at it, then: {next_command(claim)}")]


def registry_checks(site: Site) -> list[Check]:
    """Said only where there is something to agree to."""
    claim = registry_claim(site.root)
    if not claim.commands or is_trusted(claim, environment()):
        return []
    named = ", ".join(dict.fromkeys(command.text for command in claim.commands))
    message = f"this repository names package registries; until you agree, none is called because of that: {named}"
    return [Check(name="trust", state=WARN, detail=marked(message), hint=f"look at them, then: {next_command(claim)}")]


def git_settings_checks(site: Site) -> list[Check]:
    """Said only where there is something to agree to."""
    claim = git_claim(site, environment())
    if is_agreed(claim, environment()):
        return []
    message = f".git/config names programs or folders that you have not agreed to: {claim.commands[0].where}"
    return [Check(name="trust", state=WARN, detail=marked(message), hint=f"look at them, then: {next_command(claim)}")]


def git_check() -> Check:
    env = environment()
    asked = (tool("git", env, (Path.cwd(),)) or "git", "--version")
    try:
        completed = subprocess.run(asked, cwd="/", env=env, capture_output=True, text=True, check=True)  # noqa: S603 - fixed words
    except (OSError, subprocess.CalledProcessError):
        return Check(name="git", state=FAIL, detail="git cannot be started", hint=f"install {NEEDED_GIT}")
    return Check(name="git", state=OK, detail=completed.stdout.strip())


def search_path_checks() -> list[Check]:
    """An element that means the working directory would run programs from an agent's tree."""
    rows = ((name, ", ".join(part or '""' for part in parts)) for name, parts in left_out().items())
    message = "; ".join(f"{name} has {parts}" for name, parts in rows)
    if not message:
        return []
    detail = f"relative and empty elements of search paths are left out for every program that is started: {message}"
    return [Check(name="environment", state=WARN, detail=detail, hint="use absolute folders there")]


async def branch_check(site: Site, settings: Settings) -> Check:
    try:
        return Check(name="branch", state=OK, detail=await find_base(site, settings, environment()))
    except ShiftworkError as error:
        return failed("branch", error)


async def commit_checks(site: Site) -> list[Check]:
    """No obstacle for a run, but worth knowing before the first commit."""
    remarks = await commit_remarks(site, environment())
    return [Check(name="commits", state=WARN, detail=message, hint=hint) for message, hint in remarks]
