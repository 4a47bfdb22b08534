"""What every spec format must do: read the whole file, report mistakes by position, change only landed stories."""

# ruff: noqa: S101 - suites use assert

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path

import pytest

from shiftwork.domain.core.ids import StoryId
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Mark, Sheet, Specs

LANDED = Mark(done=True, note="Landed as 0123456789ab")
UNDONE = Mark(done=False)


class SpecsConformance(ABC):
    """Subclasses define a `sample` that is written to `file`: four stories with `ids`; the first is done, and the
    second and the third depend only on it.
    """

    file: str
    sample: str
    ids: tuple[str, str, str, str]

    @abstractmethod
    def specs(self, root: Path) -> Specs: ...

    @abstractmethod
    def landed(self, number: int) -> str:
        """The expected sample after the story with that number, counted from 1, has landed."""

    # Helpers -------------------------------------------------------------------------------------------------------

    def write(self, root: Path, text: str | None = None) -> Path:
        path = root / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((self.sample if text is None else text).encode())
        return path

    def read(self, root: Path) -> Sheet:
        return asyncio.run(self.specs(root).read(self.file))

    def mark(self, root: Path, ids: Iterable[str], mark: Mark = LANDED) -> frozenset[StoryId]:
        source = f"{self.format_of(root)}:{self.file}"
        return asyncio.run(self.specs(root).mark(source, {StoryId(name): mark for name in ids}))

    def format_of(self, root: Path) -> str:
        """The format of the sample, whatever the file contains now."""
        beside = root / "sample"
        path = beside / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.sample.encode())
        return asyncio.run(self.specs(beside).read(self.file)).source.partition(":")[0]

    def text(self, root: Path) -> str:
        return (root / self.file).read_bytes().decode()

    # Reading -------------------------------------------------------------------------------------------------------

    def test_the_stories_are_read_in_their_order(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        sheet = self.read(tmp_path)
        assert tuple(story.id for story in sheet.spec.stories) == self.ids
        assert sheet.done == {self.ids[0]}
        assert all(story.title and story.criteria for story in sheet.spec.stories)
        first, second, third, _ = sheet.spec.stories
        assert (first.depends_on, second.depends_on, third.depends_on) == ((), (first.id,), (first.id,))

    def test_an_agent_is_reported_which_file_to_leave_alone(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        assert Path(self.file).name in self.read(tmp_path).spec.instructions

    def test_reading_changes_nothing(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        before = path.stat()
        self.read(tmp_path)
        assert self.text(tmp_path) == self.sample
        assert path.stat().st_mtime_ns == before.st_mtime_ns

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(SpecError, match="there is no file"):
            self.read(tmp_path)

    def test_a_file_that_is_no_text(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        path.write_bytes(b"{\n \xff")
        with pytest.raises(SpecError, match=r":2:2: this is not UTF-8"):
            self.read(tmp_path)

    def test_a_file_without_stories_says_where_they_are_missing(self, tmp_path: Path) -> None:
        self.write(tmp_path, "{}\n" if self.file.endswith(".json") else "# Nothing\n\n## 1. Here\n")
        with pytest.raises(SpecError, match=r"^[^\n]+:\d+:\d+: .*(no|stories)"):
            self.read(tmp_path)

    # Writing back --------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("number", [2, 3, 4])
    def test_what_has_landed_is_marked_and_nothing_else_is_touched(self, tmp_path: Path, number: int) -> None:
        self.write(tmp_path)
        self.mark(tmp_path, [self.ids[number - 1]])
        assert self.text(tmp_path) == self.landed(number)
        assert self.read(tmp_path).done == {self.ids[0], self.ids[number - 1]}

    def test_marking_twice_changes_nothing_more(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        self.mark(tmp_path, self.ids)
        once, before = self.text(tmp_path), path.stat()
        assert self.mark(tmp_path, self.ids) == set(self.ids), "the file says so, whatever wrote it"
        assert self.text(tmp_path) == once
        assert path.stat().st_ino == before.st_ino, "a file that needs no change is not written"

    def test_a_story_that_was_undone_is_open_again(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        self.mark(tmp_path, self.ids[:2])
        self.mark(tmp_path, self.ids[1:2], UNDONE)
        assert self.read(tmp_path).done == {self.ids[0]}

    def test_what_the_user_has_changed_meanwhile_stays(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        self.read(tmp_path)
        title = self.read(tmp_path).spec.stories[3].title
        self.write(tmp_path, self.sample.replace(title, f"{title}, quickly"))
        self.mark(tmp_path, [self.ids[1]])
        assert self.text(tmp_path) == self.landed(2).replace(title, f"{title}, quickly")

    def test_a_story_that_is_no_longer_there_is_passed_over(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        assert self.mark(tmp_path, ["US-999", self.ids[2]]) == {self.ids[2]}
        assert self.text(tmp_path) == self.landed(3)

    @pytest.mark.parametrize("end", ["\r\n", "\n"])
    @pytest.mark.parametrize("tail", ["", "\n", "\n\n \t\n"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_line_ends_and_what_surrounds_the_text_stay(self, tmp_path: Path, end: str, tail: str, mark: str) -> None:
        def dressed(text: str) -> str:
            return (mark + text.rstrip("\n") + tail).replace("\n", end)

        self.write(tmp_path, dressed(self.sample))
        assert tuple(story.id for story in self.read(tmp_path).spec.stories) == self.ids
        self.mark(tmp_path, [self.ids[1]])
        assert self.text(tmp_path) == dressed(self.landed(2))

    def test_a_file_that_has_gone_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(SpecError, match=f"there is no file {self.file}"):
            self.mark(tmp_path, [self.ids[1]])

    def test_mode_and_link_stay_and_nothing_is_left_beside(self, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        kept.mkdir()
        path = self.write(tmp_path)
        path.rename(kept / "real")
        (kept / "real").chmod(0o640)
        path.symlink_to(kept / "real")
        self.mark(tmp_path, [self.ids[1]])
        assert path.is_symlink()
        assert (kept / "real").read_bytes().decode() == self.landed(2)
        assert (kept / "real").stat().st_mode & 0o777 == 0o640
        assert [file.name for file in kept.iterdir()] == ["real"]

    def test_what_somebody_who_died_has_left_is_no_hindrance(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        path.with_name(f".{path.name}.shiftwork").write_text("half a fi")
        self.mark(tmp_path, [self.ids[1]])
        assert self.text(tmp_path) == self.landed(2)
        assert not path.with_name(f".{path.name}.shiftwork").exists()

    def test_many_who_write_at_once_lose_nothing(self, tmp_path: Path) -> None:
        self.write(tmp_path)
        source = f"{self.format_of(tmp_path)}:{self.file}"

        async def all_at_once() -> None:
            specs = [self.specs(tmp_path) for _ in self.ids]
            marks = [{StoryId(name): LANDED} for name in self.ids]
            await asyncio.gather(*(spec.mark(source, mark) for spec, mark in zip(specs, marks, strict=True)))

        asyncio.run(all_at_once())
        assert self.read(tmp_path).done == set(self.ids)
