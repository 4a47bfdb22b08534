"""The rungs of gates, by real programs in real sandboxes: what each rung allows."""

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.sandbox.ladder import Ladder, recalled
from shiftwork.adapters.sandbox.network.proxy import Pass
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.domain.gates.rung import Rung
from tests.conformance.sandbox.hosts_rig import answering
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, Confined, confined

pytestmark = NEEDS_BUBBLEWRAP


def ladder(inside: Confined, folder: Path, *ports: int, **consented: Rung) -> Ladder:
    rungs: dict[Rung, Sandbox] = {
        Rung.CUT: replace(inside.walls, network=False),
        Rung.OWN: replace(inside.walls, reach=Pass(hosts=(), table="sandbox.gates", ports=ports)),
        Rung.HOST: inside.walls,
        Rung.UNCONFINED: OPEN,
    }
    return Ladder(
        rungs=rungs, folder=folder, consented={name.replace("_", " "): rung for name, rung in consented.items()}
    )


def asking(port: int) -> str:
    return f"curl -sSf http://127.0.0.1:{port}/ > /dev/null"


def passes(inside: Confined, steps: Ladder, command: str) -> bool:
    return replace(inside, walls=steps).run(command).passed  # type: ignore[arg-type]  # any sandbox will do


def test_each_rung_lets_through_what_it_says(tmp_path: Path) -> None:
    inside = confined(tmp_path)
    with answering() as port, answering() as other:
        steps = ladder(inside, tmp_path / "known", port)
        command = asking(port)
        steps.put([command, asking(other)], Rung.CUT)
        assert not passes(inside, steps, command)
        steps.put([command, asking(other)], Rung.OWN)
        assert passes(inside, steps, command), "its port is passed on"
        assert not passes(inside, steps, asking(other)), "and no other"
        host = replace(steps, consented={asking(other): Rung.HOST})
        assert passes(inside, host, asking(other))
        secret = f"cat {inside.home}/.ssh/id"
        assert not passes(inside, replace(steps, consented={secret: Rung.HOST}), secret)
        assert passes(inside, replace(steps, consented={secret: Rung.UNCONFINED}), secret)


def test_only_the_higher_rungs_share_the_machine_s_network(tmp_path: Path) -> None:
    """Or all of them, where the settings give gates that network."""
    inside = confined(tmp_path)
    steps = ladder(inside, tmp_path / "known", host=Rung.HOST, free=Rung.UNCONFINED)
    assert [steps.shares_network(command) for command in ("own", "host", "free")] == [False, True, True]
    assert inside.walls.shares_network("own")
    assert not OPEN.shares_network("own")


def test_much_passes_by_a_port_both_ways_and_many_at_once(tmp_path: Path) -> None:
    inside = confined(tmp_path)
    with answering() as port:
        steps = ladder(inside, tmp_path / "known", port)
        big = f"curl -sSf http://127.0.0.1:{port}/bytes/5000000 | wc -c | grep -qx 5000000"
        assert passes(inside, steps, big)
        at_once = f"for n in 1 2 3 4 5 6 7 8; do {asking(port)} & done; wait"
        assert passes(inside, steps, at_once)
        sent = f"head -c 3000000 /dev/zero | curl -sSf --data-binary @- http://127.0.0.1:{port}/ | wc -c"
        assert passes(inside, steps, f"test $({sent}) -gt 3000000")


def test_a_port_on_which_no_one_listens_ends_the_call_and_a_reserved_one_is_left_out(tmp_path: Path) -> None:
    inside = confined(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    steps = ladder(inside, tmp_path / "known", port, 22)
    assert not passes(inside, steps, asking(port))
    assert passes(inside, steps, "true")


def test_a_rung_that_gives_nothing_more_is_not_tried(tmp_path: Path) -> None:
    steps = ladder(confined(tmp_path), tmp_path / "known", 5432)
    assert steps.tried == (Rung.CUT, Rung.OWN)
    assert replace(steps, rungs={**steps.rungs, Rung.OWN: steps.rungs[Rung.CUT]}).tried == (Rung.CUT,)


def test_what_was_never_tried_has_the_furthest_rung_without_consent(tmp_path: Path) -> None:
    steps = ladder(confined(tmp_path), tmp_path / "known", make_lint=Rung.HOST)
    assert steps.rung("make test") is Rung.OWN
    assert steps.rung("make lint") is Rung.HOST
    assert steps.unknown(["make test", "make lint", "", "make test"]) == ("make test",)
    steps.put(["make test"], Rung.CUT)
    assert steps.rung("make test") is Rung.CUT
    steps.forget(["make test"])
    assert steps.unknown(["make test"]) == ("make test",)


def test_a_rung_that_needs_consent_is_neither_found_nor_remembered(tmp_path: Path) -> None:
    steps = ladder(confined(tmp_path), tmp_path / "known")
    with pytest.raises(ValueError, match="host needs the user's consent"):
        steps.put(["make test"], Rung.HOST)
    steps.put(["make test"], Rung.CUT)
    steps.put(["make lint"], Rung.OWN)
    steps.keep()
    assert recalled(tmp_path / "known") == {"make test": Rung.CUT, "make lint": Rung.OWN}
    planted = {"make test": "unconfined", "make lint": "host", "make": "cut", "other": 4}
    (tmp_path / "known" / "rungs.json").write_text(json.dumps(planted))
    assert recalled(tmp_path / "known") == {"make": Rung.CUT}
    for broken in ("[]", "no json"):
        (tmp_path / "known" / "rungs.json").write_text(broken)
        assert recalled(tmp_path / "known") == {}


def test_consent_to_a_rung_that_the_tier_has_not_is_none(tmp_path: Path) -> None:
    steps = ladder(confined(tmp_path), tmp_path / "known", make_test=Rung.UNCONFINED)
    named = replace(
        steps, rungs={rung: sandbox for rung, sandbox in steps.rungs.items() if rung is not Rung.UNCONFINED}
    )
    assert named.rung("make test") is Rung.OWN
