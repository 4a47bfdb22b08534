"""Who may call what: every route with every role, without a token, and from foreign hosts and pages."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from shiftwork.config.access.tokens import Role, Tokens, role_of
from shiftwork.entrypoints.api.access.attempt_limit import FAILURES
from shiftwork.entrypoints.api.access.request_guard import LARGEST_BODY, LOGIN, PREFIX
from shiftwork.entrypoints.api.application import ROUTERS, routes
from shiftwork.entrypoints.api.routes.endpoint import ROLE
from tests.api.api_rig import HOST, ORIGIN, PORT, Stage, served, staged

COOKIE = f"shiftwork_session_{PORT}"
VALUES = {
    "run": "r1",
    "story": "US-001",
    "step": "step-001",
    "attempt": "1",
    "token": "00",
    "start": "00",
}


def declared() -> list[tuple[str, str, str]]:
    """The method, the path and the role of each route, as the application has them: a new route is included."""
    found = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    assert all(set(route.param_convertors) <= set(VALUES) for route in found), "give the new parameter a value above"
    return [
        (method, f"{PREFIX}{route.path.format(**VALUES)}", (route.openapi_extra or {})[ROLE])
        for route in found
        for method in sorted(route.methods or ())
    ]


DECLARED = declared()
CALLS = [(method, path) for method, path, role in DECLARED if role != "none"]
CHANGES = [(method, path) for method, path in CALLS if method != "GET"]
READS = [(method, path) for method, path in CALLS if method == "GET" and not path.endswith("/events")]


def call(client: TestClient, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any) -> int:
    """The status of an answer. A stream never ends, so of its kind only refusals are read."""
    return int(client.request(method, path, headers=dict(headers or {}), **more).status_code)


@pytest.fixture
def session(asking: Stage) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A browser of an admin, and what its own pages send."""
    with asking.client() as browser:
        opened = browser.post(LOGIN, json={"token": asking.words[Role.ADMIN]}, headers={"origin": ORIGIN})
        assert opened.status_code == 200
        yield browser, {"origin": ORIGIN, "x-csrf-token": opened.json()["csrf"]}


def test_every_route_says_which_role_it_needs() -> None:
    app = routes()
    described = {
        (method.upper(), path): operation.get(ROLE)
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
    }
    assert len(described) == len(DECLARED)
    assert set(described.values()) == {"none", *(role.word for role in Role)}
    assert [key for key, role in described.items() if role == "none"] == [("POST", LOGIN)]
    assert all(role != "viewer" for (method, path), role in described.items() if method != "GET" and path != LOGIN)


def test_only_an_admin_sees_tokens() -> None:
    assert {role for _, path, role in DECLARED if "/tokens" in path} == {"admin"}


@pytest.mark.parametrize(("method", "path", "needed"), [each for each in DECLARED if each[2] != "none"])
def test_a_role_below_the_needed_one_is_refused_and_any_other_passes(
    client: TestClient, asking: Stage, method: str, path: str, needed: str
) -> None:
    least = role_of(needed)
    assert least
    for role in Role:
        if path.endswith("/events"):
            continue  # passes and streams: see test_events
        status = call(client, method, path, asking.bearer(role))
        assert (status == 403) == (role < least), f"{role.word}: {status}"
        assert status not in {401, 429}
        assert status < 500


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_without_a_right_token_nothing_is_answered(client: TestClient, method: str, path: str) -> None:
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic YTpi"}, {"cookie": f"{COOKIE}=1"}):
        response = client.request(method, path, headers=headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["kind"] == "unauthenticated"


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in DECLARED])
def test_a_foreign_host_is_refused_even_with_a_token(client: TestClient, asking: Stage, method: str, path: str) -> None:
    for host in ("evil.example", f"evil.example:{PORT}", "127.0.0.1", "localhost:1", ""):
        assert call(client, method, path, {**asking.bearer(Role.ADMIN), "host": host}) == 421


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_a_cookie_counts_only_on_our_own_pages(
    session: tuple[TestClient, dict[str, str]], method: str, path: str
) -> None:
    browser, own = session
    csrf = {"x-csrf-token": own["x-csrf-token"]}
    for foreign in ("http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1:1", ""):
        assert call(browser, method, path, {**csrf, "origin": foreign}) == 403
        assert call(browser, method, path, {**csrf, "origin": foreign, "sec-fetch-site": "same-origin"}) == 403
    assert call(browser, method, path, csrf) == 403, "no origin"
    assert call(browser, method, path, {**csrf, "sec-fetch-site": "cross-site"}) == 403


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_a_page_that_changes_something_sends_what_only_it_can_know(
    session: tuple[TestClient, dict[str, str]], method: str, path: str
) -> None:
    browser, own = session
    for headers in ({"origin": ORIGIN}, {**own, "x-csrf-token": "1"}, {**own, "x-csrf-token": "\u00e9"}):
        encoded = {name: value.encode("latin-1") for name, value in headers.items()}
        assert browser.request(method, path, headers=encoded).status_code == 403  # type: ignore[arg-type]  # as httpx has it
    assert call(browser, method, path, {"sec-fetch-site": "same-origin"}) == 403, "a change always names its origin"
    assert call(browser, method, path, own) not in {401, 403}


