"""The documents of single commands that are made from the domain's own records."""

from shiftwork.app.views import proofs
from shiftwork.app.views.documents.commands.plan_documents import Plan, plan_values
from shiftwork.app.views.documents.commands.result_documents import (
    Diff,
    Notes,
    Proof,
    changed_file,
    note_shelf,
    statement,
    story_proof,
)
from shiftwork.app.views.documents.commands.server_documents import ServerStatus, server_process
from shiftwork.app.views.documents.document import Document, Json, plain, to_json
from shiftwork.app.views.documents.gate_records import outcome
from shiftwork.app.views.documents.run_documents import cancellation_document
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.domain.core.patch import FileChange
from shiftwork.domain.gates.gate import Gate, GateChange, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.domain.proof.certificate import Held
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.usage.forecast import Band
from shiftwork.planning.preview import preview
from shiftwork.ports.views import Owner
from shiftwork.records import replace
from shiftwork.testing.builders import asked
from shiftwork.testing.conformance.store_stage import run_row
from tests.json_documents import check
from tests.unit.domain.proof.test_proof_status import SAID


def checked(document: Document) -> Json:
    made = to_json(document)
    check(made)
    return made


def test_a_plan_has_its_stories_by_the_names_that_runs_use() -> None:
    step = Verification(id="AC-1", kind=VerificationKind.SHELL, command="true")
    first = replace(asked(1), verification=(step,))
    spec = Spec(
        title="Two", description="", stories=(first, asked(2, after=(1,))), gates=(Gate(name="t", command="c"),)
    )
    shown = replace(preview(spec, ()), band=Band(low_usd=1.0, high_usd=2.0, known=3))
    made = checked(Plan(**plan_values(shown, ()), done_count=0, file=None))
    assert [story["story"] for story in made["stories"]] == ["US-001", "US-002"]
    assert made["waves"] == [["US-001"], ["US-002"]]
    assert made["cost_band"] == {"low_usd": 1.0, "high_usd": 2.0, "known_stories": 3}
    assert made["stories"][0]["verification"][0]["command"] == "true"
    assert checked(Plan(**plan_values(preview(spec, ()), ()), done_count=0, file="prd.json"))["cost_band"] is None


def test_how_far_a_story_is_proved_has_the_names_of_the_view() -> None:
    made = checked(
        Proof(file=None, certificates=[], proofs={"US-001": proofs.document(SAID), "US-002": story_proof(None)})
    )
    assert (made["proofs"]["US-001"]["proof"], made["proofs"]["US-002"]) == ("proved", None)
    assert plain(statement(Held(name="branch", passed=None, message="?"))) == {
        "name": "branch",
        "passed": None,
        "message": "?",
    }


def test_notes_have_times_in_utc_and_what_was_not_asked_for_is_null() -> None:
    shelf = Shelf(notes=(Note(at=1.0, by="US-001", text="new"),), older=(Note(at=0.0, by="", text="old"),), left_out=2)
    made = checked(
        Notes(
            run="r1",
            story=None,
            patterns=note_shelf(shelf),
            learnt=note_shelf(None),
            project_notes=None,
            story_notes=None,
            files=[],
        )
    )
    assert [note["time"] for note in made["patterns"]["remembered"]] == ["1970-01-01T00:00:01.000Z"]
    assert (made["patterns"]["older"][0]["text"], made["patterns"]["dropped"], made["learnt"]) == ("old", 2, None)


def test_changes_and_gates_keep_what_is_unknown() -> None:
    made = checked(
        Diff(
            run="r1",
            story="US-001",
            base="",
            commit="c",
            landed=False,
            undone_by="",
            approved="",
            file_changes=[changed_file(FileChange(path="a.bin", added=None, removed=None))],
            patch=None,
        )
    )
    assert made["file_changes"] == [{"path": "a.bin", "added": None, "removed": None}]
    red = outcome(GateResult(name="test", passed=False, seconds=1.5, change=GateChange.REGRESSED))
    assert (plain(red)["change"], plain(red)["duration_seconds"]) == ("regressed", 1.5)


def test_a_cancelled_run_says_what_had_landed_before() -> None:
    row = replace(run_row("r1"), status="cancelled", ended_at=2.0)
    made = checked(
        cancellation_document(RunView(run=row, activity=Activity.OVER, worker=None, stories=()), ("US-001",))
    )
    assert (made["state"], made["landed_meanwhile"]) == ("cancelled", ["US-001"])


def test_a_server_is_a_process_with_an_address() -> None:
    process = server_process(Owner(executor="e", host="laptop", pid=7, pid_started=0.0), "")
    assert checked(ServerStatus(server=process, runs=[]))["server"] == {"pid": 7, "host": "laptop", "address": ""}
