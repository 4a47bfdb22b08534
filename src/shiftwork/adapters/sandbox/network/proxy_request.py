"""A request to the proxy: which host it calls, and the request that is sent to that host."""

import re
from typing import Final

import h11

from shiftwork.domain.network.hosts import plain, port
from shiftwork.regexes import regex

_HTTP: Final = 80
_TUNNEL: Final = regex(r"([^:/@]+):([0-9]+)")
_ADDRESS: Final = regex(r"http://([^:/?#@\\]+)(?::([0-9]+))?(|[/?].*)", re.IGNORECASE)

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
_NOT_PASSED_ON: Final = frozenset({b"host", b"connection", b"keep-alive", b"te", b"trailer", b"upgrade"})
"""Headers that are rewritten, or meant for the proxy."""


def is_tunnel(request: h11.Request) -> bool:
    return request.method == b"CONNECT"


def called(request: h11.Request) -> tuple[str, int, str]:
    """Returns host, port and path; raises ValueError for anything ambiguous."""
    pattern = _TUNNEL if is_tunnel(request) else _ADDRESS
    found = pattern.fullmatch(request.target.decode("ascii"))
    name = plain(found[1]) if found else None
    number = port(found[2] or str(_HTTP)) if found else None
    if found is None or name is None or number is None:
        raise ValueError("only plain names and IPv4 addresses can be called, by CONNECT or as http://")
    rest = "" if is_tunnel(request) else found[3]
    return name, number, rest if rest.startswith("/") else f"/{rest}"


def renewed(request: h11.Request) -> h11.Request:
    """Returns the request for the server: for the host that was called, whatever else the request says, and for a
    single answer, because the next request may be for another host.
    """
    name, number, target = called(request)
    names = [header for header, _ in request.headers]
    if set(names) >= _FRAMING or names.count(b"transfer-encoding") > 1:
        raise ValueError("a request must have exactly one length")
    host = name if number == _HTTP else f"{name}:{number}"
    left_out = _NOT_PASSED_ON | (_for_the_proxy(request) - _FRAMING)
    kept = [pair for pair in request.headers if pair[0] not in left_out and not pair[0].startswith(b"proxy-")]
    headers = [(b"host", host.encode()), (b"connection", b"close"), *kept]
    return h11.Request(method=request.method, target=target, headers=headers)


def by_proxy(request: h11.Request, name: str, number: int, authorization: str) -> h11.Request:
    """Returns the result of `renewed` as a request to an upstream proxy."""
    place = name if number == _HTTP else f"{name}:{number}"
    given = [(b"proxy-authorization", authorization.encode())] if authorization else []
    target = f"http://{place}{request.target.decode('ascii')}"
    return h11.Request(method=request.method, target=target, headers=[*request.headers, *given])


def _for_the_proxy(request: h11.Request) -> set[bytes]:
    values = (value for name, value in request.headers if name == b"connection")
    return {word.strip().lower() for value in values for word in value.split(b",")}