@pytest.mark.parametrize(("method", "path"), READS)
def test_our_own_page_reads_with_its_cookie(session: tuple[TestClient, dict[str, str]], method: str, path: str) -> None:
    browser, _ = session
    assert call(browser, method, path, {"sec-fetch-site": "same-origin"}) not in {401, 403}
    assert call(browser, method, path, {"origin": ORIGIN}) not in {401, 403}


def test_a_token_passes_from_any_page(client: TestClient, asking: Stage) -> None:
    """Only a program that was given the token can send it; the answer carries nothing that lets another page read."""
    response = client.get(f"{PREFIX}/runs", headers={**asking.bearer(Role.VIEWER), "origin": "http://evil.example"})
    assert response.status_code == 200
    assert not [name for name in response.headers if name.startswith("access-control")]


def test_a_login_from_a_foreign_page_is_refused(client: TestClient, asking: Stage) -> None:
    body = {"token": asking.words[Role.VIEWER]}
    assert client.post(LOGIN, json=body, headers={"origin": "http://evil.example"}).status_code == 403
    assert "set-cookie" in client.post(LOGIN, json=body, headers={"origin": ORIGIN}).headers


def test_the_cookie_is_hidden_from_scripts_and_from_other_sites(client: TestClient, asking: Stage) -> None:
    sent = client.post(LOGIN, json={"token": asking.words[Role.VIEWER]}).headers["set-cookie"].lower()
    assert "httponly" in sent
    assert "samesite=strict" in sent
    assert asking.words[Role.VIEWER] not in sent


def test_only_a_login_gives_the_value_that_changes_need(asking: Stage) -> None:
    """The cookie reaches other servers on this machine: with it alone nobody may get what changes need."""
    with asking.client() as browser:
        csrf = browser.post(LOGIN, json={"token": asking.words[Role.ADMIN]}).json()["csrf"]
        assert len(csrf) == 64
        assert browser.get(LOGIN, headers={"origin": ORIGIN}).json()["csrf"] is None
        for _, path in READS:
            assert csrf not in browser.get(path, headers={"origin": ORIGIN}).text
        ended = browser.delete(LOGIN, headers={"origin": ORIGIN, "x-csrf-token": csrf})
        assert ended.json()["csrf"] is None


@pytest.mark.parametrize(
    "others",
    [
        'foo={{"a": 1}}; {own}',
        "a/b=1; {own}; c=2",
        "flag; {own}",
        "n=hello world; {own}",
        '"; {own}',
        "=; ;; {own};",
        f"x{COOKIE}=1; {{own}}; {COOKIE}x=2",
        f"x={COOKIE}=1; {{own}}",
    ],
)
def test_a_cookie_of_another_server_ends_no_session(asking: Stage, others: str) -> None:
    """Browsers send the cookies of 127.0.0.1 to all its ports."""
    with asking.client() as browser:
        browser.post(LOGIN, json={"token": asking.words[Role.VIEWER]})
        own = f"{COOKIE}={browser.cookies[COOKIE]}"
    with asking.client() as sender:
        for sent, status in ((others.format(own=own), 200), (others.format(own="own=1"), 401)):
            assert call(sender, "GET", LOGIN, {"origin": ORIGIN, "cookie": sent}) == status


def test_a_session_names_its_project(session: tuple[TestClient, dict[str, str]], asking: Stage) -> None:
    """Boards of several projects look the same but for this name."""
    browser, _ = session
    answer = browser.get(f"{PREFIX}/session", headers={"origin": ORIGIN})
    assert answer.json()["project_name"] == asking.site.name


def test_a_session_ends_with_its_token_and_when_it_is_closed(asking: Stage) -> None:
    tokens = Tokens(asking.site.state)
    token, word = tokens.create(Role.VIEWER, "short", 1.0)
    with asking.client() as browser, asking.client() as other:
        csrf, _ = (each.post(LOGIN, json={"token": word}).json()["csrf"] for each in (browser, other))
        own = {"origin": ORIGIN}
        assert browser.delete(LOGIN, headers={**own, "x-csrf-token": csrf}).json()["role"] == "viewer"
        assert call(browser, "GET", LOGIN, own) == 401
        assert call(other, "GET", LOGIN, own) == 200
        tokens.revoke(token.id)
        assert call(other, "GET", LOGIN, own) == 401


