"""Writing what landed back to any valid spec file changes only the marks of those stories.

Files are generated as pieces: a piece that a landing changes has a text before and a text after. So the expected
result is known without a parser: the same pieces, with the text after for the stories that landed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.specs._document import changed, place
from shiftwork.adapters.specs._draft import mistakes_of
from shiftwork.adapters.specs.open import FORMATS
from shiftwork.domain.core.ids import StoryId
from shiftwork.ports.specs import Mark

MANY = settings(max_examples=150, deadline=None)
NOTE = 'Landed as 0123 "quoted" — done'


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Some text; `after` replaces it once the story that it belongs to has landed."""

    before: str
    after: str = ""
    story: str = ""


@dataclass(frozen=True, kw_only=True)
class File:
    """A file in pieces, with the ids of its stories and of those that are done in it."""

    kind: str
    pieces: tuple[Piece, ...]
    ids: tuple[str, ...]
    done: frozenset[str]

    @property
    def text(self) -> str:
        return self.landed(frozenset())

    def landed(self, ids: frozenset[str]) -> str:
        return "".join(piece.after if piece.story in ids else piece.before for piece in self.pieces)


def marked(kind: str, text: str, marks: Mapping[StoryId, Mark]) -> str:
    found = dict(FORMATS[kind].edits(text, marks))
    assert set(found) == set(marks), "what stands in the file is known as such"
    return changed(text, chain.from_iterable(found.values()))


def plain(*texts: str) -> tuple[Piece, ...]:
    return tuple(Piece(before=text) for text in texts)


def assert_only_what_landed_changes(file: File, landed: frozenset[str], note: str) -> None:
    path = Path("folder-that-is-not-there") / "tasks.md"
    format_ = FORMATS[file.kind]
    draft = format_.read(path, file.text, "shown")
    assert mistakes_of(draft) == ()
    assert tuple(found.story.id for found in draft.stories) == file.ids
    assert {found.story.id for found in draft.stories if found.done} == file.done
    marks = {StoryId(name): Mark(done=True, note=note) for name in landed}
    written = marked(file.kind, file.text, marks)
    assert written == file.landed(landed)
    assert marked(file.kind, written, marks) == written
    again = format_.read(path, written, "shown")
    assert {found.story.id for found in again.stories if found.done} == file.done | landed
    assert [found.story for found in again.stories] == [found.story for found in draft.stories]


# prd.json ------------------------------------------------------------------------------------------------------------

SPACE = st.text(" \t\n\r", max_size=4)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=5,
)
KEYS_OF_OURS = frozenset(
    {"id", "title", "description", "priority", "passes", "complexity", "notes", "completionNotes", "touches"}
    | {"dependsOn", "depends_on", "dependencies", "acceptanceCriteria", "acceptance_criteria", "labels", "name"}
    | {"verification_steps", "verificationSteps", "userStories", "user_stories", "metadata", "project", "feature"}
    | {"branchName", "branch_name", "technical_requirements", "technicalRequirements", "quality_checks"}
    | {"qualityChecks", "non_goals", "nonGoals", "out_of_scope", "outOfScope", "planned", "type"}
    | {"functional_requirements", "functionalRequirements", "max_iterations", "maxIterations"}
    | {"max_steps_per_story", "maxStepsPerStory"}
)
FOREIGN = st.dictionaries(WORDS.filter(lambda key: key not in KEYS_OF_OURS), VALUES, max_size=2)
CAMEL = {"stories": "userStories", "criteria": "acceptanceCriteria", "branch": "branchName"}
SNAKE = {"stories": "user_stories", "criteria": "acceptance_criteria", "branch": "branch_name"}


