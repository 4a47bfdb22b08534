"""No known secret is left in any text, however the text is split; a text without secrets stays unchanged."""

import json
import random
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork import redaction
from shiftwork.config.secrets import of_environment
from shiftwork.redaction import Lined, Redactor, Stream, is_secret, tokens_in

SECRETS = st.text(string.ascii_letters + string.digits + '+/=-_."\\ äß', min_size=8, max_size=40).filter(is_secret)
TEXTS = st.text(max_size=60)


@pytest.fixture(autouse=True)
def forgotten() -> None:
    redaction.forget()


@given(st.lists(SECRETS, min_size=1, max_size=5), st.lists(TEXTS, min_size=2, max_size=6), st.randoms())
def test_no_secret_is_left(secrets: list[str], texts: list[str], chance: random.Random) -> None:
    known = Redactor(secrets)
    text = "".join(part + chance.choice(secrets) for part in texts)
    clean = known.text(text)
    assert not any(secret in clean for secret in secrets)
    assert known.text(clean) == clean
    spelled = known.text(json.dumps({"x": text}) + quote(text, safe=""))
    for secret in secrets:
        assert json.dumps(secret)[1:-1] not in spelled
        assert quote(secret, safe="") not in spelled


@given(st.lists(SECRETS, min_size=1, max_size=3), st.lists(TEXTS, max_size=5), st.data())
def test_however_a_stream_is_cut(secrets: list[str], texts: list[str], data: st.DataObject) -> None:
    redaction.forget()
    redaction.learn(secrets)
    whole = "".join(f"{text}{secrets[0]}" for text in texts).encode(errors="surrogatepass")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    got = bytearray()
    stream = Stream(got.extend)
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        stream.feed(whole[start:end])
    stream.end()
    lined = Lined()
    assert bytes(got) == b"\n".join(lined.line(line) for line in whole.split(b"\n"))
    assert secrets[0].encode() not in got


def test_a_stream_without_lines_is_handed_on_and_free_of_secrets() -> None:
    secret = "s3cret-" + "x" * 33
    redaction.learn([secret])
    got = bytearray()
    stream = Stream(got.extend)
    for _ in range(300):
        stream.feed(b"a" * 997 + secret[:20].encode())
        stream.feed(secret[20:].encode())
    assert len(got) > 100_000, "it is not held back for ever"
    stream.end()
    assert (got.count(b"***"), secret.encode() in got) == (300, False)


HARD = (
    b"://" + b"a" * 250 + b":" + b"b" * 250,
    b"-----BEGIN RSA PRIVATE KEY-----xxxxxxxx",
    b"-----END RSA PRIVATE KEY-----",
    b"-----BEGIN A A A A ",
    b"eyJ",
    b"aeyJ.eyJ",
    b"sk-",
    b"sk-a-a-a-a-a-a-a-a-a-a-a-a-a-a-",
    b"://:",
)


@pytest.mark.parametrize("piece", HARD)
@pytest.mark.timeout(60)
def test_no_line_takes_long(piece: bytes) -> None:
    """Of the longest that there are; by some patterns this once took minutes."""
    known, line = Redactor([f"secret-{number}-value" for number in range(20)]), piece * (4_000_000 // len(piece))
    known.cut(line)
    Lined().line(line)
    known.line(b"-----BEGIN RSA PRIVATE KEY-----" * 50_000 + b"-----END RSA PRIVATE KEY-----" * 50_000)


@given(st.text(string.ascii_lowercase + " \n.,:;(){}[]<>=-_/", max_size=300))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    words = ("postgres", "password", "changeme", "localhost", "12345678", "my-project-name", "/home/ada/.ssh", "short1")
    assert Redactor([word for word in words if is_secret(word)]).text(text) == text
    assert not any(map(is_secret, words))


BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAEbm9uZQAAAA"
KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n-----END OPENSSH PRIVATE KEY-----"
FORMS = {
    "ghp_" + "a1B2" * 9: "***",
    "sk-ant-api03-" + "x1" * 20: "***",
    "AKIA" + "ABCDEFGH12345678": "***",
    "glpat-" + "abcdefghij1234567890": "***",
    "https://ada:hunter2@example.org/x": "https://ada:***@example.org/x",
    "https://:t0ken@example.org": "https://:***@example.org",
    KEY: "***",
}
NO_SECRETS = (
    "sk-ant-scripted",
    "ghp_short",
    "http://127.0.0.1:8080/x@y",
    "see https://example.org:443/a@b and mail a@b.org",
    "git@github.com:org/repo.git",
    "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
    "sk-learn-is-a-package",
)


@pytest.mark.parametrize("token", FORMS)
def test_what_has_the_form_of_a_token_is_replaced(token: str) -> None:
    assert Redactor().text(f"a {token} b") == f"a {FORMS[token]} b"


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_only_looks_a_little_like_one_stays(text: str) -> None:
    assert Redactor().text(text) == text
    assert list(tokens_in(text)) == []


def test_a_key_over_several_lines_is_one_secret() -> None:
    lined = Lined()
    lines = f"before\n{KEY}\nafter".encode().split(b"\n")
    assert [lined.line(line) for line in lines] == [b"before", b"***", b"***", b"***", b"***", b"after"]
    lined.line(b"-----BEGIN PRIVATE KEY-----")
    assert [lined.line(b"log") for _ in range(201)][-1] == b"log", "a key that never ends does not blind the log"


def test_the_beginning_of_a_secret_at_a_cut_is_replaced() -> None:
    redaction.learn(["s3cret-value-that-is-long"])
    assert Lined(limit=16).line(b"some text s3cret-val") == b"some text ***"
    assert Lined(limit=64).line(b"some text s3cret-val") == b"some text s3cret-val"


def test_variables_are_secret_by_name_or_by_value() -> None:
    env = {
        "GITHUB_TOKEN": "abcdef0123456789",
        "DB_PASSWORD": "postgres",
        "MAX_TOKENS": "32000000",
        "SSH_AUTH_SOCK": "/run/user/1000/agent.sock",
        "GIT_AUTHOR_NAME": "Ada Lovelace 1815",
        "TOKEN_FILE": "a-file-with-1-token",
        "PIP_INDEX_URL": "https://ci:pass-w0rd-1@pypi.example.org/simple",
        "ANYTHING": "ghp_" + "a1B2" * 9,
        "SIGNING_KEY": "line one of the key 1\nline two of the key 2",
    }
    redaction.learn(of_environment(env))
    shown = redaction.redacted(" | ".join(env.values()))
    assert "postgres | 32000000 | /run/user/1000/agent.sock | Ada Lovelace 1815 | a-file-with-1-token" in shown
    for gone in ("abcdef0123456789", "pass-w0rd-1", "a1B2", "line one", "line two"):
        assert gone not in shown
