"""How facts are encoded and decoded: versions, upcasters, and what is refused."""

from typing import Any

import pytest

from shiftwork.domain import codec
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.story.facts.lifecycle import StoryCancelRequested, StoryStarted
from shiftwork.domain.story.facts.steps import NoteWritten, StepCompleted
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import CodecError
from shiftwork.records import dataclass
from shiftwork.testing.builders import assignment, planned

COMPLETED = StepCompleted(
    at=1.5,
    step=step_id(1),
    attempt=2,
    commit=Commit("c"),
    notes="done",
    outputs=(("plan", "short"), ("files", "a.py")),
    usage=Usage(input_tokens=3, cost_usd=0.25),
)
BODY: dict[str, Any] = {
    "at": 1.5,
    "step": "step-001",
    "attempt": 2,
    "commit": "c",
    "notes": "done",
    "outputs": [["plan", "short"], ["files", "a.py"]],
    "usage": {
        "input_tokens": 3,
        "output_tokens": 0,
        "cost_usd": 0.25,
        "estimated": False,
        "cached_tokens": 0,
        "model": "",
        "attempts": 0,
        "unpriced": 0,
        "uncounted": 0,
    },
}


def test_a_fact_is_written_as_plain_values_under_its_own_name() -> None:
    body = {**BODY, "decision": "", "verdict": ""}
    assert codec.encode(COMPLETED) == codec.Encoded(kind="StepCompleted", version=1, body=body)


def test_a_fact_is_read_as_it_was_written() -> None:
    assert codec.decode("StepCompleted", 1, BODY) == COMPLETED


def test_a_step_that_holds_steps_is_read_as_deep_as_it_goes() -> None:
    loop = planned("outer", body=(planned("inner", body=(planned("coding"),)),))
    fact = StoryStarted(at=1, assignment=assignment(), steps=(loop,))
    assert codec.decode("StoryStarted", 1, codec.encode(fact).body) == fact


def test_what_a_body_leaves_out_has_its_default() -> None:
    """So that a field with a default can be added without a new version."""
    fact = codec.decode("StepCompleted", 1, {**BODY, "usage": {}})
    assert isinstance(fact, StepCompleted)
    assert fact.usage == Usage()


@pytest.mark.parametrize("kind", ["Nonsense", "Fact", "Trouble", "", "stepcompleted"])
def test_an_unknown_kind_is_refused(kind: str) -> None:
    with pytest.raises(CodecError, match="does not know") as refusal:
        codec.decode(kind, 1, BODY)
    assert "upgrade" in refusal.value.hint


@pytest.mark.parametrize("version", [2, 99, 0, -1])
def test_a_version_that_this_release_has_not_written_is_refused(version: int) -> None:
    with pytest.raises(CodecError, match="does not know"):
        codec.decode("StepCompleted", version, BODY)


@pytest.mark.parametrize(
    "changes",
    [
        {"at": "1.5"},
        {"at": None},
        {"at": True},
        {"at": 10**400},
        {"attempt": 2.0},
        {"attempt": True},
        {"attempt": None},
        {"notes": 3},
        {"notes": None},
        {"outputs": "plan"},
        {"outputs": {"plan": "short"}},
        {"outputs": [["plan"]]},
        {"outputs": [["plan", "short", "more"]]},
        {"outputs": [["plan", 3]]},
        {"usage": None},
        {"usage": []},
        {"usage": {"cost_usd": "much"}},
        {"usage": {"input_tokens": False}},
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(CodecError, match="cannot be read"):
        codec.decode("StepCompleted", 1, {**BODY, **changes})


@pytest.mark.parametrize("name", sorted(BODY))
def test_a_field_that_is_missing_is_refused(name: str) -> None:
    with pytest.raises(CodecError, match=f"StepCompleted lacks {name}"):
        codec.decode("StepCompleted", 1, {key: value for key, value in BODY.items() if key != name})


def test_a_value_that_an_enum_does_not_have_is_refused() -> None:
    body = {"at": 1, "step": "s", "attempt": 1, "trouble": "bored", "error": "", "usage": {}, "diff": ""}
    with pytest.raises(CodecError, match="bored"):
        codec.decode("StepFailed", 1, body)


@pytest.mark.parametrize("body", [None, [], "text", 3])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(CodecError, match="cannot be read"):
        codec.decode("StoryCancelRequested", 1, body)


def test_every_fact_has_a_kind() -> None:
    known = {kind.__name__ for kind in Fact.__subclasses__() if kind.__module__.startswith("shiftwork.")}
    assert codec.KINDS.keys() == known


# A kind whose shape has changed twice --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sang(Fact):
    """Version 1 had `song`, version 2 `songs` as one text, version 3 has a list."""

    songs: tuple[str, ...]


def _many(body: dict[str, Any]) -> dict[str, Any]:
    return {"at": body["at"], "songs": body["song"]}


def _listed(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "songs": body["songs"].split(", ")}


TABLES = codec.Tables(
    kinds={"Sang": Sang, "NoteWritten": NoteWritten},
    versions={"Sang": 3},
    upcasters={("Sang", 1): _many, ("Sang", 2): _listed},
)


@pytest.mark.parametrize(
    ("version", "songs"), [(1, {"song": "one, two"}), (2, {"songs": "one, two"}), (3, {"songs": ["one", "two"]})]
)
def test_every_version_that_was_ever_written_is_read(version: int, songs: dict[str, Any]) -> None:
    assert codec.decode("Sang", version, {"at": 1.0, **songs}, TABLES) == Sang(at=1.0, songs=("one", "two"))


def test_a_fact_is_written_in_the_present_version() -> None:
    encoded = codec.encode(Sang(at=1.0, songs=("one",)), TABLES)
    assert (encoded.version, encoded.body) == (3, {"at": 1.0, "songs": ["one"]})
    assert codec.encode(NoteWritten(at=1.0, by=step_id(1), text=""), TABLES).version == 1


def test_an_old_body_that_is_broken_is_refused_like_any_other() -> None:
    with pytest.raises(CodecError, match="cannot be read"):
        codec.decode("Sang", 1, {"at": 1.0}, TABLES)
    with pytest.raises(CodecError, match="cannot be read"):
        codec.decode("Sang", 2, {"at": 1.0, "songs": 3}, TABLES)


def test_a_newer_version_of_a_changed_kind_is_refused() -> None:
    with pytest.raises(CodecError, match="does not know"):
        codec.decode("Sang", 4, {"at": 1.0, "songs": []}, TABLES)


def test_the_present_tables_lead_from_every_version_to_the_present_one() -> None:
    tables = codec.PRESENT
    assert tables.versions.keys() <= tables.kinds.keys()
    wanted = {(kind, version) for kind, present in tables.versions.items() for version in range(1, present)}
    assert tables.upcasters.keys() == wanted


def test_a_fact_without_fields_of_its_own_is_still_a_fact() -> None:
    assert codec.decode("StoryCancelRequested", 1, {"at": 4}) == StoryCancelRequested(at=4.0)
