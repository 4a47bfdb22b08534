"""`shiftwork gc`: cleans up after runs, and first saves work that has not landed."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final

import click

from shiftwork.app.commands.gc import Archived, Cleaned, Spared, Sweep, archive, clean
from shiftwork.app.views.documents.commands import setup_documents as documents
from shiftwork.bootstrap.state.open_cleanup import open_cleanup
from shiftwork.config.project import Ownership
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.options.quiet import is_quiet, quietable
from shiftwork.entrypoints.cli.render.byte_size import shown_size
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import UsageError
from shiftwork.ports.remains import Weight
from shiftwork.regexes import regex

_NAMED_BYTES: Final = 1 << 20
"""A cache that is smaller is not worth a line."""

_EMPTY: Final = Sweep(cleaned=(), spared=(), leases=())

_AGE: Final = regex(r"(\d{1,6})([hdw])")
_SECONDS: Final = {"h": 3600.0, "d": 86400.0, "w": 604800.0}


def _seconds(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    found = _AGE.fullmatch(value)
    if found is None:
        raise UsageError(f"{value} is no age: write a number and h, d or w", hint="shiftwork gc --older-than 30d")
    return int(found[1]) * _SECONDS[found[2]]


@click.command("gc", short_help="Clean up after finished runs.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show what would be removed.")
@click.option("--all", "unfinished", is_flag=True, help="Also remove workspaces of interrupted runs, and the cache.")
@click.option(
    "--older-than", "age", metavar="AGE", callback=_seconds, help="Archive runs that ended longer ago: 12h, 30d, 8w."
)
@quietable
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, dry: bool, unfinished: bool, age: float | None, as_json: bool) -> None:
    """Clean up after finished runs: their workspaces, attempt folders, refs, leases and remaining processes.

    Work that has not landed is first saved as a git bundle in .git/shiftwork/bundles, including uncommitted files. Logs
    and diffs stay. A run that a process works on is left alone. The working trees and environments of repositories that
    are gone are removed. With --all, interrupted runs lose their workspaces as well, and can still be resumed; and if
    no process works here, so do the environments and the trees of gates, which the next run builds again.

    With --older-than, finished runs also leave the database: the facts of each move to one file in
    .git/shiftwork/archive. status, report, export and proof read them from there; such a run cannot be retried.
    """
    site, swept, moved = here(), _EMPTY, tuple[Archived | Spared, ...]()
    if site.ownership is not Ownership.NONE:
        show = _unseen if as_json or is_quiet() else partial(_show, dry=dry)
        swept, moved = asyncio.run(_sweep(site, age, show, dry=dry, unfinished=unfinished))
    if as_json:
        say(_document(swept, moved, dry=dry))
    else:
        click.echo("\n".join(_output(swept, dry=dry)))


def _unseen(item: Cleaned | Spared | Archived) -> None:
    """For who wants the result alone."""


def _show(item: Cleaned | Spared | Archived, *, dry: bool) -> None:
    """Each run as soon as it is done: many take a while."""
    with though_undelivered():
        click.echo("\n".join(_lines(item, dry=dry)))


async def _sweep(
    site: Site, age: float | None, show: Callable[[Cleaned | Spared | Archived], None], *, dry: bool, unfinished: bool
) -> tuple[Sweep, tuple[Archived | Spared, ...]]:
    async with open_cleanup(site, environment()) as cleanup:
        swept = await clean(cleanup, unfinished=unfinished, dry=dry, seen=show)
        return swept, () if age is None else await archive(cleanup, age, dry=dry, seen=show)


def _lines(item: Cleaned | Spared | Archived, *, dry: bool) -> Iterator[str]:
    match item:
        case Archived():
            where = f" to archive/{item.file}" if item.file else ""
            yield f"{plain(item.run)}  {'would archive' if dry else 'archived'} {item.facts:,} facts{where}"
        case Spared():
            yield f"{plain(item.run)}  left alone: {plain(item.reason)}"
        case _:
            yield from _cleaned(item, dry=dry)


def _document(swept: Sweep, moved: tuple[Archived | Spared, ...], *, dry: bool) -> documents.Cleaning:
    return documents.Cleaning(
        dry_run=dry,
        freed=documents.Freed(**asdict(swept.freed)),
        cleaned=[
            documents.CleanedRun(
                run=cleaned.run,
                freed=documents.Freed(**asdict(cleaned.freed)),
                saved=[str(bundle) for bundle in cleaned.kept],
                ended_processes=cleaned.ended,
            )
            for cleaned in swept.cleaned
        ],
        spared=[documents.SparedRun(**asdict(spared)) for spared in swept.spared],
        archived_runs=[documents.ArchivedRun(**asdict(item)) for item in moved if isinstance(item, Archived)],
        not_archived=[documents.SparedRun(**asdict(item)) for item in moved if isinstance(item, Spared)],
        leases=swept.leases,
        gone_repositories=[documents.GoneRepositoryLine(folder=gone.checkout, bytes=gone.bytes) for gone in swept.gone],
        kept_for_next_run=documents.Freed(**asdict(swept.cached)),
    )


def _output(swept: Sweep, *, dry: bool) -> Iterator[str]:
    for resource in swept.leases:
        yield f"{'would release' if dry else 'released'} the lease of an ended worker: {plain(resource)}"
    for gone in swept.gone:
        done, size = "would remove" if dry else "removed", shown_size(gone.bytes)
        yield f"{done} the cache of {plain(gone.checkout)}, which is gone ({size})"
    yield f"{'would free' if dry else 'freed'} {shown_size(swept.freed.bytes)}"
    if swept.cached.bytes >= _NAMED_BYTES:
        yield f"kept for the next run: {shown_size(swept.cached.bytes)} of environments and trees of gates"
        yield "  they can be built again; to remove them: shiftwork gc --all"


def _cleaned(cleaned: Cleaned, *, dry: bool) -> Iterator[str]:
    yield f"{cleaned.run}  {'would remove' if dry else 'removed'} {_weighed(cleaned.freed)}"
    if cleaned.ended:
        yield f"    ended {_many(cleaned.ended, 'process', 'processes')} that were still running"
    for bundle in cleaned.kept:
        yield f"    saved work that had not landed: {_from_here(bundle)}"


def _weighed(weight: Weight) -> str:
    counts = (
        _many(weight.workspaces, "workspace", "workspaces"),
        _many(weight.attempt_folders, "attempt folder", "attempt folders"),
        _many(weight.refs, "ref", "refs"),
    )
    return f"{', '.join(counts)} ({shown_size(weight.bytes)})"


def _many(count: int, text: str, more: str) -> str:
    return f"{count} {text if count == 1 else more}"


def _from_here(path: Path) -> str:
    here_now = Path.cwd()
    return str(path.relative_to(here_now) if path.is_relative_to(here_now) else path)
