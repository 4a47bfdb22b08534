"""The cause of a red gate on real trees: its first error with the path in the repository, and its whole output."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.workspace.gates.failure_cause import log_path
from shiftwork.adapters.workspace.tree.shell import LOG_BYTES, OutputLog
from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.ports.workspace import Gates
from shiftwork.testing.git_user import GitUser
from tests.conformance.workspace.gates.gates_rig import MARKER

FILES = {"web/cart.ts": "1\n", "api/cart.go": "2\n", "api/same.go": "3\n", "web/same.go": "4\n"}


def judged(user: GitUser, gates: Gates, command: str, **more: str) -> GateResult:
    commit = user.commit("files", FILES)
    report = asyncio.run(gates.check(commit, [Gate(name="unit test", command=command, **more)], MARKER))  # type: ignore[arg-type]
    return report.results[0]


def test_a_red_gate_names_its_first_error_and_the_file_with_its_whole_output(user: GitUser, gates: Gates) -> None:
    result = judged(user, gates, "echo 'web/cart.ts:2:1: error: broken'; seq 9000; exit 1")
    assert result.error == FirstError(file="web/cart.ts", line=2, message="broken")
    log = Path(result.log)
    assert log.read_text().split("\n")[:2] == ["web/cart.ts:2:1: error: broken", "1"]
    assert len(log.read_text().split("\n")) == 9002
    assert log.is_relative_to(user.state / "logs")
    assert len(log.relative_to(user.state).parts) == 4, "so `log_of` finds it after the repository was moved"


def test_an_error_that_no_result_keeps_is_found_in_the_whole_output(user: GitUser, gates: Gates) -> None:
    result = judged(user, gates, "seq 3000; echo 'web/cart.ts:2: error: broken'; seq 9000; exit 1")
    assert "broken" not in result.output
    assert result.error == FirstError(file="web/cart.ts", line=2, message="broken")


@pytest.mark.parametrize(
    ("command", "more", "file"),
    [
        ('echo "$PWD/web/cart.ts:1:1: error: x"; exit 1', {}, "web/cart.ts"),
        ("echo './web/cart.ts:1:1: error: x'; exit 1", {}, "web/cart.ts"),
        ("echo 'cart.ts:1:1: error: x'; exit 1", {"cwd": "web"}, "web/cart.ts"),
        ("echo 'cart.go:1: error: x'; exit 1", {}, "api/cart.go"),
        ("echo 'same.go:1: error: x'; exit 1", {}, "same.go"),
        ("echo '../web/cart.ts:1: error: x'; exit 1", {}, "../web/cart.ts"),
        ("echo '/usr/include/x.h:1: error: x'; exit 1", {}, "/usr/include/x.h"),
        ("echo 'gone.go:1: error: x'; exit 1", {}, "gone.go"),
    ],
    ids=["whole path", "dot", "own folder", "name only", "two of that name", "upwards", "outside", "nowhere"],
)
def test_the_file_is_named_from_the_root_of_the_repository(
    user: GitUser, gates: Gates, command: str, more: dict[str, str], file: str
) -> None:
    error = judged(user, gates, command, **more).error
    assert error is not None
    assert error.file == file


def test_a_green_gate_leaves_no_log(user: GitUser, gates: Gates) -> None:
    result = judged(user, gates, "echo fine")
    assert (result.error, result.failed_tests, result.log) == (None, (), "")
    assert not list((user.state / "logs").rglob("*.log"))


def test_a_gate_that_is_stopped_says_so_at_the_end_of_its_log(user: GitUser, gates: Gates) -> None:
    asked = Gate(name="late", command="echo ready; sleep 170", minutes=0.6 / 60)
    (result,) = asyncio.run(gates.check(user.at("main"), [asked], MARKER)).results
    assert Path(result.log).read_text().split("\n")[-2].startswith("timed out after ")


def test_a_step_that_lacks_a_text_says_so_although_its_command_passed(user: GitUser, gates: Gates) -> None:
    step = Verification(id="VS-1", kind=VerificationKind.SHELL, command="echo hello", contains=("there",))
    (result,) = asyncio.run(
        gates.check(user.at("main"), [Gate(name="US-001 VS-1", command="", step=step)], MARKER)
    ).results
    assert result.error == FirstError(message="it printed no 'there'")
    assert Path(result.log).read_text() == "hello\n"


def test_a_secret_is_in_no_log(user: GitUser, gates: Gates) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\\nMIIabc\\n-----END RSA PRIVATE KEY-----"
    assert "MIIabc" not in Path(judged(user, gates, f"printf -- '{key}\\n'; exit 1").log).read_text()


@pytest.mark.parametrize(
    ("marker", "gate", "path"),
    [
        ("r1/US-001/verify/1.1.2", "test", "logs/r1/US-001/verify-1.1.2-test.log"),
        ("doctor/gates", "test", "logs/doctor/gates/test.log"),
        ("../..", "../../x", "logs/"),
    ],
)
def test_a_log_has_a_place_of_its_own_within_the_state(tmp_path: Path, marker: str, gate: str, path: str) -> None:
    found = log_path(tmp_path, marker, gate).relative_to(tmp_path)
    assert str(found).startswith(path)
    assert ".." not in found.parts
    assert found != log_path(tmp_path, marker, f"{gate} ").relative_to(tmp_path)


def test_a_log_ends_at_its_limit_and_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    log = OutputLog(tmp_path / "long.log")
    for _ in range(3):
        log.add(b"x" * (LOG_BYTES // 2))
    log.close()
    assert (tmp_path / "long.log").read_bytes().endswith(b"\n[... the rest is left out ...]\n")
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "a.log", None):
        log = OutputLog(path)
        log.add(b"one")
        log.add(b"two")
        log.close()
