"""What is printed about a spec file before the work: its checks and its unused fields."""

from shiftwork.app.views.documents.document import to_json
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.spec import Spec
from shiftwork.entrypoints.cli.render.unused_fields import event, gates_note, lines
from shiftwork.ports.specs import Sheet, Unused
from tests.json_documents import check

TEST = Gate(name="test", command="pytest")


def sheet(*unused: Unused, gates: tuple[Gate, ...] = ()) -> Sheet:
    spec = Spec(title="t", description="", stories=(), gates=gates)
    return Sheet(source="prd-json:docs/prd.json", spec=spec, unused=unused)


def test_nothing_is_said_where_all_was_used() -> None:
    assert list(lines(sheet())) == []


def test_what_may_be_a_mistake_comes_first_and_many_of_a_kind_are_one_line() -> None:
    stories = [f"userStories[{number}]" for number in range(3)]
    given = sheet(
        Unused(path="version", known=True),
        *(Unused(path=f"{story}.labels", known=True) for story in stories),
        *(Unused(path=f"{story}.version", known=True) for story in stories),
        *(Unused(path=f"{story}.estimate") for story in stories),
        Unused(path="userStories[1].acceptanceCritera", meant="acceptanceCriteria"),
        Unused(path='["\x1b[2J"]'),
    )
    assert list(lines(given)) == [
        "not used of docs/prd.json:",
        "  userStories[*].estimate           not understood, 3 times",
        "  userStories[1].acceptanceCritera  not understood; did you mean acceptanceCriteria?",
        '  [""]                              not understood',
        "  version                           not used, 4 times",
        "  userStories[*].labels             not used, 3 times",
    ]


def test_a_file_of_them_is_cut_and_says_where_the_rest_is() -> None:
    shown = list(lines(sheet(*(Unused(path=f"key{number}") for number in range(30)))))
    assert len(shown) == 22
    assert shown[-1] == "  and 10 more: shiftwork plan docs/prd.json --json lists all"


def test_where_the_gates_are_from_is_said_of_both() -> None:
    own = (Gate(name="test", command="exit 1", origin="docs/prd.json"), Gate(name="lint", command="ruff"))
    assert list(gates_note(sheet(gates=own), (TEST,), "gates from shiftwork.toml: test")) == [
        "gates from shiftwork.toml: test",
        "gates from docs/prd.json: test (prd.json), lint",
    ]
    assert list(gates_note(sheet(gates=own), (), "no gates: only the diff will be checked")) == [
        "gates from docs/prd.json: test, lint"
    ]
    assert list(gates_note(sheet(), (), "no gates")) == ["no gates"]
    assert list(gates_note(sheet(gates=(TEST,)), (TEST,), "one")) == ["one"], "it is one and the same"


def test_a_program_is_given_each_by_its_path() -> None:
    given = sheet(Unused(path="a[0].b"), Unused(path="version", known=True), gates=(TEST,))
    made = to_json(event(given))
    check(made)
    assert (made["kind"], made["file"]) == ("spec", "docs/prd.json")
    assert made["gates"] == [{"name": "test", "command": "pytest"}]
    assert made["unused"] == [
        {"path": "a[0].b", "known": False, "meant": ""},
        {"path": "version", "known": True, "meant": ""},
    ]
