"""The request of a run: a spec with its own stories if a file or a folder is named, else one sentence."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import click

from shiftwork.app.commands.explain_gate import opened
from shiftwork.bootstrap.spec_files import form_of, read_spec
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, spec_claim
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.tampering.findings import Protection
from shiftwork.entrypoints.cli.env.trust import ensure
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import UsageError
from shiftwork.ports.specs import Form, Sheet
from shiftwork.records import replace
from shiftwork.regexes import regex

_LIKE_A_FILE: Final = regex(r"\S*/\S*|\S+\.[A-Za-z]\w*")
"""A word with a slash, or with a file extension."""


def asked_for(site: Site, request: str, form: Form = "") -> Sheet:
    """An existing path is a spec; a word that only looks like a file is more likely mistyped than a request. `form`
    says whether a list of boxes is one story or many; where its text decides, that is printed.
    """
    path = Path(request)
    if _is_there(path):
        sheet = read_spec(site, path, form)
        if not form and form_of(sheet.source) == "one":
            count = len(sheet.spec.stories[0].criteria)
            boxes = f"its {count} boxes are criteria" if count > 1 else "its box is a criterion"
            note = f"note: {sheet.source.partition(':')[2]} is one story, and {boxes}; for a story each: --as many"
            click.echo(plain(note), err=True)
        return sheet
    if _LIKE_A_FILE.fullmatch(request):
        raise _missing(path)
    return Sheet(source="", spec=one_shot(request))


def ensure_spec(site: Site, sheet: Sheet, settings: Settings, env: Mapping[str, str]) -> None:
    """Returns once the user has agreed to what the checks and verification steps of a spec would run, and to the tests
    that it lets stories change. A file from outside the repository is the user's own choice; a file in it may come from
    anyone.
    """
    if sheet.source and (claim := claim_of(site, sheet, protection_of(settings))):
        ensure(claim, env)


def claim_of(site: Site, sheet: Sheet, protection: Protection) -> Claim | None:
    """The claim of the file itself, even if its folder was named. The file belongs to the repository if its path is in
    the repository, or if the target of the path is: a link out of the repository comes from the repository's author.
    """
    named = Path(os.path.normpath(site.root / sheet.source.partition(":")[2]))
    leads, root = named.resolve(), site.root.resolve()
    if named.is_relative_to(site.root) or named.is_relative_to(root):
        leads = leads if leads.is_relative_to(root) else named
    elif not leads.is_relative_to(root):
        return None
    return spec_claim(leads, sheet.spec, opened(sheet.spec, protection))


def protection_of(settings: Settings) -> Protection:
    """What stories may not change here: by the settings, and because gates name it."""
    return replace(settings.proof.protection, commands=tuple(gate.command for gate in settings.gate_list))


def counted(sheet: Sheet) -> str:
    """The number of stories, for the title; empty for a single sentence."""
    stories, done = len(sheet.spec.stories), len(sheet.done)
    message = f"{stories} stor{'y' if stories == 1 else 'ies'}"
    return f"{message}, {done} done before" if done else message if sheet.source else ""


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a sentence may be too long for a path
        return False


def _missing(path: Path) -> UsageError:
    beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, n=1)
    meant = path.with_name(close[0]) if close else None
    message = f"; did you mean {meant}?" if meant else ""
    ahead = f"shiftwork run {meant}" if meant else "shiftwork init --prd writes one"
    return UsageError(f"there is no file {path}{message}", hint=f"{ahead}; if it is a request, write it as a sentence")
