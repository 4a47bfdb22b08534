"""The tools for other agents: their arguments, what counts as a change, and which arguments no command gets to see."""

import inspect
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.bootstrap.run_request import work_of, workflow_words
from shiftwork.config.settings.sections import LimitSettings
from shiftwork.entrypoints.cli.options.limits import Bounds
from shiftwork.entrypoints.mcp.mcp_server import RefusedCall, Server
from shiftwork.entrypoints.mcp.run_arguments import limit_words, run_words, story_of
from shiftwork.entrypoints.mcp.run_changes import changes, is_over, needs
from shiftwork.entrypoints.mcp.run_server import SKILL
from shiftwork.entrypoints.mcp.run_toolbox import RunToolbox
from shiftwork.entrypoints.mcp.run_tools import LIMITS, RUN_TOOLS
from shiftwork.errors import UsageError


def test_each_tool_is_a_method_that_takes_its_arguments() -> None:
    for tool in RUN_TOOLS:
        parameters = dict(inspect.signature(getattr(RunToolbox, tool["name"])).parameters)
        del parameters["self"]
        named = [name for name in parameters if name != "limits"] + ([*LIMITS] if "limits" in parameters else [])
        assert named == list(tool["inputSchema"]["properties"]), tool["name"]


def test_every_limit_of_the_command_line_can_be_given_and_has_its_setting() -> None:
    assert list(LIMITS) == [*Bounds.__annotations__]
    assert {setting for _, setting, _ in LIMITS.values()} <= set(LimitSettings.model_fields)


def test_no_tool_grants_trust_or_weakens_a_guard() -> None:
    offered = {name for tool in RUN_TOOLS for name in tool["inputSchema"]["properties"]}
    assert offered.isdisjoint({"trust", "without_gate", "agent", "model", "branch", "context", "sandbox", "settings"})


def test_the_skill_names_every_tool_and_has_what_programs_look_for() -> None:
    text = SKILL.read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    assert [line.partition(":")[0] for line in head.splitlines()] == ["name", "description"]
    assert all(f"| `{tool['name']}` |" in body for tool in RUN_TOOLS)


