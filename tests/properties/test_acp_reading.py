"""No message of an ACP agent makes reading raise, and no request gives it access outside the workspace."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.agents.acp.permissions import OutsideError, Workspace
from shiftwork.adapters.agents.acp.session_updates import AcpTranscript
from shiftwork.ports.agent import Ending
from tests.properties.any_json import TEXTS, any_json

KEYS = st.sampled_from(
    (
        *("update", "sessionUpdate", "content", "text", "type", "messageId", "toolCallId", "title", "kind", "status"),
        *("rawInput", "cost", "amount", "currency", "used", "size", "path", "usage", "inputTokens", "stopReason"),
        *("toolCall", "locations", "options", "optionId"),
    )
)
VALUES = st.sampled_from(
    (
        *("agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "completed", "failed", "USD"),
        *("allow_once", "reject_once", "end_turn", "cancelled", "../outside", "/etc/passwd", "inside"),
    )
)
JSON = any_json(KEYS, VALUES)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=8)
UPDATES = st.builds(
    lambda update, kind: {"update": update | {"sessionUpdate": kind}},
    OBJECTS,
    st.sampled_from(("agent_message_chunk", "tool_call", "tool_call_update", "usage_update", "of_tomorrow")),
)


@settings(deadline=None)  # machines under load are slow now and then
@given(updates=st.lists(UPDATES | OBJECTS, max_size=8), result=st.none() | OBJECTS, exit_code=st.integers())
def test_nothing_that_may_be_sent_raises(
    updates: list[dict[str, Any]], result: dict[str, Any] | None, exit_code: int
) -> None:
    transcript = AcpTranscript()
    events = [event for update in updates for event in transcript.update(update)]
    if result is not None:
        events += transcript.ended(result)
    report = transcript.verdict(exit_code, "")
    for text in (*(event.text + event.tool for event in events), report.answer, report.detail):
        text.encode()
        assert "\0" not in text
    assert min(report.usage.input_tokens, report.usage.output_tokens) >= 0
    ended = result is not None and result.get("stopReason") == "end_turn"
    assert (report.ending is Ending.FINISHED) == ended
    if not ended:
        assert (report.answer, bool(report.detail)) == ("", True)


@settings(deadline=None)  # machines under load are slow now and then
@given(
    place=st.builds("/".join, st.lists(st.sampled_from(("..", "a", ".", "", "link", "/")) | TEXTS, max_size=5)),
    asked=OBJECTS,
)
def test_only_what_is_inside_is_touched(tmp_path_factory: Any, place: str, asked: dict[str, Any]) -> None:
    root: Path = tmp_path_factory.mktemp("around")
    inside, outside = root / "inside", root / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (inside / "link").symlink_to(outside)
    (outside / "kept").write_text("kept")
    workspace = Workspace(inside)
    for params in (asked | {"path": place, "content": "x"}, asked | {"path": str(outside / "kept"), "content": "x"}):
        for touch in (workspace.write, workspace.read):
            try:
                touch(params)
            except OutsideError:
                continue
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "kept"
    assert {path.name for path in root.iterdir()} == {"inside", "outside"}


@settings(deadline=None)  # machines under load are slow now and then
@given(asked=OBJECTS, kinds=st.lists(st.sampled_from(("allow_once", "allow_always", "reject_once", "reject_always"))))
def test_leave_for_what_is_elsewhere_is_never_given(asked: dict[str, Any], kinds: list[str]) -> None:
    options = [{"kind": kind, "optionId": kind} for kind in kinds]
    call = asked | {"locations": [{"path": "a"}, {"path": "/etc/passwd"}]}
    workspace = Workspace(Path("/nowhere/work"))
    chosen = workspace.permit({"toolCall": call, "options": options})
    assert not chosen.startswith("allow")
    assert len(workspace.denials) == 1


@given(numbers=st.lists(st.none() | st.integers(min_value=0, max_value=10**6), max_size=5))
def test_what_a_session_has_cost_never_becomes_less(numbers: list[int | None]) -> None:
    transcript = AcpTranscript()
    for amount in numbers:
        cost = {"currency": "USD", "amount": amount}
        transcript.update({"update": {"sessionUpdate": "usage_update", "cost": cost}})
    known = [amount for amount in numbers if amount is not None]
    assert transcript.verdict(0, "").usage.cost_usd == max(known, default=None)
