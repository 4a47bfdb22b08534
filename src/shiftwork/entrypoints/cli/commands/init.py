"""`shiftwork init`: writes a short settings file with the checks that the project already has."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click

from shiftwork import umask
from shiftwork.app.commands.explain_gate import red_reason
from shiftwork.app.views.amounts import duration
from shiftwork.app.views.documents.commands.setup_documents import Init, InitSpec, TriedGate
from shiftwork.config.agents.installed_agent import agent_instead
from shiftwork.config.detection.found import Detected
from shiftwork.config.detection.project_gates import detect
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.config.templates.prd import PRD_FILE, prd_file
from shiftwork.config.templates.settings_file import SETUP, settings_file
from shiftwork.config.trust.consent_claims import Command, settings_claim
from shiftwork.entrypoints.cli.env.conditions import with_known_files
from shiftwork.entrypoints.cli.env.repository import around
from shiftwork.entrypoints.cli.env.trust import TRUST, book, can_ask_a_person, changes
from shiftwork.entrypoints.cli.gates.found_gates import Checked, check_found
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check_unlinked
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, SettingsError, UsageError

_UNASKED: Final = "you have not agreed to it; look at shiftwork.toml, then: shiftwork trust && shiftwork doctor --gates"

_NEED_LINES: Final = 3


@click.command("init", short_help="Write a shiftwork.toml with the checks this project already has.")
@click.option("--prd", is_flag=True, help="Write a prd.json with explanations for you to fill in, and no settings.")
@click.option("--print", "only_print", is_flag=True, help="Print the file instead of writing it; nothing is run.")
@click.option("--no-check", is_flag=True, help="Write all checks without running them.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, prd: bool, only_print: bool, no_check: bool, force: bool, as_json: bool) -> int:
    """Write a short shiftwork.toml with the checks this project already has; `shiftwork config` lists and changes the
    other settings.

    It finds the checks of Python, Node, Rust, Go, Java, Ruby, Elixir, PHP and .NET projects, the hooks of pre-commit,
    the targets test, lint and check of a Makefile or a justfile, and the command that installs what they need. At a
    terminal you are asked whether to run all of it once on the last commit of the branch, in a separate tree: a check
    that is already red there stays in force, with the reason beside it: a run offers to repair it first. If the
    sandbox blocks what it needs, such as a test database, you are shown what to type. With no check at all the exit
    code is 1. Without a terminal nothing is run, unless SHIFTWORK_TRUST is set. --prd writes a spec to fill in and run
    with `shiftwork run`.
    """
    site = around()
    if prd:
        _spec(site, only_print=only_print, force=force, as_json=as_json)
        return EXIT_DONE
    found = detect(site.root, environment())
    agent = agent_instead(environment())
    path, checked, shown = site.root / SETTINGS_FILE, Checked(skipped="--no-check"), False
    text = settings_file(found, agent=agent)
    if not only_print:
        _write(path, text, force=force)
        asks = bool(found.gates) and not no_check
        agreed = _agreed(found, asks=asks)
        shown = asks and agreed and not environment().get(TRUST)
        if asks and not agreed:
            checked = Checked(skipped=_UNASKED)
        elif asks:
            click.echo("\n".join(phrases.at_words(_announced(found))), err=True)
            checked = _checked(site)
            text = settings_file(found, checked.red, agent=agent)
            _write(path, text, force=True)
        if agreed:
            _trust(site)
    if as_json:
        say(Init(file=str(path), written=not only_print, **_document(found, checked), text=text))
    elif only_print:
        click.echo(text, nl=False)
    else:
        click.echo("\n".join(_summary(found, checked, shown=shown)))
    return EXIT_DONE if found.gates or only_print else EXIT_FAILED


def _spec(site: Site, *, only_print: bool, force: bool, as_json: bool) -> None:
    text, path = prd_file(site.root.name), site.root / PRD_FILE
    if not only_print:
        _write(path, text, force=force)
    if as_json:
        say(InitSpec(file=str(path), written=not only_print, text=text))
    elif only_print:
        click.echo(text, nl=False)
    else:
        click.echo(f"wrote {PRD_FILE}; fill it in, then: shiftwork run {PRD_FILE}")


def _write(path: Path, text: str, *, force: bool) -> None:
    check_unlinked(path.parent, path)
    if path.exists() and not force:
        raise UsageError(f"{path} already exists", hint="--force replaces it; --print only shows")
    new = not path.exists()
    path.write_text(text, encoding="utf-8")
    if new:
        umask.share(path)


def _agreed(found: Detected, *, asks: bool) -> bool:
    """Whether the user agrees to what was found in the repository. Asking for a settings file is no consent to commands
    from someone else; if nothing was found, the file contains nothing from the repository.
    """
    if environment().get(TRUST) or not (found.gates or found.setup):
        return True
    if not asks or not can_ask_a_person():
        return False
    commands = [Command(where=gate.name, text=gate.command) for gate in found.gates]
    commands += [Command(where="setup", text=found.setup)] if found.setup else []
    click.echo("\n".join(("found in this repository:", *changes((), tuple(commands)))))
    return click.confirm("run these once on the last commit?")


def _trust(site: Site) -> None:
    """The user has agreed to what is in the file."""
    book(environment()).trust(settings_claim(site.root))


def _checked(site: Site) -> Checked:
    """With the settings that have just been written."""
    try:
        settings = load_settings(site.root, environment())
    except SettingsError as error:  # invalid environment variables
        return Checked(skipped=error.message)
    known = with_known_files(settings, site, environment())
    return asyncio.run(check_found(site, known, environment()))


def _announced(found: Detected) -> str:
    setup = "the setup command and " if found.setup else ""
    gates = "1 gate" if len(found.gates) == 1 else f"{len(found.gates)} gates"
    return f"running {setup}{gates} on the last commit (--no-check leaves that out)"


def _document(found: Detected, checked: Checked) -> dict[str, Any]:
    results = checked.results
    gates = [
        TriedGate(
            **asdict(gate),
            passed=results[gate.name].passed if gate.name in results else None,
            duration_seconds=results[gate.name].seconds if gate.name in results else None,
            reason=checked.why(gate.name),
        )
        for gate in found.gates
    ]
    return {
        "gates": gates,
        "setup": found.setup,
        "setup_reason": checked.red.get(SETUP, ""),
        "setup_seconds": checked.seconds,
        "checked_on": checked.branch,
        "not_checked": checked.skipped,
        "needs": list(checked.confined.messages),
        "choices": [command for command, _ in checked.confined.steps],
    }


def _summary(found: Detected, checked: Checked, *, shown: bool) -> Iterator[str]:
    """Without the commands, if the user was `shown` them with the question."""
    if found.gates:
        rows = list(_rows(found, checked))
        yield "" if shown else "found:"
        yield phrases.facts(list(_results(rows)) if shown else rows)
        yield from _remarks(found, checked)
    else:
        yield "you have no gates now: until [gates] names one, the only check is that something changed"
    yield f"wrote {SETTINGS_FILE}; look it over, commit it, then: shiftwork doctor"


def _rows(found: Detected, checked: Checked) -> Iterator[tuple[str, str]]:
    for gate in found.gates:
        yield gate.name, f"{gate.command}    (from {gate.source})"
        if result := checked.results.get(gate.name):
            where = "" if gate.name in checked.red else ", in the sandbox"
            red = f"red{where}: {red_reason(result)}"
            yield "", f"passed {duration(result.seconds)}" if result.passed else red
            yield from (("", line) for line in phrases.log_lines(result.log))
    if found.setup:
        yield "setup", found.setup
        if checked.setup:
            yield "", f"failed: {checked.setup} (written as a comment)"


def _results(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What came out, beside the names; the command alone, where nothing did."""
    for (name, text), (following, result) in pairwise((*rows, ("", ""))):
        if name:
            yield name, text if following or not result else result


def _remarks(found: Detected, checked: Checked) -> Iterator[str]:
    if checked.skipped:
        yield f"not run: {checked.skipped}"
    elif checked.setup:
        yield "the setup command failed, so the gates ran in your own environment: correct it, or leave it a comment"
    elif checked.red:
        passed = sum(result.passed for result in checked.results.values())
        yield f"{passed} of {len(found.gates)} gates pass; all are in force: a run offers to repair the red ones first"
    for message in checked.confined.messages:
        yield from phrases.wrapped(message, phrases.width(), most=_NEED_LINES)
    yield from phrases.following(checked.confined.steps, label="try: ")