@pytest.mark.parametrize(
    "name", ["/etc/x.json", "../x.json", "a/../../x.json", "x\0", "none.json", "out.json", "l" * 5000]
)
def test_a_spec_is_a_file_of_the_repository(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out.json").symlink_to(tmp_path / "x.json")
    (tmp_path / "x.json").touch()
    with pytest.raises(UsageError):
        work_of(root, "", name)
    (root / "-x.json").touch()
    assert work_of(root, "", "-x.json") == "./-x.json"


@given(text=st.text(max_size=200))
def test_a_sentence_is_never_a_path_out_of_the_repository(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.getbasetemp()
    try:
        work = work_of(root, text, "")
    except UsageError:
        return
    assert (root / work).is_relative_to(root)
    assert ".." not in Path(work).parts


@pytest.mark.parametrize("name", ["../x", "/x", "a/b.yml", "-x", ".x", "x y", ""])
def test_a_workflow_is_a_name(name: str) -> None:
    if name:
        with pytest.raises(UsageError):
            workflow_words(name)
    else:
        assert workflow_words(name) == ()
    assert workflow_words("feature-dev") == ("--workflow=feature-dev",)


def test_names_are_no_options() -> None:
    assert run_words("--all") == ("--", "--all")
    assert run_words("--all", "--run") == ("--run=--all",)
    assert run_words("") == ()
    with pytest.raises(UsageError):
        story_of(" ")


def test_a_limit_is_never_above_that_of_the_settings() -> None:
    settings = LimitSettings(run_usd=5)
    assert list(limit_words({"max_cost": 5, "max_story_tokens": 9}, settings)) == [
        "--max-cost=5",
        "--max-story-tokens=9",
    ]
    with pytest.raises(UsageError, match=r"max_cost is 5.5, and limits.run_usd"):
        list(limit_words({"max_cost": 5.5}, settings))


def document(status: str, **story: Any) -> dict[str, Any]:
    steps = [{"step": "step-001", "name": "coding", "status": status, "attempts": 1, "cost_usd": len(story)}]
    return {
        "run": "r1",
        "status": "in_progress",
        "activity": "working",
        "worker": {"pid": 1},
        "cost_usd": len(story),
        "stories": [{"story": "US-001", "status": "in_progress", "waiting": "", "steps": steps, **story}],
    }


def test_changes_are_those_of_states_not_of_costs() -> None:
    assert changes(document("running"), document("running", cost_usd=3)) == []
    assert changes(document("running"), document("completed")) == [
        {"story": "US-001", "step": "step-001", "name": "coding", "status": {"before": "running", "now": "completed"}}
    ]
    asks = document("running", waiting="question: which?", hold="question", title="T")
    assert [change["story"] for change in changes(document("running"), asks)] == ["US-001"]
    assert [item["waiting"] for item in needs(asks)] == ["question: which?"]
    assert needs(document("running", waiting="reset: limited until 12:00", hold="")) == [], "nobody is asked"
    assert [item["run"] for item in changes({}, asks)[:1]] == ["r1"]
    assert (is_over(asks), is_over({**asks, "activity": "over"})) == (False, True)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


@given(
    name=st.sampled_from([tool["name"] for tool in RUN_TOOLS]),
    arguments=st.dictionaries(st.sampled_from([*LIMITS, "request", "spec", "run", "story", "trust"]), anything),
)
def test_a_tool_is_called_with_arguments_of_its_types_or_not_at_all(name: str, arguments: dict[str, Any]) -> None:
    calls: list[dict[str, Any]] = []
    server = Server(lambda _, given: calls.append(given), tools=RUN_TOOLS, rejected=lambda reason: {"message": reason})
    params = {"name": name, "arguments": arguments}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    result = json.loads(server.answer(line))["result"]
    assert result["isError"] == (not calls)
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    known = next(tool for tool in RUN_TOOLS if tool["name"] == name)["inputSchema"]["properties"]
    for given_name, value in (calls or [{}])[0].items():
        assert isinstance(value, kinds[known[given_name]["type"]])  # type: ignore[arg-type]


class Began:
    """A command in place of a process: it has ended once it has a last document."""

    def __init__(self, last: dict[str, Any] | None = None) -> None:
        self.last, self.begun = last or {}, None

    @property
    def over(self) -> bool:
        return bool(self.last)

    def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        return holds()


class Scripted(RunToolbox):
    """A toolbox whose `run` takes until a test ends it, and whose `status` knows one run of yesterday."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, {}, threading.Event())
        self.run = Began()

    def _begin(self, *words: str) -> Any:
        if words[0] == "run":
            return self.run
        named = next((word for word in words[1:] if not word.startswith("-")), "")
        return Began({"schema": "shiftwork/run/1", "run": named or "yesterday", "activity": "over", "stories": []})


def test_the_result_of_a_start_that_takes_long_is_what_the_next_wait_gives(tmp_path: Path) -> None:
    toolbox = Scripted(tmp_path)
    assert toolbox.start(request="Fix it")["starting"] is True
    assert toolbox.wait(seconds=0)["starting"] is True
    toolbox.run.last = {"schema": "shiftwork/error/1", "kind": "red-base", "message": "the gate test fails"}
    with pytest.raises(RefusedCall) as refused:
        toolbox.wait(seconds=0)
    assert refused.value.document["kind"] == "red-base"
    assert toolbox.wait(seconds=0)["run"] == "yesterday", "it is reported once"
    toolbox.run = Began()
    toolbox.start(request="Fix it")
    toolbox.run.last = {"schema": "shiftwork/result/1", "run": "today"}
    assert toolbox.wait(seconds=0)["run"] == "today"