def test_wrong_tokens_are_limited_and_right_ones_still_pass(client: TestClient, asking: Stage) -> None:
    wrong = {"authorization": "Bearer wrong"}
    assert [call(client, "GET", LOGIN, wrong) for _ in range(FAILURES)] == [401] * FAILURES
    refused = client.get(LOGIN, headers=wrong)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 61
    assert client.post(LOGIN, json={"token": "wrong"}).status_code == 429
    assert call(client, "GET", LOGIN, asking.bearer(Role.VIEWER)) == 200


def test_a_request_that_is_too_large_is_refused(client: TestClient, asking: Stage) -> None:
    headers = asking.bearer(Role.OPERATOR)
    path = f"{PREFIX}/runs/r1/stories/US-001/answer"
    large = b'{"text": "' + b"x" * LARGEST_BODY + b'"}'
    assert call(client, "POST", path, headers, content=large) == 413
    assert call(client, "POST", path, headers, content=iter([large])) == 413, "without a length"
    assert call(client, "POST", path, {**headers, "content-length": "-1"}, content=b"{}") == 413


def test_every_answer_has_the_headers_of_caution(client: TestClient, asking: Stage) -> None:
    for response in (
        client.get(f"{PREFIX}/runs", headers=asking.bearer(Role.VIEWER)),
        client.get(f"{PREFIX}/runs"),
        client.get(f"{PREFIX}/nothing", headers=asking.bearer(Role.VIEWER)),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-opener-policy"] == "same-origin"


def test_a_damaged_file_of_tokens_lets_nobody_in(client: TestClient, asking: Stage) -> None:
    file = asking.site.state / "tokens.json"
    whole = file.read_text()
    file.write_text("{")
    refused = client.get(LOGIN, headers=asking.bearer(Role.ADMIN))
    file.write_text(whole)
    assert refused.status_code == 503
    assert refused.json()["kind"] == "state"


def test_a_file_that_cannot_be_written_or_read_is_an_error_document(stage: Stage) -> None:
    """As on a full disk, or without free file descriptors."""
    state = stage.site.state
    with stage.client() as client:
        (state / "tokens.new").mkdir()  # where new tokens are written
        refused = client.post(f"{PREFIX}/tokens", headers=stage.bearer(Role.ADMIN), json={})
        assert (refused.status_code, refused.json()["kind"]) == (503, "state")
        assert str(state) not in refused.text
        state.rename(state.with_name("moved"))
        state.touch()
        refused = client.get(f"{PREFIX}/runs", headers=stage.bearer(Role.ADMIN))
        assert (refused.status_code, refused.json()["kind"]) == (503, "state")
        state.unlink()
        state.with_name("moved").rename(state)


def test_an_unexpected_error_is_an_error_document_without_details() -> None:
    app = routes()

    @app.get("/broken")
    async def broken() -> None:
        raise ValueError("a detail")

    answer = TestClient(app, raise_server_exceptions=False).get("/broken")
    assert (answer.status_code, answer.json()["kind"]) == (500, "internal")
    assert "a detail" not in answer.text


def test_an_admin_manages_tokens(client: TestClient, asking: Stage) -> None:
    admin = asking.bearer(Role.ADMIN)
    made = client.post(f"{PREFIX}/tokens", headers=admin, json={"role": "operator", "name": "ci"}).json()
    listed = client.get(f"{PREFIX}/tokens", headers=admin)
    assert made["token"] not in listed.text
    assert made["token_id"] in {each["token_id"] for each in listed.json()["all_tokens"]}
    own = {"authorization": f"Bearer {made['token']}"}
    assert client.get(LOGIN, headers=own).json()["role"] == "operator"
    assert call(client, "DELETE", f"{PREFIX}/tokens/{made['token_id']}", admin) == 200
    assert call(client, "GET", LOGIN, own) == 401


def test_boards_of_two_projects_in_one_browser_do_not_end_each_others_sessions(stage: Stage, tmp_path: Path) -> None:
    """Browsers send the cookies of a host to all its ports."""
    browser = httpx2.Client(verify=False, timeout=60)
    own = {"sec-fetch-site": "same-origin"}
    with staged(tmp_path / "other") as other, served(stage) as first, served(other) as second, browser:
        for at, project in ((first, stage), (second, other)):
            assert browser.post(f"{at}/session", json={"token": project.words[Role.ADMIN]}).status_code == 200
        assert [browser.get(f"{at}/session", headers=own).status_code for at in (first, second)] == [200, 200]
