"""`shiftwork diff`: what a story has changed so far, or what it has landed."""

import asyncio

import click

from shiftwork.app.folds import STORY, load
from shiftwork.app.views.documents.commands.result_documents import Diff, changed_file
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.story_lookup import check_story
from shiftwork.app.views.story_patches import patch_of
from shiftwork.bootstrap.state.open_git import open_changes
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import Commit, RunId, StoryId, story_stream
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.story.state import StoryStatus
from shiftwork.entrypoints.cli.control.which_run import NEEDS_YOU, check_story_run, only_story
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import exact
from shiftwork.entrypoints.cli.terminal.pager import show, unpaged
from shiftwork.entrypoints.cli.terminal.style import Line, Style, has_colors, joined
from shiftwork.errors import UsageError
from shiftwork.ports.changes import Difference
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Which commits are compared; an empty `base` means the parent of `tip`. With `approved`, the tip is compared with
    the approved patch applied to the base. `undone` names the commit that reverted the landed work.
    """

    run: str
    story: str
    base: Commit
    tip: Commit
    landed: bool
    undone: str = ""
    approved: Commit = Commit("")


@click.command("diff", short_help="Show what a story has changed.")
@click.argument("story", default="", type=id_completion.STORY)
@click.option(
    "--run",
    default="",
    type=id_completion.RUN,
    metavar="RUN",
    help="Run id, or its first characters; default: the newest run.",
)
@click.option("--since-approved", is_flag=True, help="Only what has changed since you approved it.")
@click.option("--stat", is_flag=True, help="Only count the lines of each file.")
@unpaged
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(story: str, run: str, *, since_approved: bool, as_json: bool, **form: bool) -> None:
    """Show what STORY has changed: the commit that landed, the commit that needs your approval, or the result of its
    finished steps so far. Without STORY, it is the only story that needs you.

    Changes that a running step has not committed yet are not shown. --since-approved leaves out what you have approved
    before, and what others have changed since. Characters that are invisible or that a terminal interprets are written
    out: ^[, ^M, <U+202E>. --json has the patch byte for byte, as far as it is text.
    """
    site = here()
    queries = open_queries(site)
    if not story:
        run, story = only_story(site, run, "diff", NEEDS_YOU)
    if not run:
        check_story_run(site, story, f"shiftwork diff {story} --run {{run}}")
    view = answer(lambda: run_view(queries, run, liveness()))
    check_story(view, story)
    compared, difference = asyncio.run(_compare(site, view.run.run, story, since_approved=since_approved))
    if as_json:
        files = [changed_file(file) for file in difference.files]
        say(
            Diff(
                run=compared.run,
                story=compared.story,
                base=compared.base,
                commit=compared.tip,
                landed=compared.landed,
                undone_by=compared.undone,
                approved=compared.approved,
                file_changes=files,
                patch=None if form["stat"] else difference.patch,
            )
        )
        return
    if compared.undone:
        click.echo(f"{story} was undone: this is the work that was {compared.undone}", err=True)
    if not compared.landed and compared.tip != compared.base:
        click.echo(f"commit {compared.tip[:12]} on {compared.base[:12]}", err=True)
    text = counted(difference) if form["stat"] else exact(difference.patch).rstrip("\n") or counted(difference)
    lines = (Line(line, _style(line)) for line in text.split("\n"))
    show(joined(lines, colors=has_colors(environment())), environment(), paged=not form["no_pager"])


def _style(line: str) -> Style:
    """As git colours a patch."""
    if line.startswith(("diff --git ", "+++ ", "--- ", "index ")):
        return Style.BOLD
    return {"+": Style.GREEN, "-": Style.RED, "@": Style.BLUE}.get(line[:1], Style.PLAIN)


async def _compare(site: Site, run: str, story: str, *, since_approved: bool) -> tuple[Compared, Difference]:
    history = open_queries(site).history
    state = await load(history, STORY, story_stream(RunId(run), StoryId(story)))
    shown, landed, approved = patch_of(state), state.landed is not None, state.landing.approved
    compared = Compared(run=run, story=story, base=shown.base, tip=shown.commit, landed=landed)
    if state.status is StoryStatus.UNDONE:
        compared = replace(compared, undone=state.outcome.reason)
    if since_approved and approved is None:
        raise UsageError(f"no patch of {story} is approved", hint=f"shiftwork diff {story} --run {run}")
    if not shown.commit or shown.base == shown.commit:
        return compared, Difference(files=(), patch="")
    changes = await open_changes(site, environment())
    if since_approved and approved is not None:
        compared = replace(compared, approved=approved.commit)
        return compared, await changes.since(approved, shown)
    return compared, await changes.between(shown.base, shown.commit)


def counted(difference: Difference) -> str:
    if not difference.files:
        return "nothing has changed"
    added = sum(file.added or 0 for file in difference.files)
    removed = sum(file.removed or 0 for file in difference.files)
    count = len(difference.files)
    files, lines = f"{count} file{'' if count == 1 else 's'}", f"{added} line{'' if added == 1 else 's'}"
    total = f"{files} changed, {lines} added, {removed} removed"
    return "\n".join((*(_counted(file) for file in difference.files), total))


def _counted(file: FileChange) -> str:
    counts = "binary" if file.added is None else f"+{file.added} -{file.removed}"
    return f"{counts:>12}  {_path(file.path)}"


def _path(path: str) -> str:
    """The path on one line."""
    return exact(path).replace("\n", "^J").replace("\t", "^I")
