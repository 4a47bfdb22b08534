"""A small agent that speaks ACP and behaves as its first argument says; uses no library, so that it can misbehave."""

import atexit
import json
import sys
import time
from typing import Any


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        raise SystemExit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def update(**fields: Any) -> None:
    say({"method": "session/update", "params": {"sessionId": "s", "update": fields}})


def chunk(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def ask(method: str, **params: Any) -> Any:
    say({"id": "mine", "method": method, "params": {"sessionId": "s", **params}})
    answer = receive()
    return answer.get("result", answer.get("error"))


def leave(path: str, *kinds: str) -> Any:
    options = [{"optionId": f"id-{kind}", "name": kind, "kind": kind} for kind in kinds]
    call = {"toolCallId": "t", "title": f"edit {path}", "kind": "edit", "locations": [{"path": path}]}
    return ask("session/request_permission", toolCall=call, options=options)["outcome"]


def permissions(outside: str) -> None:
    both = ("reject_once", "allow_always", "allow_once")
    given = [
        leave("a.txt", *both),
        leave(outside, *both),
        leave("a.txt", "reject_always"),
        leave("sub/a", "allow_always"),
    ]
    chunk(json.dumps([outcome.get("optionId", outcome["outcome"]) for outcome in given]))


def files(outside: str) -> None:
    ask("fs/write_text_file", path="sub/a.txt", content="one\ntwo\nthree\n")
    answers = [
        ask("fs/read_text_file", path="sub/a.txt", line=2, limit=1).get("content"),
        ask("fs/read_text_file", path=f"{outside}/secret").get("data"),
        ask("fs/write_text_file", path="link/stolen", content="x").get("data"),
        ask("fs/read_text_file", path="missing").get("code"),
        ask("terminal/create", command="sh").get("code"),
    ]
    chunk(json.dumps(answers))


def garbage(_: str) -> None:
    for line in (
        "not json",
        "[1]",
        "{}",
        '{"id": [1], "result": 1}',
        '{"id": 99, "error": "x"}',
        '{"method": 5}',
        "\0",
    ):
        sys.stdout.write(line + "\n")
    say({"method": "session/update", "params": [1]})
    say({"method": "session/update", "params": {"update": {"sessionUpdate": "agent_message_chunk", "content": 7}}})
    say({"method": "of/tomorrow"})
    say({"id": 7, "method": "of/tomorrow"})
    receive()
    chunk("Still here.")


def works(_: str) -> None:
    chunk("First ")
    chunk("words.")
    update(sessionUpdate="tool_call", toolCallId="t", title="ls", kind="execute", status="pending")
    content = [{"type": "content", "content": {"type": "text", "text": "a.txt"}}]
    update(sessionUpdate="tool_call_update", toolCallId="t", status="completed", content=content)
    update(sessionUpdate="usage_update", used=10, size=100, cost={"amount": 0.25, "currency": "USD"})
    chunk("Last words.")


def lingers(_: str) -> None:
    """It does not hear that the line was closed."""
    atexit.register(time.sleep, 60)


def silent(_: str) -> None:
    """Nothing is said."""


BEHAVIOURS = {"permissions": permissions, "files": files, "garbage": garbage, "works": works, "lingers": lingers}


def main(play: str, outside: str) -> int:
    while True:
        message = receive()
        match message["method"], play:
            case "initialize", "mute":
                return 3
            case "initialize", _:
                say(
                    {
                        "id": message["id"],
                        "result": {"protocolVersion": 1, "agentInfo": {"name": "tiny", "version": "1"}},
                    }
                )
            case "session/new", "login":
                say(
                    {
                        "id": message["id"],
                        "error": {"code": -32000, "message": "Authentication required", "data": "log in"},
                    }
                )
            case "session/new", _:
                say({"id": message["id"], "result": {"sessionId": "s"}})
            case "session/prompt", "dies":
                sys.stderr.write("out of luck\n")
                return 7
            case "session/prompt", _:
                BEHAVIOURS.get(play, silent)(outside)
                reason = "max_tokens" if play == "stops" else "end_turn"
                say(
                    {
                        "id": message["id"],
                        "result": {"stopReason": reason, "usage": {"inputTokens": 5, "outputTokens": 2}},
                    }
                )
            case _:
                say({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""))
