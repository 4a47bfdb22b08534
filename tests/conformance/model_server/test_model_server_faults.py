"""The scripted model fails in each way in which real models fail, and survives clients that fail."""

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from shiftwork.testing.model_server import Drop, DropMid, Fail, Hang, ModelServer, Say, StreamError
from shiftwork.testing.model_server.model_client import ANTHROPIC, RESPONSES, ask, connect, question

BOTH = pytest.mark.parametrize("path", [ANTHROPIC, RESPONSES])


@BOTH
@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
def test_an_error_has_its_status_headers_and_the_wires_own_body(server: ModelServer, path: str, status: int) -> None:
    server.load("s", [Fail(status=status, headers={"retry-after": "3"}, message="slow down", repeat=2), Say(text="ok")])
    for _ in range(2):
        answer = ask(server, path)
        assert (answer.status, answer.headers["retry-after"]) == (status, "3")
        assert answer.body["error"]["message"] == "slow down"
    assert ask(server, path).status == 200


def test_anthropic_errors_are_named_as_the_real_ones_are(server: ModelServer) -> None:
    server.load("s", [Fail(status=429), Fail(status=529), Fail(status=418, body={"own": "words"})])
    assert ask(server, ANTHROPIC).body["error"]["type"] == "rate_limit_error"
    assert ask(server, ANTHROPIC).body["error"]["type"] == "overloaded_error"
    assert ask(server, ANTHROPIC).body == {"own": "words"}


@BOTH
def test_a_dropped_request_gets_no_byte(server: ModelServer, path: str) -> None:
    server.load("s", [Drop()])
    with pytest.raises(http.client.RemoteDisconnected):
        ask(server, path)


@BOTH
def test_a_stream_dropped_midway_has_begun_and_has_no_end(server: ModelServer, path: str) -> None:
    server.load("s", [DropMid()])
    kinds = [event["type"] for event in ask(server, path).events]
    assert kinds[-1].endswith("delta")
    assert len(kinds) > 2


@BOTH
def test_a_whole_answer_dropped_midway_is_cut_short(server: ModelServer, path: str) -> None:
    server.load("s", [DropMid()])
    with pytest.raises(http.client.IncompleteRead):
        ask(server, path, stream=False)


@pytest.mark.parametrize(("path", "last"), [(ANTHROPIC, "error"), (RESPONSES, "response.failed")])
def test_a_stream_may_end_in_an_error_event(server: ModelServer, path: str, last: str) -> None:
    server.load("s", [StreamError(message="too many"), StreamError(message="too many")])
    answer = ask(server, path)
    assert (answer.status, answer.events[-1]["type"]) == (200, last)
    assert "too many" in json.dumps(answer.events[-1])
    assert ask(server, path, stream=False).status == 529


@BOTH
def test_a_hang_lasts_as_long_as_it_says(server: ModelServer, path: str) -> None:
    server.load("s", [Hang(seconds=0.3, then=Fail(status=500))])
    began = time.monotonic()
    assert ask(server, path).status == 500
    assert time.monotonic() - began >= 0.3


def test_leaving_the_server_ends_a_hang_and_idle_connections() -> None:
    before = set(threading.enumerate())  # servers of other tests may still end
    with ThreadPoolExecutor(1) as pool:
        with ModelServer() as server:
            server.load("s", [Hang(seconds=600)])
            idle = connect(server.address)
            idle.request("GET", "/v1/models")
            idle.getresponse().read()
            hanging = pool.submit(ask, server, ANTHROPIC)
            assert server.wait_for("s", 1, 60)
            began = time.monotonic()
        assert time.monotonic() - began < 60
        assert isinstance(hanging.exception(60), OSError | http.client.HTTPException | None)
        idle.close()
    left = set(threading.enumerate()) - before
    assert not [thread for thread in left if "process_request_thread" in thread.name]


def test_a_client_that_goes_away_harms_no_one(server: ModelServer) -> None:
    server.load("s", [Hang(seconds=0.2), Say(text="ok")])
    gone = connect(server.address)
    gone.request("POST", urlsplit(server.url("s")).path + ANTHROPIC, json.dumps(question(ANTHROPIC)).encode())
    assert server.wait_for("s", 1, 60)
    gone.close()
    assert ask(server, ANTHROPIC, stream=False).body["content"][0]["text"] == "ok"
