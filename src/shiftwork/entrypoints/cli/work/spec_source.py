"""What a run is asked for: a spec with stories of its own, where a file or a folder is named, else one sentence."""

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from shiftwork.bootstrap.specs import read_spec
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, spec_claim
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.tampering.exemptions import opened
from shiftwork.domain.tampering.findings import Protection
from shiftwork.entrypoints.cli.env.trust import ensure
from shiftwork.errors import UsageError
from shiftwork.ports.specs import Sheet

_LIKE_A_FILE: Final = re.compile(r"\S*/\S*|\S+\.[A-Za-z]\w*")
"""One word with a slash, or with an ending after a dot."""


def asked_for(site: Site, request: str) -> Sheet:
    """A name of something that is there means it; one that only looks like a file is more likely mistyped than meant
    as a request.
    """
    path = Path(request)
    if _is_there(path):
        return asyncio.run(read_spec(site, path))
    if _LIKE_A_FILE.fullmatch(request):
        raise _missing(path)
    return Sheet(source="", spec=one_shot(request))


def trusted_spec(site: Site, request: str, settings: Settings, env: Mapping[str, str]) -> Sheet:
    """What is asked for, once the user has agreed to what its checks and verification steps would have run, and to
    the tests that it lets stories change. A file from elsewhere is the user's own choice; one of the repository may be
    anybody's.
    """
    sheet = asked_for(site, request)
    if sheet.source and (claim := claim_of(site, sheet, protection_of(settings))):
        ensure(claim, env)
    return sheet


def claim_of(site: Site, sheet: Sheet, protection: Protection) -> Claim | None:
    """Of the file itself, also where its folder was named. It is the repository's where its name stands in the
    repository, and where what the name leads to does: a link out of the repository was made by whoever made the
    repository.
    """
    named = Path(os.path.normpath(site.root / sheet.source.partition(":")[2]))
    leads, root = named.resolve(), site.root.resolve()
    if named.is_relative_to(site.root) or named.is_relative_to(root):
        leads = leads if leads.is_relative_to(root) else named
    elif not leads.is_relative_to(root):
        return None
    return spec_claim(leads, sheet.spec, opened(sheet.spec, protection))


def protection_of(settings: Settings) -> Protection:
    """What is protected from stories here: by the settings, and because gates name it."""
    return replace(settings.proof.protection, commands=tuple(gate.command for gate in settings.gate_list))


def counted(sheet: Sheet) -> str:
    """How many stories there are, for the title; nothing of a single sentence."""
    stories, done = len(sheet.spec.stories), len(sheet.done)
    told = f"{stories} stor{'y' if stories == 1 else 'ies'}"
    return f"{told}, {done} landed before" if done else told if sheet.source else ""


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a sentence may be too long for a name
        return False


def _missing(path: Path) -> UsageError:
    beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, n=1)
    meant = path.with_name(close[0]) if close else None
    told = f"; did you mean {meant}?" if meant else ""
    ahead = f"shiftwork run {meant}" if meant else "shiftwork init --prd writes one"
    return UsageError(f"there is no file {path}{told}", hint=f"{ahead}; if it is a request, write it as a sentence")
