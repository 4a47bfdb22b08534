"""What is read from the output of a gate that is red in the sandbox; and the names of the rungs."""

import pytest

from shiftwork.domain.gates.machine_needs import Need, looks_refused, needs
from shiftwork.domain.gates.rung import Rung, rung_of


def service(port: int) -> str:
    return f"it seems to need the service on port {port} of this machine: ports = [{port}] under [sandbox.gates]"


ATTACHING = (
    "it seems to need to attach to other processes, which lets it forge its result: attach = true under [gates.unit]"
)
NAMESPACES = (
    "it seems to need namespaces of its own, which let it forge its result: namespaces = true under [gates.unit]"
)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("curl: (7) Failed to connect to 127.0.0.1 port 5432 after 0 ms: Couldn't connect to server", service(5432)),
        ("Error: connect ECONNREFUSED 127.0.0.1:6379", service(6379)),
        ('connection to server at "localhost" (127.0.0.1), port 5433 failed: Connection refused', service(5433)),
        ("dial tcp [::1]:9092: connect: connection refused", service(9092)),
        (
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
            "it seems to need the Docker socket (full access to the machine)",
        ),
        ("git@example.org: Permission denied (publickey).", "it seems to need your ssh-agent"),
        (
            'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: No such file',
            'it seems to need PostgreSQL via its Unix socket: readable = ["/var/run/postgresql"] under [sandbox.gates]',
        ),
        (
            "Executable doesn't exist at /home/ada/.cache/ms-playwright/chromium-1/chrome",
            'it seems to need the Playwright browsers: readable = ["~/.cache/ms-playwright"] under [sandbox.gates]',
        ),
        (
            "[ERROR] Failed to execute goal: Could not resolve dependencies for project",
            'it seems to need ~/.m2: writable = ["~/.m2"] under [sandbox.gates]',
        ),
        (
            "curl: (6) Could not resolve host: api.example.org",
            'it seems to need api.example.org on the network: hosts = ["api.example.org"] under [sandbox.gates]',
        ),
        (
            "getaddrinfo EAI_AGAIN a.org\ndial tcp: lookup b.org on 192.0.2.1:53: no such host",
            'it seems to need a.org, b.org on the network: hosts = ["a.org", "b.org"] under [sandbox.gates]',
        ),
        (
            "HTTPSConnectionPool(host='a.example.org', port=443): [Errno -3] Temporary failure in name resolution",
            'it seems to need a.example.org on the network: hosts = ["a.example.org"] under [sandbox.gates]',
        ),
        (
            "Could not resolve host: registry\nsocket.gaierror: [Errno -3] Temporary failure in name resolution",
            'it seems to need hosts on the network: hosts = ["host.example"] under [sandbox.gates]',
        ),
        ("ptrace: Operation not permitted.", ATTACHING),
        ("strace: attach: ptrace(PTRACE_ATTACH, 9): Operation not permitted", ATTACHING),
        ("==8==LeakSanitizer has encountered a fatal error.", ATTACHING),
        ("process_vm_readv: Operation not permitted", ATTACHING),
        ("bwrap: setting up uid map: Read-only file system", NAMESPACES),
        ("unshare: cannot open /proc/self/uid_map: Read-only file system", NAMESPACES),
        ("ERROR:content/browser/zygote_host/zygote_host_impl_linux.cc:130] No usable sandbox! If this", NAMESPACES),
    ],
)
def test_a_need_is_named_with_the_line_that_gives_it(output: str, message: str) -> None:
    assert [need.message_for("unit") for need in needs(f"before\n{output}\nafter")] == [message]


def test_the_table_of_a_gate_has_its_name_quoted_where_it_must_be() -> None:
    (need,) = needs("ptrace: Operation not permitted.")
    assert need.message_for("unit tests").endswith('attach = true under [gates."unit tests"]')


@pytest.mark.parametrize(
    "output",
    ["", "AssertionError: 1 != 2", "listening on 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:99999"],
)
def test_an_ordinary_failure_needs_nothing(output: str) -> None:
    assert needs(output) == ()


def test_each_is_named_once_and_no_more_than_five() -> None:
    refused = "\n".join(f"connect ECONNREFUSED 127.0.0.1:{port}" for port in (1, 2, 2, 3, 4, 5, 6))
    assert [need.line for need in needs(refused)] == [f"ports = [{port}]" for port in (1, 2, 3, 4, 5)]
    assert Need(what="a thing").message_for("unit") == "it seems to need a thing"


def test_rungs_are_known_by_their_words_and_only_the_last_two_need_consent() -> None:
    assert [rung_of(rung.word) for rung in Rung] == list(Rung)
    assert rung_of("roof") is None
    assert [rung for rung in Rung if rung.needs_consent] == [Rung.HOST, Rung.UNCONFINED]
    assert Rung.UNCONFINED.meaning == "without a sandbox, with your rights"


@pytest.mark.parametrize(
    "output",
    [
        "invalid-syntax: Expected a parameter or the end of the parameter list",
        "sh: 1: tsc: not found",
        "npm error code EUSAGE\nnpm error `npm ci` can only install packages when they are in sync",
        "FileNotFoundError: [Errno 2] No such file or directory: 'tests/nothere.py'",
        "AssertionError: 3 != 2.5",
    ],
)
def test_a_mistake_in_the_code_never_looks_refused(output: str) -> None:
    assert not looks_refused(output)


@pytest.mark.parametrize(
    "output",
    [
        "curl: (56) CONNECT tunnel failed, response 403",
        "PermissionError: [Errno 13] Permission denied: '/srv/data'",
        "OSError: [Errno 30] Read-only file system: 'x'",
        "FileNotFoundError: [Errno 2] No such file or directory: '/var/run/docker.pid'",
        "cat: '/etc/secret': No such file or directory",
        "Could not resolve host: example.org",
    ],
)
def test_a_network_or_a_file_that_was_refused_looks_so(output: str) -> None:
    assert looks_refused(output)
