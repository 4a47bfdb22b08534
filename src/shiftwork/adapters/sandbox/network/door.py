"""`python -I -S <this file> <not by proxy> <ports> <program> <words...>`: give a room its way out, then be the program.

Runs inside, before the program, where the network is a loopback and nothing else: it listens there, hands the listening
socket out to the proxy (a socket stays in the network that it was made in, whoever holds it), and becomes the program.
It does the same for each port of the machine that is passed on.
So nothing stands between the program and whoever waits for it: signals, exit code and output are its own.

Every attempt and every gate waits for this: only modules that are built in or hold no others, which halves the time.
"""

import _signal  # type: ignore[import-not-found] # there are no stubs for it
import _socket
import posix
import sys

CHANNEL = "SHIFTWORK_DOOR"
"""The variable that holds the number of the inherited socket by which the listening one is handed out."""

_WAITING = 128
_NOT_EXECUTABLE = 8  # ENOEXEC: a script that does not say by which program it is run
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
    """As it was given: where no language is set, Python sets one for itself."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib takes longer than all of this
        pairs = (pair.partition(b"=") for pair in file.read().split(b"\0") if pair)
        return {name: value for name, _, value in pairs}


def _handed_out(channel: int, ports: list[int]) -> int:
    """The port on which the proxy will answer; who calls before it does waits. With it go the listeners of the other
    ports, and which they are: one that cannot be had is left out.
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
