"""How hosts are written in the settings, and which of them match a called host."""

import pytest

from shiftwork.domain.network.allowlist import is_public, listed, may_lead_to
from shiftwork.domain.network.hosts import Host, plain, port, read_host


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("api.anthropic.com", Host(name="api.anthropic.com")),
        ("API.Anthropic.com:8443", Host(name="api.anthropic.com", port=8443)),
        ("*.example.org", Host(name="example.org", below=True)),
        ("*.example.org:443", Host(name="example.org", port=443, below=True)),
        ("127.0.0.1:8080", Host(name="127.0.0.1", port=8080)),
        ("localhost:65535", Host(name="localhost", port=65535)),
        ("my_host", Host(name="my_host")),
    ],
)
def test_it_is_read(text: str, host: Host) -> None:
    assert read_host(text) == host
    assert str(host) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "*.", "**.a.org", "a.*.org", ".a.org", "a.org.", "a..org", "-a.org", "a-.org", "a b", "a.org\n"),
        *("https://a.org", "a.org/x", "a@b.org", "[::1]:80", "::1", "münchen.de", "*.127.0.0.1", "*.0.0.1"),
        *(
            "127.1",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "2130706433",
            "127.0.0.256",
            "a.0x",
            f"{'a' * 64}.org",
            "a." * 130 + "a",
        ),
        *("a.org:", "a.org:0", "a.org:65536", "a.org:080", "a.org:+80", "a.org:٨", "a.org:80:80", "a.org:http"),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a host: give a name"):
        read_host(text)


def test_there_is_one_spelling() -> None:
    assert (plain("EXAMPLE.com"), plain("1.2.3.4"), plain("a.b.4c")) == ("example.com", "1.2.3.4", "a.b.4c")
    assert (plain("example.com."), plain("1.2.3"), plain("1.2.3.04")) == (None, None, None)
    assert plain("\u212aelvin.org") is None, "a letter that becomes a k in lower case"
    assert (port("80"), port("0"), port("99999"), port("8O")) == (80, None, None, None)


LIST = tuple(map(read_host, ["allowed.com", "*.below.org", "local.net:8080", "10.0.0.1"]))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("allowed.com", 443),
        ("allowed.com", 80),
        ("a.below.org", 443),
        ("a.b.below.org", 80),
        ("local.net", 8080),
        ("10.0.0.1", 80),
    ],
)
def test_who_is_listed_may_be_called(name: str, number: int) -> None:
    assert listed(LIST, name, number)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("allowed.com", 22),
        ("www.allowed.com", 443),
        ("allowed.com.evil.com", 443),
        ("notallowed.com", 443),
        ("below.org", 443),
        ("notbelow.org", 443),
        ("below.org.evil.com", 443),
        ("local.net", 443),
        ("10.0.0.2", 80),
    ],
)
def test_no_one_else_may(name: str, number: int) -> None:
    assert not listed(LIST, name, number)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.9.1", "0.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        "100.64.0.1",
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1"),
        "2001:db8::1",
    ],
)
def test_others_are_not_and_only_an_explicit_wish_leads_there(address: str) -> None:
    assert not is_public(address)
    assert not may_lead_to([read_host("allowed.com"), read_host("*.allowed.com:80")], address)
    for wish in ("allowed.com:80", "127.0.0.1", "localhost:3000"):
        assert may_lead_to([read_host("allowed.com"), read_host(wish)], address)
