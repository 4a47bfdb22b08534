"""`shiftwork notes`: what a run has learnt, and which file contains it."""

from pathlib import Path

import click

from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.views.documents.commands.result_documents import Notes, note_shelf
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.story_lookup import check_story
from shiftwork.bootstrap.state.read_only import liveness, notebook_of, open_queries
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.memory.notes import Shelf
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.entrypoints.cli.control.which_run import check_story_run
from shiftwork.entrypoints.cli.env import id_completion
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.sanitize import plain
from shiftwork.ports.store import History
from shiftwork.prompts import notebook
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesFile:
    """One page, from the history. The `file` has the same content once the run's worker has written it."""

    file: Path
    text: str
    shelves: dict[str, Shelf]


@click.command("notes", short_help="Show what a run has learnt.")
@click.argument("run", default="", type=id_completion.RUN)
@click.option(
    "--story", default="", type=id_completion.STORY, metavar="STORY", help="Show the notes of one story instead."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(run: str, story: str, *, as_json: bool) -> None:
    """Show what a run has learnt: its progress with the patterns of the code base, and the notes for all stories.

    RUN is an id or its first characters; default: the newest run.
    """
    site = here()
    queries = open_queries(site)
    if story and not run:
        check_story_run(site, story, f"shiftwork notes {{run}} --story {story}")
    view = answer(lambda: run_view(queries, run, liveness(), every_step=False))
    if story:
        check_story(view, story)
    folder = notebook_of(site).where(RunId(view.run.run))
    notes_files = answer(lambda: _notes_files(queries.history, RunId(view.run.run), StoryId(story), folder))
    if as_json:
        shelves = {name: shelf for notes_file in notes_files for name, shelf in notes_file.shelves.items()}
        say(
            Notes(
                run=view.run.run,
                story=story or None,
                patterns=note_shelf(shelves.get("patterns")),
                learnt=note_shelf(shelves.get("progress")),
                project_notes=note_shelf(shelves.get("project")),
                story_notes=note_shelf(shelves.get("notes")),
                files=[str(notes_file.file) for notes_file in notes_files],
            )
        )
        return
    click.echo(
        "\n".join(f"{plain(notes_file.text)}\nfile: {notes_file.file}\n" for notes_file in notes_files).rstrip("\n")
    )


async def _notes_files(history: History, run: RunId, story: StoryId, folder: Path) -> list[NotesFile]:
    if story:
        return _story_files(await load(history, STORY, story_stream(run, story)), story, folder)
    return _run_files(await load(history, RUN, run_stream(run)), folder)


def _run_files(run: RunState, folder: Path) -> list[NotesFile]:
    memory = run.memory
    learnt = {"patterns": memory.patterns, "progress": memory.progress}
    return [
        NotesFile(file=folder / notebook.PROGRESS, text=notebook.progress_text(run), shelves=learnt),
        NotesFile(file=folder / notebook.SCRATCH, text=notebook.scratch_text(run), shelves={"project": memory.project}),
    ]


def _story_files(known: StoryState, story: StoryId, folder: Path) -> list[NotesFile]:
    text = notebook.story_text(known) if known.assignment else f"{story} has not started yet.\n"
    return [NotesFile(file=folder / notebook.story_scratch(story), text=text, shelves={"notes": known.dialogue.notes})]
