"""For any request to the proxy: the host that it would call is on the list, character by character."""

import string

import h11
from hypothesis import assume, given
from hypothesis import strategies as st

from shiftwork.adapters.sandbox.network.proxy_request import called, renewed
from shiftwork.domain.network.allowlist import listed
from shiftwork.domain.network.hosts import Host, plain, read_host

labels = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
names = st.lists(labels, min_size=1, max_size=4).map(".".join)
numbers = st.integers(min_value=1, max_value=65535)
hosts = st.builds(Host, name=names, port=st.none() | numbers, below=st.booleans())
printable = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=40)
bits = st.sampled_from(
    [
        "allowed.com",
        "evil.com",
        "@",
        ":",
        "80",
        "/",
        "//",
        "?",
        "#",
        "\\",
        ".",
        "%2e",
        "[::1]",
        "http://",
        "127.0.0.1",
        "A",
    ]
)
addresses = st.lists(bits | printable, max_size=8).map("".join)


@given(hosts)
def test_what_is_written_down_reads_back(host: Host) -> None:
    assert read_host(str(host)) == host


@given(st.text("aZ09-_.xé@:", max_size=12) | st.text(max_size=12))
def test_a_plain_name_is_its_own_spelling(text: str) -> None:
    name = plain(text)
    if name is not None:
        assert (name, plain(name)) == (text.lower(), name)
        assert set(name) <= set(string.ascii_lowercase + string.digits + "-_.")


@given(st.lists(hosts, max_size=4), names, numbers)
def test_listed_is_who_has_the_same_labels_at_the_end(entries: list[Host], name: str, number: int) -> None:
    """The same rule, stated on lists of labels instead of text."""

    def meant(host: Host) -> bool:
        own, theirs = host.name.split("."), name.split(".")
        same = theirs[-len(own) :] == own and (len(theirs) > len(own)) == host.below
        return same and number in ({host.port} if host.port else {80, 443})

    assert listed(entries, name, number) == tuple(filter(meant, entries))


@given(names, names, numbers)
def test_a_name_is_not_listed_by_what_stands_before_or_behind_it(name: str, more: str, number: int) -> None:
    entry = (Host(name=name, port=number),)
    assert listed(entry, name, number) == entry
    assert listed(entry, f"{name}.{more}", number) == ()
    assert listed(entry, f"{more}.{name}", number) == ()
    assert listed((Host(name=name, port=number, below=True),), f"{more}{name}", number) == ()


def request(method: str, target: str, *headers: tuple[str, str]) -> h11.Request:
    return h11.Request(method=method, target=target, headers=[("Host", "evil.com"), *headers])


@given(st.sampled_from(["CONNECT", "GET", "POST"]), addresses)
def test_what_is_called_stands_between_the_scheme_and_the_first_sign_of_anything_else(method: str, target: str) -> None:
    assume(target)
    try:
        name, number, rest = called(request(method, target))
    except ValueError:
        return
    begin = "" if method == "CONNECT" else "http://"
    tail = "" if method == "CONNECT" else rest
    spelt = [f"{begin}{name}{port}{end}" for port in ("", f":{number}") for end in {tail, tail.removeprefix("/")}]
    assert target.lower() in [text.lower() for text in spelt]


@given(names, numbers, st.sampled_from(["", "/", "/x", "?y", "/a?b=http://evil.com"]))
def test_a_server_is_asked_for_the_host_that_was_called(name: str, number: int, path: str) -> None:
    smuggled = (("Connection", "x-hop, close"), ("X-Hop", "1"), ("Proxy-Authorization", "secret"), ("X-Kept", "1"))
    ahead = renewed(request("GET", f"http://{name.upper()}:{number}{path}", *smuggled))
    host = name if number == 80 else f"{name}:{number}"
    assert list(ahead.headers) == [(b"host", host.encode()), (b"connection", b"close"), (b"x-kept", b"1")]
    assert ahead.target.decode() == (path if path.startswith("/") else f"/{path}")
