"""Files of notes that other tools' agents keep: no commit has them, and the next agents find what was added."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftwork.adapters.agents.scripted import Turn
from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.app.commands.runs import Order, start_run, wait_for
from shiftwork.domain.core.ids import landing_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.ports.agent import AgentTask
from shiftwork.records import replace
from shiftwork.testing.builders import asked
from tests.app.rig import SHORT, Rig, done


def order_of(*stories: Story, parallel: int = 1) -> Order:
    return Order(
        spec=Spec(title="Work", description="What there is to do", stories=stories),
        workflow=SHORT,
        branch="main",
        landing=landing_stream("test", "main"),
        agent="scripted",
        parallel=parallel,
        ordered=parallel == 1,
    )


def worked(rig: Rig, order: Order, script: Callable[[AgentTask], Turn]) -> RunState:
    rig.script = script

    async def scenario() -> RunState:
        async with rig.open() as context:
            return await asyncio.wait_for(wait_for(context, await start_run(context, order)), timeout=60)

    return asyncio.run(scenario())


def seen_by(task: AgentTask, name: str) -> str:
    path = task.workdir / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_what_an_agent_appends_reaches_the_next_stories_and_nothing_of_it_lands(rig: Rig) -> None:
    seen: list[tuple[str, str]] = []

    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        before = seen_by(task, "progress.txt")
        seen.append((story, before))
        mine = {
            "progress.txt": f"{before}{story} is done\n",
            "MEMORY.md": "Use tabs\n",
            f"scratch_{story}.md": "mine\n",
        }
        return done(write={**mine, "work.txt": f"{story}\n"})

    run = worked(rig, order_of(asked(1), asked(2)), script)
    assert run.status is RunStatus.COMPLETED
    assert not {"progress.txt", "MEMORY.md", "scratch_US-001.md"} & set(rig.list_files())
    of_second = [text for story, text in seen if story == "US-002"]
    assert of_second[0].startswith("US-001 is done\n")
    assert any("Use tabs" in note.text for note in run.memory.project.all)


def test_parallel_stories_do_not_conflict_on_them(rig: Rig) -> None:
    def script(task: AgentTask) -> Turn:
        story = task.env["SHIFTWORK_STORY"]
        return done(write={"progress.txt": f"## {story}\n", "work.txt": "same\n", f"{story}.txt": "x\n"})

    run = worked(rig, order_of(asked(1), asked(2), asked(3), parallel=3), script)
    assert run.status is RunStatus.COMPLETED
    assert "progress.txt" not in rig.list_files()


def test_a_file_that_the_base_has_or_the_story_asks_for_is_a_file_like_any_other(rig: Rig) -> None:
    rig.commit_files({"MEMORY.md": "kept here\n"}, "the user's own")
    story = replace(asked(1), description="Write progress.txt")
    run = worked(
        rig, order_of(story), lambda _: done(write={"MEMORY.md": "new\n", "progress.txt": "p\n", "work.txt": "w\n"})
    )
    assert run.status is RunStatus.COMPLETED
    assert (rig.read_file("MEMORY.md").strip(), rig.read_file("progress.txt").strip()) == ("new", "p")


def test_what_an_agent_wrote_into_agents_md_is_passed_on_as_a_quotation(rig: Rig) -> None:
    run = worked(rig, order_of(asked(1)), lambda _: done(write={"AGENTS.md": "Always use tabs\n", "work.txt": "w\n"}))
    assert run.status is RunStatus.COMPLETED
    assert "AGENTS.md" not in rig.list_files()
    (fact,) = [fact for fact in asyncio.run(rig.facts(run, "")) if isinstance(fact, run_facts.NoteShared)]
    assert fact.text == "US-001 wanted to add to AGENTS.md, which no person has approved:\n> Always use tabs"


def test_lines_that_an_agent_removed_from_agents_md_are_not_passed_on(rig: Rig) -> None:
    rig.commit_files({"AGENTS.md": "Use tabs\nBe brief\n"}, "the user's own")
    run = worked(rig, order_of(asked(1)), lambda _: done(write={"AGENTS.md": "Use tabs\n", "work.txt": "w\n"}))
    assert run.status is RunStatus.COMPLETED
    assert rig.read_file("AGENTS.md").splitlines() == ["Use tabs", "Be brief"]
    assert not [fact for fact in asyncio.run(rig.facts(run, "")) if isinstance(fact, run_facts.NoteShared)]


@pytest.fixture
def folders(tmp_path: Path) -> LocalAttemptFolders:
    return LocalAttemptFolders(tmp_path / "state")


def test_a_link_is_removed_and_not_followed(folders: LocalAttemptFolders, tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    for folder in (tree, outside):
        folder.mkdir()
    (outside / "A.json").write_text("secret", encoding="utf-8")
    (tree / "progress.txt").symlink_to(outside / "A.json")
    (tree / "workflow_edits").symlink_to(outside)
    found = asyncio.run(folders.take_scratch(tree, {"progress.txt": "", "workflow_edits/A.json": "", "none.md": ""}))
    assert found == {}
    assert (outside / "A.json").read_text(encoding="utf-8") == "secret"
    assert not (tree / "progress.txt").is_symlink()


def test_what_was_rewritten_counts_by_its_new_lines(folders: LocalAttemptFolders, tmp_path: Path) -> None:
    laid = asyncio.run(folders.lay_scratch(tmp_path, {"scratch.md": "old\n", "MEMORY.md": ""}))
    assert [path.name for path in tmp_path.iterdir()] == ["scratch.md"]
    (tmp_path / "scratch.md").write_text("new\nold\n", encoding="utf-8")
    (tmp_path / "MEMORY.md").mkdir()
    (tmp_path / "workflow_edits").mkdir()
    (tmp_path / "workflow_edits" / "A.json").write_text("{}", encoding="utf-8")
    found = asyncio.run(folders.take_scratch(tmp_path, {**laid, "workflow_edits/A.json": ""}))
    assert found == {"scratch.md": "new", "workflow_edits/A.json": "{}"}
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]
