"""`python -I -S <this file> <not by proxy> <ports> <program> <words...>`: opens the sandbox's network, then becomes the
program.

Runs inside, before the program, where the network is only a loopback: it listens there, passes the listening socket out
to the proxy (a socket stays in the network in which it was made, whichever process holds it), and becomes the program.
It does the same for each forwarded port of the machine. So no process is between the program and its supervisor:
signals, exit code and output are its own.

Every attempt and every gate waits for this: it imports only modules that import no others, which halves the time.
"""

import _signal  # type: ignore[import-not-found] # there are no stubs for it
import _socket
import posix
import sys

CHANNEL = "SHIFTWORK_DOOR"
"""The variable with the number of the inherited socket through which the listening socket is passed out."""

_WAITING = 128
_NOT_EXECUTABLE = 8  # ENOEXEC: a script that does not name its interpreter
_PROXY = (b"http_proxy", b"https_proxy", b"all_proxy")
_NO_PROXY = b"no_proxy"


def main(beside: bytes, ports: str, program: str, words: list[str]) -> None:
    env = _environment()
    port = _handed_out(int(env.pop(CHANNEL.encode())), [int(number) for number in ports.split(",") if number])
    given = {**dict.fromkeys(_PROXY, b"http://127.0.0.1:%d" % port), _NO_PROXY: beside}
    env |= {spelt: value for name, value in given.items() for spelt in (name, name.upper())}
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # Python ignores them, and the program would inherit that
        _signal.signal(number, _signal.SIG_DFL)
    try:
        posix.execve(program, [program, *words], env)
    except OSError as failure:
        if failure.errno == _NOT_EXECUTABLE:
            posix.execve("/bin/sh", ["/bin/sh", program, *words], env)
        raise SystemExit(f"{program} cannot be started: {failure.strerror}") from None


def _environment() -> dict[bytes, bytes]:
    """Returns the environment as it was given: if no locale is set, Python sets one for itself."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib takes longer than all of this
        pairs = (pair.partition(b"=") for pair in file.read().split(b"\0") if pair)
        return {name: value for name, _, value in pairs}


def _handed_out(channel: int, ports: list[int]) -> int:
    """Passes out the listeners and returns the proxy's port; early calls wait until the proxy answers. The listeners of
    the other ports follow, with their numbers; a port that is not available is left out.
    """
    others = []
    named = []
    for number in ports:
        try:
            others.append(_listening(number))
        except OSError:
            continue
        named.append(str(number))
    listeners = [_listening(0), *others]  # last, or it might take one of these ports
    out = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, channel)
    numbers = b"".join(listener.fileno().to_bytes(4, sys.byteorder) for listener in listeners)
    out.sendmsg([("." + ",".join(named)).encode()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    out.close()
    port: int = listeners[0].getsockname()[1]
    return port


def _listening(port: int) -> _socket.socket:
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", port))
    listener.listen(_WAITING)
    return listener


if __name__ == "__main__":
    main(sys.argv[1].encode(), sys.argv[2], sys.argv[3], sys.argv[4:])
