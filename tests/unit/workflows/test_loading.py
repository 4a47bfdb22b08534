"""The meaning of a loaded workflow file: the load-time rules of story-based execution and of decision routing."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from shiftwork.adapters.workflows.loading import LARGEST, Loaded, load
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.workflow import Exhausted, Route, StepKind, StepPlan, Workflow
from shiftwork.errors import WorkflowError

_NO_PROFILE = 65534
STRANGERS = Path(__file__).parents[2] / "golden" / "workflows" / "antfarm_shape"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "flow.yml"


def read(file: Path, text: str | bytes) -> Loaded:
    file.write_bytes(dedent(text).encode() if isinstance(text, str) else text)
    return load(file, file.name, file.parent)


def refused(file: Path, text: str | bytes) -> str:
    with pytest.raises(WorkflowError) as error:
        read(file, text)
    return error.value.message


def stranger(name: str) -> Workflow:
    path = STRANGERS / name
    return load(path, path.name, STRANGERS).workflow


def found(steps: tuple[StepPlan, ...], name: str) -> StepPlan:
    return next(step for step in steps if step.name == name)


def review(route: str) -> str:
    return f"""\
        id: routed
        steps:
          - {{ id: brainstorm, input: x }}
          - {{ id: work, input: x, max_retries: 1 }}
          - id: review
            input: x
            decision_key: DECISION
            on_decision: {{ {route} }}
            max_retries: 3
          - {{ id: compound, input: x }}
        """


# Story-based execution (seed 000) ------------------------------------------------------------------------------------


def test_a_loop_must_say_what_it_goes_over(file: Path) -> None:
    assert "a loop needs loop" in refused(file, "id: a\nsteps:\n  - { id: b, type: loop, input: x }\n")
    assert "loop has no over" in refused(file, "id: a\nsteps:\n  - { id: b, type: loop, input: x, loop: {} }\n")


@pytest.mark.parametrize(("key", "value"), [("over", "files"), ("completion", "any_done")])
def test_only_stories_until_all_are_done_can_be_gone_over(file: Path, key: str, value: str) -> None:
    loop = {"over": "stories", "completion": "all_done"} | {key: value}
    listed = ", ".join(f"{name}: {text}" for name, text in loop.items())
    message = refused(file, f"id: a\nsteps:\n  - {{ id: b, type: loop, input: x, loop: {{ {listed} }} }}\n")
    assert f"{key} cannot be '{value}'" in message


def test_verify_each_needs_a_verify_step_that_exists(file: Path) -> None:
    steps = "id: a\nsteps:\n  - {{ id: b, type: loop, input: x, loop: {{ over: stories, verify_each: true{} }} }}\n"
    assert "verify_each needs verify_step" in refused(file, steps.format(""))
    assert "verify_step 'c' is no step here" in refused(file, steps.format(", verify_step: c"))
    assert "cannot be the loop itself" in refused(file, steps.format(", verify_step: b"))


@pytest.mark.parametrize("keys", ["verify_each: true, verify_step: check", "verifyEach: true, verifyStep: check"])
def test_verify_each_becomes_a_body_of_two_steps(file: Path, keys: str) -> None:
    workflow = read(
        file,
        f"""\
        id: looped
        steps:
          - {{ id: do, type: loop, input: "{{{{current_story}}}}", loop: {{ over: stories, {keys} }}, max_retries: 4 }}
          - {{ id: check, input: look }}
          - {{ id: end, input: x }}
        """,
    ).workflow
    assert [step.name for step in workflow.steps] == ["do", "end"]
    first, second = workflow.steps[0].body
    assert (first.name, first.kind, first.max_retries) == ("do", StepKind.AGENT, 4)
    assert second.decision_key == "status"
    assert second.routes == (Route(value="done"), Route(value="retry", target="do", back=True))


def test_the_retries_of_verify_are_those_of_what_it_leads_back_to() -> None:
    body = stranger("workflows/feature-dev/workflow.yml").story_steps
    assert (body[0].max_retries, body[0].exhausted) == (4, Exhausted.ASK)


def test_a_loop_without_a_verifier_is_a_body_of_one_step(file: Path) -> None:
    text = "id: a\nsteps:\n  - { id: b, type: loop, input: x, loop: { over: stories } }\n"
    (loop,) = read(file, text).workflow.steps
    assert [(step.name, step.kind, step.input) for step in loop.body] == [("b", StepKind.AGENT, "x")]


def test_the_agent_learns_who_it_is_from_its_files() -> None:
    planner, *_ = stranger("workflows/feature-dev/workflow.yml").agents
    folder = STRANGERS / "workflows" / "feature-dev" / "agents" / "planner"
    assert {name for name, _ in planner.persona} >= {"AGENTS.md", "SOUL.md"}
    assert all((folder / name).read_text(encoding="utf-8") == text for name, text in planner.persona)


# Decision routing (seed 002) -----------------------------------------------------------------------------------------


def test_decisions_lead_on_and_back(file: Path) -> None:
    text = review("Approved: { next_step: compound }, needs_fixes: { retry_step: work }, x: continue")
    step = read(file, text).workflow.steps[2]
    assert step.decision_key == "decision"
    assert step.routes == (
        Route(value="approved", target="compound"),
        Route(value="needs_fixes", target="work", back=True),
        Route(value="x"),
    )


def test_the_limit_of_the_deciding_step_is_held_by_its_target(file: Path) -> None:
    steps = read(file, review("a: { retry_step: work }, b: { retry_step: brainstorm }")).workflow.steps
    assert [step.max_retries for step in steps] == [3, 3, 3, 2]


def test_of_two_limits_for_one_target_the_larger_holds(file: Path) -> None:
    text = review("a: { retry_step: work }").replace("max_retries: 1", "max_retries: 7")
    assert read(file, text).workflow.steps[1].max_retries == 7


def test_exhaustion_may_lead_to_a_person() -> None:
    steps = stranger("workflows/compound/workflow.yml").steps
    assert [step.exhausted for step in steps] == [Exhausted.ASK, Exhausted.FAIL, *[Exhausted.ASK] * 2, Exhausted.FAIL]


def test_a_step_that_leads_back_to_itself_is_refused(file: Path) -> None:
    assert "retry_step cannot be the step itself" in refused(file, review("a: { retry_step: review }"))


def test_a_step_that_leads_back_to_a_later_one_is_refused(file: Path) -> None:
    assert "retry_step 'compound' must come before 'review'" in refused(file, review("a: { retry_step: compound }"))


def test_a_step_that_leads_on_to_an_earlier_one_is_refused(file: Path) -> None:
    assert "next_step 'work' must come after 'review'" in refused(file, review("a: { next_step: work }"))


@pytest.mark.parametrize("word", ["next_step", "retry_step"])
def test_a_target_that_is_not_there_is_refused(file: Path, word: str) -> None:
    message = refused(file, review(f"a: {{ {word}: wrk }}"))
    assert f"{word} 'wrk' is no step here; did you mean 'work'?" in message


def test_a_decision_key_without_decisions_is_refused(file: Path) -> None:
    assert "decision_key needs on_decision" in refused(file, "id: a\nsteps: [{ id: b, input: x, decision_key: D }]\n")


def test_decisions_without_a_key_are_refused(file: Path) -> None:
    text = "id: a\nsteps: [{ id: b, input: x, on_decision: { y: continue } }]\n"
    assert "on_decision needs decision_key" in refused(file, text)


def test_values_that_differ_in_case_alone_are_refused(file: Path) -> None:
    assert "'APPROVED' appears twice" in refused(file, review("approved: continue, APPROVED: { retry_step: work }"))


def test_a_route_to_nowhere_and_one_to_two_places_are_refused(file: Path) -> None:
    assert "neither next_step nor retry_step" in refused(file, review("a: { pass_outputs: [b] }"))
    assert "has both next_step and retry_step" in refused(file, review("a: { next_step: compound, retry_step: work }"))
    assert "or the word 'continue'" in refused(file, review("a: go"))


def test_a_file_without_decisions_is_as_linear_as_it_was() -> None:
    steps = stranger("linear.yml").steps
    assert [(step.name, step.routes, step.kind) for step in steps] == [
        (name, (), StepKind.AGENT) for name in ("first", "second", "third")
    ]
    assert [step.minutes for step in steps] == [30, 2.5, 30]


def test_values_for_keys_that_the_run_gives_are_not_taken_from_the_file() -> None:
    assert dict(stranger("workflows/compound/workflow.yml").context) == {
        "review_issues": "",
        "brainstorm_output": "",
        "plan_file": "",
    }


# Ours ----------------------------------------------------------------------------------------------------------------


def test_gates_have_commands_with_names_and_people_are_asked() -> None:
    workflow = stranger("gated.yml")
    smoke = found(workflow.story_steps, "smoke")
    assert smoke.commands == (
        Gate(name="check-1", command="make lint", minutes=5),
        Gate(name="check-2", command="make smoke", minutes=5),
    )
    assert smoke.routes == (Route(value="failed", target="implement", back=True),)
    ask = found(workflow.steps, "sign-off")
    assert (ask.kind, ask.input) == (StepKind.APPROVAL, "May {{task}} be announced?")
    assert workflow.parallel == 4


def test_a_role_is_assigned_its_profile_unless_the_agent_has_one() -> None:
    assert [(agent.id, agent.profile) for agent in stranger("gated.yml").agents] == [("dev", "fast"), ("rev", "strict")]


def test_what_fails_goes_back_by_the_word_of_its_kind(file: Path) -> None:
    workflow = read(
        file,
        """\
        id: a
        steps:
          - { id: do, input: x }
          - { id: look, input: x, on_fail: { retry_step: do, clear: [NOTES] }, output_keys: [notes] }
          - { id: check, kind: gate, run: make, on_fail: { retry_step: do } }
          - { id: ask, kind: approval, ask: ok?, on_fail: { retry_step: do } }
        """,
    ).workflow
    assert [step.routes[0].value for step in workflow.steps[1:]] == ["retry", "failed", "rejected"]
    assert workflow.steps[1].routes[0].clear == ("notes",)


def test_a_type_of_the_catalogue_gives_time_and_an_id_alone_gives_no_rights(file: Path) -> None:
    workflow = read(
        file, "id: a\nsteps: [{ id: linting }, { id: w, type: coding }, { id: review, input: x }]\n"
    ).workflow
    assert [(step.type, step.minutes) for step in workflow.steps] == [("linting", 5), ("coding", 30), ("custom", 30)]


def test_stories_are_planned_where_the_prompt_asks_for_them_or_the_file_says_so(file: Path) -> None:
    workflow = read(
        file,
        """\
        id: a
        steps:
          - { id: one, input: "STORIES_JSON: []" }
          - { id: two, input: "x", plans: true }
          - { id: three, input: "Mind the STORIES_JSON of one", plans: false }
        """,
    ).workflow
    assert [step.plans for step in workflow.steps] == [True, True, False]


# What a file must not do ---------------------------------------------------------------------------------------------


def with_persona(path: str) -> str:
    return f"""\
        id: a
        agents: [{{ id: dev, workspace: {{ files: {{ AGENTS.md: {path} }} }} }}]
        steps: [{{ id: b, agent: dev, input: x }}]
        """


def test_a_link_out_of_the_folder_is_not_followed(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "secret").write_text("s3cret")
    (folder / "link.md").symlink_to(tmp_path / "secret")
    message = refused(folder / "flow.yml", with_persona("link.md"))
    assert "is outside of own" in message
    assert "s3cret" not in message


def test_files_beside_the_folder_may_be_read_within_the_repository(tmp_path: Path) -> None:
    file = tmp_path / "workflows" / "a" / "workflow.yml"
    file.parent.mkdir(parents=True)
    (tmp_path / "shared.md").write_text("who I am")
    file.write_text(dedent(with_persona("../../shared.md")))
    assert load(file, "a", tmp_path).workflow.agents[0].persona == (("AGENTS.md", "who I am"),)


def test_a_name_of_another_tool_is_noted_where_it_stands(file: Path) -> None:
    text = "id: a\nsteps:\n  - id: b\n    input: |\n      Do {{task}}.\n      On {{planet}}.\n"
    (note,) = read(file, text).notes
    assert (note.line, note.column) == (6, 10)
    assert note.text == "step 'b': {{planet}} is a name that nothing provides, so it is empty"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (64 * 1024 + 1)])
def test_a_persona_that_is_no_text_or_a_book_is_refused(file: Path, content: bytes) -> None:
    (file.parent / "big.md").write_bytes(content)
    assert "the persona file 'big.md'" in refused(file, with_persona("big.md"))


def test_a_file_that_is_too_large_is_not_even_parsed(file: Path) -> None:
    assert "it has more than 256 KiB" in refused(file, b"#" * (LARGEST + 1))


def test_bytes_that_are_no_text_are_reported_with_their_place(file: Path) -> None:
    assert refused(file, b"id: a\nname: \xff\n") == "flow.yml:2:7: this is not UTF-8"


def test_a_mark_at_the_beginning_and_windows_line_ends_do_not_matter(file: Path) -> None:
    loaded = read(file, "\ufeffid: a\r\nsteps:\r\n  - id: b\r\n    input: |\r\n      one\r\n      two\r\n".encode())
    assert loaded.workflow.steps[0].input == "one\ntwo"


NESTED = {
    "lists": "[" * 50_000,
    "mappings": "{a: " * 50_000,
    "itself": "&a [*a]",
    "itself by a key": "a: &a {b: *a}",
    "blocks": "- " * 30_000 + "x",
}


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_what_is_nested_without_end_is_refused_at_once(file: Path, text: str) -> None:
    begun = time.process_time()
    assert "nested" in refused(file, text)
    assert time.process_time() - begun < 10


def test_a_file_that_is_not_there_and_one_that_is_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yml", tmp_path):
        with pytest.raises(WorkflowError):
            load(path, path.name, tmp_path)


@contextlib.contextmanager
def without_rights_of_root() -> Iterator[None]:
    """Root may read everything, so the test changes the user meanwhile."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(_NO_PROFILE)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_that_may_not_be_read_is_reported(file: Path) -> None:
    file.write_text("id: a\n")
    file.chmod(0)
    with without_rights_of_root(), pytest.raises(WorkflowError, match="cannot be read"):
        load(file, file.name, file.parent)


def test_thirty_one_steps_are_too_many(file: Path) -> None:
    steps = ", ".join(f"{{ id: s{number}, input: x }}" for number in range(31))
    assert "at most 30" in refused(file, f"id: a\nsteps: [{steps}]\n")


def test_a_persona_is_no_file_of_git(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("[core]\n", encoding="utf-8")
    assert "is a file of git" in refused(tmp_path / "flow.yml", with_persona(".git/config"))


def test_the_files_that_agents_receive_are_known(tmp_path: Path) -> None:
    (tmp_path / "me.md").write_text("who I am", encoding="utf-8")
    assert read(tmp_path / "flow.yml", with_persona("me.md")).files == ("me.md",)
