"""What attacks on the network of a sandbox share: a program on a rung, or without a sandbox, and a service outside."""

import sys
from dataclasses import replace
from pathlib import Path

from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.network.upstream_proxy import Upstream
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.domain.network.hosts import read_host
from tests.attacks.table import Attack, Harm, Outcome, Severity
from tests.conformance.sandbox.sandbox_rig import Confined, confined

PYTHON = str(Path(sys.executable).resolve())


def row(
    name: str, severity: Severity, harm: Harm, *, none: Outcome = Outcome.SUCCEEDED, seen: int | None = None
) -> Attack:
    """Without a sandbox a program has the user's rights, and most of these need no trick."""
    return Attack(name=name, layer="network", severity=severity, harm=harm, none=none, seen=seen)


def program(
    tier: str,
    folder: Path,
    *,
    hosts: tuple[str, ...] = (),
    ports: tuple[int, ...] = (),
    upstream: Upstream = Upstream(),  # noqa: B008 - it is frozen
    cut: bool = False,
) -> Confined:
    """On the second rung, or on the first where the network is `cut`; on the tier `none`, in no sandbox."""
    inside = confined(folder)
    given = Pass(hosts=tuple(map(read_host, hosts)), table="sandbox.gates", ports=ports, upstream=upstream)
    box: Sandbox = replace(inside.walls, network=False) if cut else replace(inside.walls, reach=given)
    return replace(inside, walls=OPEN if tier == "none" else box)  # type: ignore[arg-type]  # any sandbox will do


def came_to(happened: object) -> Outcome:
    return Outcome.SUCCEEDED if happened else Outcome.PREVENTED