@st.composite
def members(draw: st.DrawFn, given_: dict[str, tuple[Piece, ...]]) -> tuple[Piece, ...]:
    """An object of these members, and perhaps some unknown ones, in any order and with any space."""
    foreign = {key: plain(spelled(draw, value)) for key, value in draw(FOREIGN).items()}
    rows = draw(st.permutations(sorted((given_ | foreign).items())))
    pieces = [*plain("{")]
    for number, (key, value) in enumerate(rows):
        comma = "," if number else ""
        pieces += plain(comma, draw(SPACE), spelled(draw, key), draw(SPACE), ":", draw(SPACE))
        pieces += [*value, *plain(draw(SPACE))]
    return (*pieces, *plain("}"))


def spelled(draw: st.DrawFn, value: object) -> str:
    """A value as some tool writes it."""
    indent = draw(st.sampled_from([None, 0, 3, "\t"]))
    return json.dumps(value, ensure_ascii=draw(st.booleans()), indent=indent)


@st.composite
def stories_in_json(draw: st.DrawFn, name: str, others: list[str], *, tui: bool) -> tuple[tuple[Piece, ...], bool]:
    done = draw(st.booleans())
    said = draw(WORDS)
    note = json.dumps(said, ensure_ascii=draw(st.booleans()))
    more = json.dumps(("\n" if said else "") + NOTE)[1:-1]
    needs = draw(st.lists(st.sampled_from(others), max_size=2, unique=True)) if others else []
    given_ = {
        "id": plain(json.dumps(name)),
        "title": plain(spelled(draw, draw(WORDS.filter(str.strip)))),
        "passes": (Piece(before=json.dumps(done), after="true", story=name),),
        "completionNotes" if tui else "notes": (
            Piece(before=note, after=note if NOTE in said else note[:-1] + more + '"', story=name),
        ),
        "acceptanceCriteria": plain(spelled(draw, draw(st.lists(WORDS, max_size=2)))),
    }
    named: bool = draw(st.booleans())
    if needs or named:
        given_[draw(st.sampled_from(["dependsOn", "depends_on"]))] = plain(spelled(draw, needs))
    if draw(st.booleans()):
        given_["priority"] = plain(str(draw(st.integers(-9, 9))))
    return draw(members(given_)), done


@st.composite
def json_files(draw: st.DrawFn) -> File:
    names = CAMEL if draw(st.booleans()) else SNAKE
    ids = draw(st.lists(st.from_regex(r"[A-Z]{1,3}-[0-9]{1,4}", fullmatch=True), min_size=1, max_size=4, unique=True))
    pieces: list[Piece] = [*plain("[", draw(SPACE))]
    done = set()
    for number, name in enumerate(ids):
        story, is_done = draw(stories_in_json(name, ids[:number], tui=draw(st.booleans())))
        pieces += [*plain("," if number else "", draw(SPACE)), *story, *plain(draw(SPACE))]
        done |= {name} if is_done else set()
    root = draw(members({names["stories"]: (*pieces, *plain("]")), names["branch"]: plain('"b"')}))
    around = plain(draw(st.sampled_from(["", "\ufeff"])) + draw(SPACE))
    pieces_ = (*around, *root, *plain(draw(SPACE)))
    return File(kind="prd-json", pieces=pieces_, ids=tuple(ids), done=frozenset(done))


@MANY
@given(json_files(), st.data())
def test_a_prd_json_in_any_formatting(file: File, data: st.DataObject) -> None:
    assert_only_what_landed_changes(file, subset(data, file), NOTE)


@MANY
@given(json_files(), st.data())
def test_keys_that_are_missing_are_added_and_all_else_stays(file: File, data: st.DataObject) -> None:
    """Without `passes` and notes anywhere, the text is the old one with something put into the stories that landed."""
    value = json.loads(file.text.removeprefix("\ufeff"))
    stories = value.get("userStories") or value.get("user_stories")
    for story in stories:
        for key in ("passes", "notes", "completionNotes"):
            story.pop(key, None)
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 2, "\t"])))
    landed = subset(data, file)
    marks = {StoryId(name): Mark(done=True, note=NOTE) for name in landed}
    written = marked("prd-json", text, marks)
    after = json.loads(written)
    for story in after.get("userStories") or after.get("user_stories"):
        assert story.pop("passes", False) is (story["id"] in landed)
        story.pop("notes", None)
        story.pop("completionNotes", None)
    assert after == value
    rest = iter(written)
    assert all(character in rest for character in text)


