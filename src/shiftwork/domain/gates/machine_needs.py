"""What a gate that is red in the sandbox seems to need from the machine, read from its output."""

import json
import re
from collections.abc import Iterator
from typing import Final

from shiftwork.domain.network.hosts import plain
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_MOST: Final = 5
_GATES: Final = "[sandbox.gates]"
_ITS_OWN: Final = "[gates.NAME]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What is needed, and the settings line, with its table, that grants it. The line is empty where none grants it and
    the gate would have to run outside the sandbox.
    """

    what: str
    line: str = ""
    table: str = _GATES

    def message_for(self, gate: str) -> str:
        name = gate if _BARE.fullmatch(gate) else json.dumps(gate)
        table = self.table.replace("NAME", name)
        return f"it seems to need {self.what}" + (f": {self.line} under {table}" if self.line else "")


_BARE: Final = regex(r"[A-Za-z0-9_-]+")


_REFUSED: Final = regex(
    r"(?:127\.0\.0\.1|localhost|\[?::1\]?)[\"')]*(?:,? \(127\.0\.0\.1\))?(?::|,? port:? ?)(?P<port>[1-9][0-9]{0,4})\b",
)
_CONNECTING: Final = regex(r"refused|ECONNREFUSED|could not connect|cannot connect|failed to connect", re.IGNORECASE)
_LAST_PORT: Final = 65535

_SOME_HOST: Final = Need(what="hosts on the network", line='hosts = ["host.example"]')
_UNRESOLVED: Final = regex(
    r"(?:resolve (?:host(?:name)?:? )?|ENOTFOUND |EAI_AGAIN |lookup |ConnectionPool\(host=)[\"']?"
    r"(?P<name>[\w.-]{1,253})",
)
"""How curl, git, pip, Node, Go and Python's requests name the host that they did not find."""

_ATTACHING: Final = Need(
    what="to attach to other processes, which lets it forge its result", line="attach = true", table=_ITS_OWN
)
_NAMESPACES: Final = Need(
    what="namespaces of its own, which let it forge its result", line="namespaces = true", table=_ITS_OWN
)

_NAMED: Final = (
    (r"(?:ptrace(?:\([^)\n]*\))?:|process_vm_(?:read|write)v[^\n]*) Operation not permitted", _ATTACHING),
    (r"LeakSanitizer (?:has encountered a fatal error|does not work under ptrace)", _ATTACHING),
    (r"(?:uid[_ ]map|gid[_ ]map|/setgroups)\b[^\n]*Read-only file system|No usable sandbox!", _NAMESPACES),
    (r"docker\.sock|Cannot connect to the Docker daemon", Need(what="the Docker socket (full access to the machine)")),
    (
        r"SSH_AUTH_SOCK|connection to your authentication agent|Permission denied \(publickey",
        Need(what="your ssh-agent"),
    ),
    (
        r"\.s\.PGSQL\.[0-9]+",
        Need(what="PostgreSQL via its Unix socket", line='readable = ["/var/run/postgresql"]'),
    ),
    (
        r"ms-playwright|playwright install",
        Need(what="the Playwright browsers", line='readable = ["~/.cache/ms-playwright"]'),
    ),
    (
        r"Could not find (?:Chrome|Chromium|Firefox)|puppeteer browsers install",
        Need(what="the Puppeteer browsers", line='readable = ["~/.cache/puppeteer"]'),
    ),
    (r"\.m2/repository|\[ERROR\].*Could not (?:resolve|transfer)", Need(what="~/.m2", line='writable = ["~/.m2"]')),
    (r"\.gradle/(?:caches|wrapper)|services\.gradle", Need(what="~/.gradle", line='writable = ["~/.gradle"]')),
    (
        r"Temporary failure in name resolution|EAI_AGAIN|ENOTFOUND|Could not resolve host|Network is unreachable",
        _SOME_HOST,
    ),
)
_PATTERNS: Final = tuple((regex(pattern), need) for pattern, need in _NAMED)


def needs(output: str) -> tuple[Need, ...]:
    """Returns at most five needs, each once, in the order of the table."""
    found = [*_services(output), *(need for pattern, need in _PATTERNS if pattern.search(output))]
    if _SOME_HOST in found and (names := _unresolved(output)):
        line = f"hosts = [{', '.join(f'"{name}"' for name in names)}]"
        found[found.index(_SOME_HOST)] = Need(what=f"{', '.join(names)} on the network", line=line)
    return tuple(dict.fromkeys(found))[:_MOST]


_LOOKS_REFUSED: Final = regex(
    r"""\b(?: refused | ECONNREFUSED | ECONNRESET | ETIMEDOUT | ENETUNREACH | EHOSTUNREACH | ENOTFOUND | EAI_AGAIN
        | EACCES | EPERM | EROFS | E403 | ProxyError | network | proxy | tunnel\w* | name\ resolution | getaddrinfo
        | could\ not\ (?:resolve|connect) | (?:cannot|failed\ to)\ connect | can't\ connect | connection\ timed\ out
        | operation\ not\ permitted | permission\ denied | access\ denied | read-only\ file\ system )\b
      | \bno\ such\ file\ or\ directory\b[^\n]*['" ]/(?:dev|etc|home|mnt|opt|root|run|srv|tmp|usr|var)/
      | ['" ]/(?:dev|etc|home|mnt|opt|root|run|srv|tmp|usr|var)/[^\n]*\bno\ such\ file\ or\ directory\b""",
    re.IGNORECASE | re.VERBOSE,
)


def looks_refused(output: str) -> bool:
    """Whether the output speaks of a network or a file that the sandbox may have refused: only then may more of the
    machine help. A syntax error or a red test is never such a thing.
    """
    return bool(needs(output)) or _LOOKS_REFUSED.search(output) is not None


def _unresolved(output: str) -> tuple[str, ...]:
    """Host names that contain a dot, spelled as in a list of hosts."""
    names = (plain(match["name"].rstrip(".")) for match in _UNRESOLVED.finditer(output))
    return tuple(dict.fromkeys(name for name in names if name and "." in name))[:_MOST]


def _services(output: str) -> Iterator[Need]:
    for line in output.splitlines():
        if _CONNECTING.search(line):
            ports = (int(found["port"]) for found in _REFUSED.finditer(line))
            yield from (_service(port) for port in ports if port <= _LAST_PORT)


def _service(port: int) -> Need:
    return Need(what=f"the service on port {port} of this machine", line=f"ports = [{port}]")
