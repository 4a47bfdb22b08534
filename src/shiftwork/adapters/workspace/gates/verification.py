"""Runs the verification steps of a spec in a tree after the gates: commands, files, addresses.

Requests are sent from this machine, and only to this machine unless the user has allowed the host: a spec from a
repository must not make the harness call other hosts. The server must already be running; a shell step can start and
query a server of the candidate.
"""

import asyncio
import http.client
import ipaddress
import shlex
import time
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from shiftwork.adapters.workspace.tree.shell import CommandContext, Shell
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.records import dataclass

_BODY_BYTES: Final = 1024 * 1024
_GRACE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """`hosts` are the hosts that the user allows in addition to this machine."""

    shell: Shell
    hosts: frozenset[str] = frozenset()

    async def verify(self, gate: Gate, step: Verification, context: CommandContext, tree: Path) -> GateResult:
        started = time.monotonic()
        if step.kind is VerificationKind.SHELL:
            fault, exposed, exit_code = await self._command(step, context, tree)
        else:
            fault, exposed, exit_code = await self._fault(step, tree), "", None
        output = f"{_what(step)}\n{fault}" if fault else ""
        return GateResult(
            name=gate.name,
            passed=not fault,
            seconds=time.monotonic() - started,
            output=output,
            forgeable=exposed,
            command=step.action if step.command else step.path or step.action,
            exit_code=exit_code,
        )

    async def _fault(self, step: Verification, tree: Path) -> str:
        """What is wrong; empty if the step has passed."""
        if step.kind is VerificationKind.URL:
            return await self._address(step)
        return _missing(tree, step.path, glob=step.glob)

    async def _command(self, step: Verification, context: CommandContext, tree: Path) -> tuple[str, str, int | None]:
        """What is wrong, why what the command ran could have forged that, and its exit code: see `Outcome`."""
        if not is_folder(tree, step.cwd):
            return f"the folder {step.cwd!r} is not in the tree", "", None
        command = f"cd {shlex.quote(step.cwd)} || exit\n{step.command}" if step.cwd else step.command
        outcome = await self.shell.run(command, context, tree=tree, seconds=step.seconds)
        if not outcome.passed:
            return outcome.output or "it failed and printed nothing", outcome.exposed, outcome.exit_code
        silent = [text for text in step.contains if text not in outcome.output]
        lacking = [fault for pattern in step.files if (fault := _missing(tree, pattern, glob=True))]
        unsaid = [f"it printed no {text!r}:\n{outcome.output}" for text in silent[:1]]
        return "\n".join((*lacking, *unsaid)), outcome.exposed, outcome.exit_code

    async def _address(self, step: Verification) -> str:
        try:
            address = urlsplit(step.url)
            host, _ = address.hostname or "", address.port
        except ValueError as error:
            return f"not an address: {error}"
        if address.scheme not in {"http", "https"} or not host:
            return "only http and https addresses are supported"
        if not _own(host) and host not in self.hosts:
            return f"{host} is not this machine; a person may allow it: hosts = [{host!r}] under [proof]"
        try:
            async with asyncio.timeout(step.seconds + _GRACE_SECONDS):
                status, body = await asyncio.to_thread(_asked, address, step)
        except (OSError, http.client.HTTPException) as error:
            return f"no answer: {str(error) or type(error).__name__}"
        if status != step.status:
            return f"answered {status}, not {step.status}"
        silent = [text for text in step.contains if text not in body]
        return f"the answer has no {silent[0]!r}" if silent else ""


def _what(step: Verification) -> str:
    wanted = {
        VerificationKind.SHELL: step.command,
        VerificationKind.FILE_EXISTS: step.path,
        VerificationKind.URL: f"{step.method} {step.url}",
    }
    return f"{step.name or step.id}: {wanted[step.kind]}"


def _own(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _asked(address: SplitResult, step: Verification) -> tuple[int, str]:
    """Connects directly: without a proxy, and without following redirects."""
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=step.seconds)
    try:
        target = (address.path or "/") + (f"?{address.query}" if address.query else "")
        connection.request(step.method, target)
        answer = connection.getresponse()
        return answer.status, answer.read(_BODY_BYTES).decode(errors="replace")
    finally:
        connection.close()


# Files -----------------------------------------------------------------------------------------------------------


def _inside(tree: Path, name: str) -> bool:
    """Whether the path, after resolving links, is in the tree."""
    return (tree / name).resolve().is_relative_to(tree.resolve())


def is_folder(tree: Path, name: str) -> bool:
    """Whether a command may run in this folder: it exists, and links do not lead out of the tree."""
    return _inside(tree, name) and (tree / name).is_dir()


def _missing(tree: Path, name: str, *, glob: bool) -> str:
    if not glob:
        there = _inside(tree, name) and (tree / name).exists()
        return "" if there else f"there is no {name!r} in the tree"
    try:
        found = next((path for path in tree.glob(name) if _inside(tree, str(path.relative_to(tree)))), None)
    except (ValueError, NotImplementedError) as error:
        return f"{name!r} is not a path pattern: {error}"
    return "" if found else f"nothing in the tree matches {name!r}"