def subset(data: st.DataObject, file: File) -> frozenset[str]:
    return frozenset(data.draw(st.lists(st.sampled_from(file.ids), unique=True)))


@st.composite
def exports(draw: st.DrawFn) -> File:
    """Of beads, with epics between the issues, and any unknown fields in them."""
    pieces: list[Piece] = []
    ids, done = [], set()
    for number in range(draw(st.integers(1, 5))):
        name, status = f"bd-{number}", draw(st.sampled_from(["open", "in_progress", "closed"]))
        after = status if status == "closed" else "closed"
        epic = draw(st.booleans()) if number else False
        row = {
            "id": plain(json.dumps(name)),
            "title": plain(spelled(draw, draw(WORDS.filter(str.strip)))),
            "issue_type": plain('"epic"' if epic else '"task"'),
            "status": (Piece(before=f'"{status}"', after=f'"{after}"', story="" if epic else name),),
        }
        pieces += [*draw(members(row)), *plain("\n")]
        ids += [] if epic else [name]
        done |= {name} if status == "closed" and not epic else set()
    return File(kind="beads", pieces=tuple(pieces), ids=tuple(ids), done=frozenset(done))


@MANY
@given(exports(), st.data())
def test_an_export_of_beads_in_any_formatting(file: File, data: st.DataObject) -> None:
    assert_only_what_landed_changes(file, subset(data, file), NOTE)


# Markdown ------------------------------------------------------------------------------------------------------------

PROSE = st.sampled_from(
    (
        *("", "Some text.", "text with - [ ] in it", "    - ", "> - [ ] quoted", "| - [ ] | table |", "Note: x"),
        *("<!-- - [ ] hidden -->", "<!--\n- [ ] 1.1 T001 [US1] hidden\n-->", "---", "\ttabbed", "**Goal**: it works"),
        *("```\n- [ ] 1.1 T001 code\n## 9. Code\n```", "~~~ md\n- [ ] code\n```\n~~~", "a line\\", "[ ] no bullet"),
    )
)
BULLET = st.sampled_from(["- ", "* ", "+ ", "1. ", "  - ", "\t* ", "-   ", "10) "])
TEXT = st.sampled_from(["do it", "do `[ ]` it", "do  it   ", "[link](x) it", "make [x] of it", "—", "über 🎯"])


@st.composite
def boxes(draw: st.DrawFn, story: str, lead: str = "") -> tuple[tuple[Piece, ...], bool]:
    """One bullet with a checkbox, and whether it is checked."""
    mark = draw(st.sampled_from(" xX"))
    box = Piece(before=mark, after="x" if mark == " " else mark, story=story)
    return (*plain(f"{draw(BULLET)}["), box, *plain(f"] {lead}{draw(TEXT)}\n")), mark != " "


@st.composite
def lists(draw: st.DrawFn, story: str, numbered: str) -> tuple[tuple[Piece, ...], bool]:
    """Some bullets with checkboxes and anything allowed between them; whether all are checked."""
    pieces: list[Piece] = []
    marked = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        box, is_marked = draw(boxes(story, numbered.format(number)))
        pieces += [*box, *plain(f"{draw(PROSE)}\n")]
        marked.append(is_marked)
    return tuple(pieces), all(marked)


@st.composite
def dressed(draw: st.DrawFn, file: File) -> File:
    """With other line ends, or none at the end; front matter and a mark of the byte order before it."""
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    front = draw(st.sampled_from(["", "\ufeff", "---\nname: x\n- [ ] T001 front\n---\n"]))
    tail = draw(st.sampled_from(["\n", "", "\n\n \n"]))
    last = file.pieces[-1]
    pieces = (*plain(front), *file.pieces[:-1], Piece(before=last.before.rstrip("\n") + tail))
    ended = tuple(
        Piece(before=piece.before.replace("\n", ends), after=piece.after.replace("\n", ends), story=piece.story)
        for piece in pieces
    )
    return File(kind=file.kind, pieces=ended, ids=file.ids, done=file.done)


