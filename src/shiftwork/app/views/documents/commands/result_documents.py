"""What came of the work as documents: proof, patches, reports and notes."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from shiftwork.app.views.documents.document import Document, Time, moment
from shiftwork.app.views.documents.gate_records import OwedGateLine
from shiftwork.app.views.missing_stories import missing_notes
from shiftwork.app.views.run_views import RunView
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.memory import notes
from shiftwork.domain.proof.certificate import Held
from shiftwork.domain.proof.proof_words import words
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryProof:
    """How far a landed story is proved."""

    proof: str
    proof_remark: str
    proof_text: str
    criteria_shown: int
    criteria_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingStory:
    """A story that has landed on a branch that no longer has its work."""

    run: str
    story: str
    branch: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof(Document):
    """The certificates of landed stories, as they were issued, and how far each story is proved, by story."""

    SCHEMA: ClassVar[str] = "proof"

    file: str | None
    certificates: Sequence[Mapping[str, Any]]
    proofs: Mapping[str, StoryProof | None]
    missing_stories: Sequence[MissingStory] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement of a certificate, checked again; `passed` is null where it cannot be checked here."""

    name: str
    passed: bool | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCertificate:
    """A certificate, checked again. `unchecked` are the statements that cannot be checked here."""

    story: str
    holds: bool
    weakest: str
    unchecked: Sequence[str]
    story_proof: StoryProof | None
    statements: Sequence[Statement]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofCheck(Document):
    """Certificates, checked again; `weakest` names the weakest result."""

    SCHEMA: ClassVar[str] = "proof-check"

    holds: bool
    weakest: str
    checked: Sequence[CheckedCertificate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A changed file; the counts of lines are null if it is binary."""

    path: str
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff(Document):
    """What a story has changed: `commit` compared with `base` (its parent if empty), or with the patch that was
    approved as `approved`. `undone_by` names the commit that reverted the landed work. `patch` is null with --stat.
    """

    SCHEMA: ClassVar[str] = "diff"

    run: str
    story: str
    base: str
    commit: str
    landed: bool
    undone_by: str
    approved: str
    file_changes: Sequence[ChangedFile]
    patch: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Document):
    """A run as Markdown; null if it was written as HTML. `context` are the values for prompts."""

    SCHEMA: ClassVar[str] = "report"

    run: str
    file: str | None
    context: Mapping[str, Any]
    markdown: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEntry:
    """A note. `by` is the step or the story that wrote it; empty if an earlier run did."""

    time: Time
    by: str
    text: str
    scope: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteShelf:
    """Notes, the oldest first. `older` are shortened; of `dropped` still older notes, only the number is kept."""

    remembered: Sequence[NoteEntry]
    older: Sequence[NoteEntry]
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes(Document):
    """What a run has learnt, or the notes of one story; null is what was not asked for."""

    SCHEMA: ClassVar[str] = "notes"

    run: str
    story: str | None
    patterns: NoteShelf | None
    learnt: NoteShelf | None
    project_notes: NoteShelf | None
    story_notes: NoteShelf | None
    files: Sequence[str]


def story_proof(status: ProofStatus | None) -> StoryProof | None:
    if status is None:
        return None
    return StoryProof(
        proof=status.level,
        proof_remark=status.remark,
        proof_text=words(status),
        criteria_shown=status.shown,
        criteria_total=status.criteria,
    )


def statement(held: Held) -> Statement:
    return Statement(name=held.name, passed=held.passed, message=held.message)


def changed_file(file: FileChange) -> ChangedFile:
    return ChangedFile(path=file.path, added=file.added, removed=file.removed)


def note_shelf(shelf: notes.Shelf | None) -> NoteShelf | None:
    if shelf is None:
        return None
    return NoteShelf(
        remembered=[_note(note) for note in shelf.notes],
        older=[_note(note) for note in shelf.older],
        dropped=shelf.left_out,
    )


def missing_stories(view: RunView) -> list[MissingStory]:
    return [
        MissingStory(run=view.run.run, story=story, branch=view.run.branch, note=note)
        for story, note in missing_notes(view).items()
    ]


def _note(note: notes.Note) -> NoteEntry:
    return NoteEntry(time=moment(note.at), by=note.by, text=note.text, scope=note.scope, title=note.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedGates(Document):
    """What is still owed after the owed gates have run on the tips of their branches: those that are red; and what the
    branches lack of what the newest runs have landed.
    """

    SCHEMA: ClassVar[str] = "owed-gates"

    ran: Sequence[str]
    owed_gates: Sequence[OwedGateLine]
    missing_stories: Sequence[MissingStory] = ()
