"""`shiftwork gc`: cleans up after runs, and first saves work that has not landed."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from shiftwork.app.commands.gc import Archived, Cleaned, Spared, Sweep, archive, clean
from shiftwork.bootstrap.state.open_broom import open_broom
from shiftwork.config.project import Ownership
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.errors import UsageError
from shiftwork.ports.remains import Weight

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")
_EMPTY: Final = Sweep(cleaned=(), spared=(), leases=())

_AGE: Final = re.compile(r"(\d{1,6})([hdw])")
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
@click.option("--all", "unfinished", is_flag=True, help="Also remove workspaces of interrupted runs.")
@click.option(
    "--older-than", "age", metavar="AGE", callback=_seconds, help="Archive runs that ended longer ago: 12h, 30d, 8w."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, dry: bool, unfinished: bool, age: float | None, as_json: bool) -> None:
    """Clean up after finished runs: their workspaces, attempt folders, refs, leases and remaining processes.

    Work that has not landed is first saved as a git bundle in .git/shiftwork/bundles, including uncommitted files. Logs
    and diffs stay. A run that a process works on is left alone. With --all, interrupted runs lose their workspaces as
    well, and can still be resumed.

    With --older-than, finished runs also leave the database: the facts of each move to one file in
    .git/shiftwork/archive. status, report, export and proof read them from there; such a run cannot be retried.
    """
    site, swept, moved = here(), _EMPTY, tuple[Archived | Spared, ...]()
    if site.ownership is not Ownership.NONE:
        swept, moved = asyncio.run(_sweep(site, age, dry=dry, unfinished=unfinished))
    if as_json:
        say(_document(swept, moved, dry=dry))
    else:
        click.echo("\n".join((*_moved(moved, dry=dry), *_output(swept, dry=dry))))


async def _sweep(
    site: Site, age: float | None, *, dry: bool, unfinished: bool
) -> tuple[Sweep, tuple[Archived | Spared, ...]]:
    async with open_broom(site, environment()) as broom:
        swept = await clean(broom, unfinished=unfinished, dry=dry)
        return swept, () if age is None else await archive(broom, age, dry=dry)


def _moved(moved: tuple[Archived | Spared, ...], *, dry: bool) -> Iterator[str]:
    for item in moved:
        if isinstance(item, Archived):
            where = f" to archive/{item.file}" if item.file else ""
            yield f"{plain(item.run)}  {'would archive' if dry else 'archived'} {item.facts:,} facts{where}"
        else:
            yield f"{plain(item.run)}  not archived: {plain(item.reason)}"


def _document(swept: Sweep, moved: tuple[Archived | Spared, ...], *, dry: bool) -> dict[str, Any]:
    return {
        "archived": [asdict(item) for item in moved if isinstance(item, Archived)],
        "not_archived": [asdict(item) for item in moved if isinstance(item, Spared)],
        "dry_run": dry,
        "freed": asdict(swept.freed),
        "cleaned": [{**asdict(cleaned), "kept": [str(bundle) for bundle in cleaned.kept]} for cleaned in swept.cleaned],
        "spared": [asdict(spared) for spared in swept.spared],
        "leases": list(swept.leases),
    }


def _output(swept: Sweep, *, dry: bool) -> Iterator[str]:
    for cleaned in swept.cleaned:
        yield from _cleaned(cleaned, dry=dry)
    for spared in swept.spared:
        yield f"{plain(spared.run)}  left alone: {plain(spared.reason)}"
    for resource in swept.leases:
        yield f"{'would release' if dry else 'released'} the lease of an ended worker: {plain(resource)}"
    yield f"{'would free' if dry else 'freed'} {_size(swept.freed.bytes)}"


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
    return f"{', '.join(counts)} ({_size(weight.bytes)})"


def _many(count: int, text: str, more: str) -> str:
    return f"{count} {text if count == 1 else more}"


def _size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} {_UNITS[-1]}"


def _from_here(path: Path) -> str:
    here_now = Path.cwd()
    return str(path.relative_to(here_now) if path.is_relative_to(here_now) else path)
