"""The web board: its files without a token, the link that signs a browser in, and sessions that outlive a server."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shiftwork.config.access.login_codes import MINUTES, LoginCodes, board_token
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.entrypoints.api.access.browser_sessions import MOST_OF_TOKEN
from shiftwork.entrypoints.api.access.request_guard import LOGIN, PREFIX
from shiftwork.entrypoints.api.board_files import POLICY, BoardFiles
from shiftwork.entrypoints.api.http_server import access
from shiftwork.entrypoints.host.board_link import board_link
from tests.api.api_rig import ORIGIN, PORT, Stage

FROM_HERE = {"origin": ORIGIN}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "board"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<title>board</title>")
    (built / "assets/index-1a2b.js").write_text("export {}")
    (tmp_path / "secret.js").write_text("secret")
    return built


def reading(folder: Path) -> TestClient:
    async def api(scope: object, receive: object, send: object) -> None:
        raise AssertionError("the API was asked for a file of the board")

    return TestClient(BoardFiles(api, folder), base_url=ORIGIN)


@pytest.fixture
def files(folder: Path) -> TestClient:
    return reading(folder)


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/1abc/US-001?tab=log", "/settings", "/index.html"])
def test_the_address_of_a_page_gives_the_board(files: TestClient, path: str) -> None:
    answer = files.get(path)
    assert answer.text == "<title>board</title>"
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["cache-control"] == "no-cache"


def test_a_hashed_asset_is_kept_forever_and_one_of_another_version_is_no_page(files: TestClient) -> None:
    found, other = files.get("/assets/index-1a2b.js"), files.get("/assets/index-9f9f.js")
    assert found.headers["content-type"].startswith("text/javascript")
    assert "immutable" in found.headers["cache-control"]
    assert (other.status_code, "board</title>" in other.text) == (404, False)


@pytest.mark.parametrize("path", ["/../secret.js", "/%2e%2e/secret.js", "/assets/../../secret.js", "//etc/passwd.js"])
def test_no_path_leads_out_of_the_folder(files: TestClient, path: str) -> None:
    assert "secret" not in files.get(path).text


def test_the_board_takes_no_changes(files: TestClient) -> None:
    assert files.post("/runs").status_code == 405


def test_a_checkout_without_a_board_says_how_to_build_it(tmp_path: Path) -> None:
    answer = reading(tmp_path / "none").get("/runs")
    assert answer.status_code == 503
    assert "just web" in answer.text


def test_pages_need_no_token_but_the_right_host_and_are_never_sniffed(stage: Stage) -> None:
    with stage.client() as browser:
        page = browser.get("/runs/1abc")
        assert page.status_code in {200, 503}  # whether the board is built is up to the checkout
        assert page.headers["x-content-type-options"] == "nosniff"
        assert browser.get("/", headers={"host": "example.com"}).status_code == 421
        assert browser.get("/api").status_code == 401
        assert browser.get(f"{PREFIX}/runs").status_code == 401


def test_a_link_signs_a_browser_in_once(stage: Stage) -> None:
    link, _ = board_link(stage.site, ORIGIN)
    code = link.removeprefix(f"{ORIGIN}/#code=")
    with stage.client() as browser, stage.client() as second:
        opened = browser.post(LOGIN, json={"code": code}, headers=FROM_HERE)
        assert (opened.status_code, opened.json()["role"]) == (200, "operator")
        assert browser.get(f"{PREFIX}/runs", headers=FROM_HERE).status_code == 200
        assert second.post(LOGIN, json={"code": code}, headers=FROM_HERE).status_code == 401
        assert second.post(LOGIN, json={"code": ""}, headers=FROM_HERE).status_code == 401


def test_a_code_expires_and_is_stored_as_a_hash(tmp_path: Path) -> None:
    token, codes = board_token(Tokens(tmp_path), 0), LoginCodes(tmp_path, PORT)
    late, _ = codes.create(token, 0)
    assert all(late not in file.name + file.read_text() for file in (tmp_path / "login-codes").iterdir())
    assert codes.use(late, 60 * MINUTES) is None
    early, _ = codes.create(token, 0)
    assert codes.use(early, 60 * MINUTES - 1) == token.id
    assert codes.use("../tokens.json", 0) is None


def test_a_code_counts_only_at_its_port(stage: Stage) -> None:
    """Who takes the port of a server that was stopped receives the code of a link that nobody has opened."""
    link, _ = board_link(stage.site, ORIGIN)
    code = link.rpartition("=")[2]
    assert access(stage.site, PORT + 1).codes.use(code, 0) is None
    assert access(stage.site, PORT).codes.use(code, 0) is not None


def test_a_token_opens_a_limited_number_of_sessions_and_ends_no_others(stage: Stage) -> None:
    tokens = Tokens(stage.site.state)
    board, (viewer, _) = board_token(tokens, 0), tokens.create(Role.VIEWER, "many", 0)
    sessions = access(stage.site, PORT).sessions
    kept, _ = sessions.open(board)
    opened = [sessions.open(viewer)[0] for _ in range(MOST_OF_TOKEN + 1)]
    assert sessions.find(kept) is not None
    assert [sessions.find(word) is not None for word in opened] == [False, *[True] * MOST_OF_TOKEN]


def test_all_sessions_of_the_board_end_with_its_token(stage: Stage) -> None:
    link, _ = board_link(stage.site, ORIGIN)
    with stage.client() as browser:
        browser.post(LOGIN, json={"code": link.rpartition("=")[2]}, headers=FROM_HERE)
        Tokens(stage.site.state).revoke("board")
        assert browser.get(f"{PREFIX}/runs", headers=FROM_HERE).status_code == 401


def test_another_site_that_opens_a_page_is_named_in_it(tmp_path: Path) -> None:
    """Clicks and keys that are meant for that site must not decide anything."""
    (tmp_path / "index.html").write_text('<!doctype html>\n<html lang="en"><p>The board</html>')
    browser = reading(tmp_path)
    for visit in ("cross-site", "same-site"):
        assert 'data-opened-by="another-site"' in browser.get("/runs/r1", headers={"sec-fetch-site": visit}).text
    for visit in ("none", "same-origin"):
        assert "data-opened-by" not in browser.get("/", headers={"sec-fetch-site": visit}).text


def test_a_session_counts_only_at_its_port(stage: Stage) -> None:
    """Who takes the port of a server that was stopped receives what pages send there, and can do nothing with it."""
    word, _ = access(stage.site, PORT).sessions.open(board_token(Tokens(stage.site.state), 0))
    assert access(stage.site, PORT + 1).sessions.find(word) is None
    assert access(stage.site, PORT).sessions.find(word) is not None


def test_a_session_outlives_the_server_that_opened_it(stage: Stage) -> None:
    token = board_token(Tokens(stage.site.state), 0)
    word, csrf = access(stage.site, PORT).sessions.open(token)
    found = access(stage.site, PORT).sessions.find(word)
    assert found is not None
    assert found[0].allows(csrf)
    assert not found[0].allows(word)
    text = (stage.site.state / "sessions.json").read_text()
    assert word not in text
    assert csrf not in text
    access(stage.site, PORT).sessions.end(word)
    assert access(stage.site, PORT).sessions.find(word) is None