@st.composite
def markdown_files(draw: st.DrawFn, kind: str) -> File:
    heading, numbered, name = {
        "openspec": ("## {}. Section", "{}.{{}} ", "section-{}"),
        "spec-kit": ("## Phase 9: User Story {} - Title", "T{}{{}} [P] [US{}] ", "US{}"),
        "markdown": ("## S-{}: Title", "", "S-{}"),
    }[kind]
    pieces = [*plain("# Title\n", f"{draw(PROSE)}\n")]
    ids, done = [], set()
    for number in draw(st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True)):
        story = name.format(number)
        listed, all_marked = draw(lists(story, numbered.format(number, number)))
        pieces += [*plain(f"{heading.format(number)}\n", f"{draw(PROSE)}\n"), *listed]
        ids.append(story)
        done |= {story} if all_marked else set()
    whole = File(kind=kind, pieces=(*pieces, *plain("\n")), ids=tuple(ids), done=frozenset(done))
    return draw(dressed(whole))


@MANY
@given(st.sampled_from(["openspec", "spec-kit", "markdown"]).flatmap(markdown_files), st.data())
def test_boxes_in_markdown_of_any_kind(file: File, data: st.DataObject) -> None:
    assert_only_what_landed_changes(file, subset(data, file), NOTE)


@st.composite
def task_lists(draw: st.DrawFn) -> File:
    pieces = [*plain("# Title\n\nSome text.\n\n")]
    ids, done = [], set()
    for number in range(1, draw(st.integers(1, 4)) + 1):
        story, mark = f"T-{number}", draw(st.sampled_from(" xX"))
        after = "x" if mark == " " else mark
        box = Piece(before=mark, after=after, story=story)
        pieces += [*plain(f"{draw(st.sampled_from('-*+'))} ["), box, *plain(f"] {story}: {draw(TEXT)}\n")]
        for _ in range(draw(st.integers(0, 2))):
            inner = draw(st.sampled_from(" x"))
            pieces += [*plain("    - ["), Piece(before=inner, after="x", story=story), *plain(f"] {draw(TEXT)}\n")]
        ids.append(story)
        done |= {story} if mark != " " else set()
    whole = File(kind="task-list", pieces=(*pieces, *plain("\n")), ids=tuple(ids), done=frozenset(done))
    return draw(dressed(whole))


@MANY
@given(task_lists(), st.data())
def test_the_boxes_of_a_task_list(file: File, data: st.DataObject) -> None:
    assert_only_what_landed_changes(file, subset(data, file), NOTE)


@MANY
@given(st.lists(st.tuples(st.sampled_from(["", "[ ] ", "[x] "]), TEXT), min_size=1, max_size=4), st.data())
def test_headings_of_a_plan_are_marked_themselves(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    pieces: list[Piece] = []
    ids, done = [], set()
    for number, (box, text) in enumerate(rows, start=1):
        story = f"S-{number}"
        pieces += [*plain("## "), Piece(before=box, after="[x] ", story=story), *plain(f"{story}: T\n\n- {text}\n")]
        ids.append(story)
        done |= {story} if box == "[x] " else set()
    file = File(kind="markdown", pieces=tuple(pieces), ids=tuple(ids), done=frozenset(done))
    assert_only_what_landed_changes(file, subset(data, file), NOTE)


# Places --------------------------------------------------------------------------------------------------------------


@MANY
@given(st.lists(st.text("ab \t", max_size=5)), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_a_place_is_where_an_editor_would_say_it_is(lines: list[str], end: str, data: st.DataObject) -> None:
    text = end.join(lines)
    line = data.draw(st.integers(0, max(len(lines) - 1, 0)))
    column = data.draw(st.integers(0, len(lines[line]) if lines else 0))
    at = sum(len(item) + len(end) for item in lines[:line]) + column
    assert place(text, at) == (line + 1, column + 1)
