"""The scripted model speaks each wire protocol as the real models do."""

import gzip
import json
from urllib.parse import urlsplit

from shiftwork.testing.model_server import Call, ModelServer, Say, Think, Tokens, ToolCall, call
from shiftwork.testing.model_server.model_client import ANTHROPIC, RESPONSES, Answer, ask, connect, question, send

LONG = "A text of more than one piece: " + "so it goes on and on. " * 5


def test_anthropic_streams_text_in_pieces_between_a_start_and_an_end(server: ModelServer) -> None:
    server.load("s", [Say(text=LONG, usage=Tokens(input=5, output=9, cache_read=3, cache_write=2))])
    answer = ask(server, ANTHROPIC)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
    events = answer.events
    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["message_start", "content_block_start"]
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert kinds.count("content_block_delta") > 1
    assert "".join(event["delta"]["text"] for event in events[2:-3]) == LONG
    opening = events[0]["message"]
    assert (opening["model"], opening["usage"]["output_tokens"]) == ("m-1", 1)
    counts = {"input_tokens": 5, "output_tokens": 9, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2}
    assert events[-2]["usage"] == counts
    assert events[-2]["delta"]["stop_reason"] == "end_turn"


def test_anthropic_streams_a_thought_then_text_then_parallel_calls(server: ModelServer) -> None:
    calls = (ToolCall(name="Write", input={"content": LONG}), ToolCall(name="Read", input={}))
    server.load("s", [Think(thought="Hm.", then=Call(calls=calls, text="First."))])
    events = ask(server, ANTHROPIC).events
    begun = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert [block["type"] for block in begun] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block.get("input") for block in begun[2:]] == [{}, {}]
    assert len({block["id"] for block in begun[2:]}) == 2
    deltas = [event for event in events if event["type"] == "content_block_delta"]
    assert [event["delta"]["type"] for event in deltas if event["index"] == 0] == ["thinking_delta", "signature_delta"]
    written = "".join(event["delta"]["partial_json"] for event in deltas if event["index"] == 2)
    assert json.loads(written) == {"content": LONG}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_anthropic_answers_whole_where_no_stream_is_asked_for(server: ModelServer) -> None:
    server.load("s", [call("Write", file_path="a")])
    body = ask(server, ANTHROPIC, stream=False).body
    assert [(block["name"], block["input"]) for block in body["content"]] == [("Write", {"file_path": "a"})]
    assert (body["stop_reason"], body["usage"]["input_tokens"], body["role"]) == ("tool_use", 100, "assistant")


def test_responses_streams_numbered_events_up_to_the_whole(server: ModelServer) -> None:
    usage = Tokens(input=5, output=9, cache_read=3)
    calls = (ToolCall(name="shell", input={"command": LONG}), ToolCall(name="apply_patch", input="*** Begin"))
    server.load("s", [Think(thought="Hm.", then=Call(calls=calls, text=LONG, usage=usage))])
    events = ask(server, RESPONSES).events
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    assert "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta") == LONG
    arguments = [event for event in events if event["type"] == "response.function_call_arguments.delta"]
    assert json.loads("".join(event["delta"] for event in arguments)) == {"command": LONG}
    whole = events[-1]["response"]
    assert (events[-1]["type"], whole["status"]) == ("response.completed", "completed")
    output = whole["output"]
    assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "custom_tool_call"]
    assert [event["item"] for event in events if event["type"] == "response.output_item.done"] == output
    assert (output[3]["input"], output[1]["content"][0]["text"]) == ("*** Begin", LONG)
    assert whole["usage"]["input_tokens"] == 8
    assert whole["usage"]["input_tokens_details"] == {"cached_tokens": 3}
    assert whole["usage"]["total_tokens"] == 17


def test_responses_answers_whole_where_no_stream_is_asked_for(server: ModelServer) -> None:
    server.load("s", [Call(calls=(ToolCall(name="note", input={"a": 1}, namespace="mcp__shiftwork"),))])
    body = ask(server, RESPONSES, stream=False).body
    (item,) = body["output"]
    assert (item["type"], item["namespace"]) == ("function_call", "mcp__shiftwork")
    assert (json.loads(item["arguments"]), body["status"]) == ({"a": 1}, "completed")


def test_tokens_are_counted_and_models_listed_without_a_script(server: ModelServer) -> None:
    url = server.url("nobody")
    assert send(f"{url}/v1/messages/count_tokens", "POST", {"messages": []}).body["input_tokens"] >= 1
    assert send(f"{url}/v1/models", "GET").body["data"][0]["id"] == "scripted"
    assert send(server.address, "HEAD").status == 200
    assert send(f"{url}/v1/unheard-of", "POST", {}).status == 404
    assert send(f"{url}/unheard-of", "GET").status == 404


def test_a_body_may_come_in_chunks_and_compressed(server: ModelServer) -> None:
    server.load("s", [Say(text="one"), Say(text="two")])
    packed = gzip.compress(json.dumps(question(ANTHROPIC, "Packed.", stream=False)).encode())
    assert send(server.url("s") + ANTHROPIC, "POST", packed, {"content-encoding": "gzip"}).status == 200
    connection = connect(server.address)
    written = json.dumps(question(ANTHROPIC, "In chunks.", stream=False)).encode()
    connection.request(
        "POST", urlsplit(server.url("s")).path + ANTHROPIC, iter([written[:10], written[10:]]), encode_chunked=True
    )
    assert Answer(connection.getresponse()).body["content"][0]["text"] == "two"
    connection.close()
    assert [request.prompt for request in server.requests("s")] == ["Packed.", "In chunks."]
