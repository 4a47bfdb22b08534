"""Gates on real git and real processes: exactly the commit, every gate, nothing left running, nothing carried over."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.workspace.gates.gates import GitGates, trees_at_once
from shiftwork.adapters.workspace.gates.verdict_cache import KEPT, Verdicts
from shiftwork.adapters.workspace.tree.shell import HEAD_BYTES, TAIL_BYTES, Ends
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.folders import in_folder
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.ports.workspace import Gates
from shiftwork.testing.conformance.agent import marked
from shiftwork.testing.git_user import GitUser
from tests.conformance.processes.programs import once_begun
from tests.conformance.workspace.gates.gates_rig import MARKER, Opened, check, meeting, outputs


def test_every_gate_runs_though_one_is_red(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), "echo one", "echo two; echo why >&2; exit 4", "echo three")
    assert [result.name for result in report.results] == ["gate-0", "gate-1", "gate-2"]
    assert [result.passed for result in report.results] == [True, False, True]
    assert outputs(report) == ["one", "two\nwhy", "three"]
    assert [result.command for result in report.results][::2] == ["echo one", "echo three"]
    assert report.commit == user.at("main")
    assert not report.passed


def test_runs_on_exactly_the_commit(user: GitUser, gates: Gates) -> None:
    first = user.at("main")
    second = user.commit("second", {"README.md": "second\n", "new.txt": "n\n"})
    user.write("README.md", "not committed\n")
    look = "cat README.md; ls; git log -1 --format=%H; git status --porcelain"
    assert outputs(check(gates, second, look)) == [f"second\nREADME.md\nnew.txt\nsrc\n{second}"]
    assert outputs(check(gates, first, look)) == [f"hello\nREADME.md\nsrc\n{first}"]


def test_objects_that_the_user_borrows_from_elsewhere_are_there(user: GitUser, opened: Opened) -> None:
    objects, lent = user.root / ".git" / "objects", user.root.parent / "lent"
    objects.rename(lent)
    (objects / "info").mkdir(parents=True)
    (objects / "info" / "alternates").write_text(f"# a comment\n{lent}\n")
    report = check(opened(""), user.at("main"), "git log -1 --format=%H && git fsck --connectivity-only 2> /dev/null")
    assert (outputs(report), report.passed) == ([user.at("main")], True)


def test_every_line_is_received_though_a_report_keeps_two_ends(user: GitUser, gates: Gates) -> None:
    asked, received = (
        [Gate(name="one", command="seq 9000"), Gate(name="two", command="echo out; echo err >&2; exit 1")],
        [],
    )
    report = asyncio.run(gates.check(user.at("main"), asked, MARKER, on_output=lambda *said: received.append(said)))
    assert received == [*(("one", str(number)) for number in range(1, 9001)), ("two", "out"), ("two", "err")]
    assert len(report.results[0].output) < HEAD_BYTES + TAIL_BYTES + 100
    received.clear()
    asyncio.run(gates.check(user.at("main"), asked[:1], MARKER, on_output=lambda *said: received.append(said)))
    asyncio.run(gates.check(user.at("main"), asked[:1], MARKER, on_output=lambda *said: received.append(said)))
    assert len(received) == 9000, "what is known from before is not run, and not heard"


def test_the_environment_is_the_given_one(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), 'echo "$CI|$HOME|${GIT_DIR-none}"; pwd')
    assert outputs(report) == [f"1|{user.home}|none\n{user.cache / 'workspaces' / 'verify-1'}"]


def test_a_gate_that_takes_too_long_is_red(user: GitUser, gates: Gates) -> None:
    def played(seconds: float) -> tuple[GateReport, list[bytes]]:
        late = Gate(name="late", command="echo ready; sleep 170", minutes=seconds / 60)
        report = asyncio.run(gates.check(user.at("main"), [late, Gate(name="next", command="echo next")], MARKER))
        return report, outputs(report)[0].encode().splitlines()

    report, lines = once_begun(played, 0.6)
    assert [result.passed for result in report.results] == [False, True]
    assert (lines[0], lines[1][:16]) == (b"ready", b"timed out after ")


def test_a_red_gate_that_printed_nothing_says_that(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), "exit 3", "true")
    assert outputs(report) == ["it printed nothing, and ended with exit code 3", ""]


def test_a_command_that_makes_no_sense_is_red(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), "if then", "no-such-program-anywhere")
    assert [result.passed for result in report.results] == [False, False]
    assert "not found" in outputs(report)[1]


def test_nothing_it_started_is_alive_afterwards(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), "(setsid sleep 300 >/dev/null 2>&1 & kill -0 $! && echo lives)")
    assert outputs(report) == ["lives"]
    assert marked(MARKER) == []


def test_what_a_gate_leaves_behind_is_gone(user: GitUser, gates: Gates) -> None:
    commit = user.at("main")
    mess = (
        "echo x > README.md; rm src/a.txt; mkdir -p junk/.git; git init -q nested; echo x > nested/f; "
        "echo k > kept.log; git init -q src"
    )
    assert check(gates, commit, mess).passed
    report = check(gates, commit, "cat README.md src/a.txt; ls; git status --porcelain; ls -A src")
    assert outputs(report) == ["hello\none\ntwo\nthree\nREADME.md\nsrc\na.txt"]


@pytest.mark.parametrize(
    "ruin",
    [
        "rm -rf * .[a-z]*",
        "chmod -R a-rwx src",
        "chmod a-w src",
        "rm -rf src; mkfifo src",
        "rm -rf ../verify-1",
        "git init -q src",
        "mkdir empty; echo k > src/kept.log",
    ],
)
def test_a_tree_that_a_gate_has_ruined_is_repaired(user: GitUser, gates: Gates, ruin: str) -> None:
    check(gates, user.at("main"), ruin)
    look = "cat src/a.txt && git status --porcelain && test ! -e empty && test ! -e src/.git && touch src/x"
    report = check(gates, user.at("main"), look)
    assert (outputs(report), report.passed) == (["one\ntwo\nthree"], True)


def test_the_setup_command_runs_once_for_a_tree(user: GitUser, opened: Opened) -> None:
    gates = opened("echo installed >> deps.log; echo junk > untracked; echo x > README.md")
    commit = user.at("main")
    for _ in range(2):
        assert outputs(check(gates, commit, "cat deps.log README.md; ls")) == [
            "installed\nhello\nREADME.md\ndeps.log\nsrc"
        ]


def test_where_the_setup_command_fails_gates_do_without_and_the_next_process_tries_again(
    user: GitUser, opened: Opened
) -> None:
    setup = "test -e $HOME/network || { echo no network; exit 1; }; touch ok.log"
    gates = opened(setup)
    assert outputs(check(gates, user.at("main"), "ls *.log || true; echo ran")) == [
        "ls: cannot access '*.log': No such file or directory\nran"
    ]
    (user.home / "network").touch()
    assert outputs(check(opened(setup), user.at("main"), "ls *.log")) == ["ok.log"]


def counted(user: GitUser) -> tuple[str, Path]:
    """A command that counts how often it ran, and where."""
    runs = user.home / "runs"
    runs.write_text("")
    return f"echo x >> {runs}", runs


def test_another_tree_another_gate_or_another_setup_is_another_result(user: GitUser, opened: Opened) -> None:
    command, runs = counted(user)
    commit, gates = user.at("main"), opened("")
    check(gates, commit, command)
    check(gates, commit, command, "true")
    check(gates, commit, f"{command}; true")
    check(opened("true"), commit, command)
    check(gates, user.commit("other", {"README.md": "other\n"}), command)
    assert runs.read_text() == "x\n" * 5


def test_what_failed_is_run_again(user: GitUser, gates: Gates) -> None:
    command, runs = counted(user)
    outside = f"{command}; test -e {user.home}/network"
    assert not check(gates, user.at("main"), outside).passed
    (user.home / "network").touch()
    assert check(gates, user.at("main"), outside).passed
    assert runs.read_text() == "x\n" * 2


def test_a_verdict_is_in_no_file_that_an_agent_could_write(user: GitUser, gates: Gates) -> None:
    command, runs = counted(user)
    for _ in range(2):
        assert check(gates, user.at("main"), command).passed
    assert runs.read_text() == "x\n"
    assert [file for file in user.state.rglob("*") if file.is_file() and b"gate-0" in file.read_bytes()] == []


def test_only_the_newest_verdicts_are_kept(tmp_path: Path) -> None:
    verdicts = Verdicts(state=tmp_path)
    for number in range(KEPT + 1):
        verdicts.keep(str(number), (), GateReport(commit=Commit(str(number))))
    assert [verdicts.recall(str(number), ()) is None for number in (0, 1, KEPT)] == [True, False, False]


def test_verdicts_of_another_repository_are_others(tmp_path: Path) -> None:
    Verdicts(state=tmp_path).keep("tree", (), GateReport(commit=Commit("c")))
    assert Verdicts(state=tmp_path / "other").recall("tree", ()) is None


def test_two_checks_at_once_do_not_share_a_tree(user: GitUser, gates: Gates) -> None:
    commits = [user.at("main"), user.commit("second", {"README.md": "second\n"})]
    gate = Gate(name="slow", command=f"pwd; cat README.md; {meeting(user, 'two')}; cat README.md")

    async def together() -> list[GateReport]:
        checks = (gates.check(commit, [gate], f"{os.getpid()}/{commit}/gates") for commit in commits)
        return list(await asyncio.gather(*checks))

    places, *texts = zip(*(outputs(report)[0].split("\n") for report in asyncio.run(together())), strict=True)
    assert len(set(places)) == 2
    assert texts == [("hello", "second")] * 2
    assert outputs(check(gates, commits[0], "pwd")) == [str(user.cache / "workspaces" / "verify-1")]


def test_configuration_that_a_gate_plants_does_not_run(user: GitUser, gates: Gates) -> None:
    canary = user.home / "canary"
    plant = f"git config core.fsmonitor 'touch {canary}'; git config core.hooksPath .; git status >/dev/null 2>&1"
    check(gates, user.at("main"), plant)
    assert canary.exists()
    canary.unlink()
    check(gates, user.at("main"), "git config core.fsmonitor || echo none")
    assert not canary.exists()


@given(lines=st.lists(st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")), max_size=60))
def test_long_output_keeps_its_two_ends(lines: list[bytes]) -> None:
    ends = Ends(head=50, tail=100)
    for line in lines:
        ends.add(line)
    whole = b"".join(line + b"\n" for line in lines)
    if len(whole) <= 150:
        assert ends.text() == whole.decode(errors="replace").rstrip("\n")
    else:
        between = f"\n… {len(whole) - 150} bytes left out …\n".encode()
        assert ends.text() == (whole[:50] + between + whole[-100:]).decode(errors="replace").rstrip("\n")


def test_a_flood_is_bounded(user: GitUser, gates: Gates) -> None:
    report = check(gates, user.at("main"), "echo first; yes | head -c 1000000; echo last")
    assert len(outputs(report)[0]) < HEAD_BYTES + TAIL_BYTES + 100
    assert outputs(report)[0].startswith("first\n")
    assert outputs(report)[0].endswith("\nlast")


def in_its(cwd: str) -> Gate:
    return Gate(name="here", command=in_folder(cwd, "pwd -P; ls"), cwd=cwd)


def test_a_gate_runs_in_its_folder(user: GitUser, gates: Gates) -> None:
    commit = user.commit("packages", {"packages/api/a.py": "a\n"})
    report = asyncio.run(gates.check(commit, [in_its("packages/api")], MARKER))
    assert (report.passed, report.results[0].command) == (True, "cd packages/api && { pwd -P; ls\n}")
    assert report.results[0].output.splitlines()[1:] == ["a.py"]
    assert report.results[0].output.splitlines()[0].endswith("/packages/api")


def test_a_gate_does_not_run_in_a_folder_that_is_missing_or_leads_out_of_the_tree(user: GitUser, gates: Gates) -> None:
    elsewhere = user.root.parent / "elsewhere"
    elsewhere.mkdir()
    (user.root / "out").symlink_to(elsewhere)
    (user.root / "up").symlink_to("..")
    commit = user.commit("links", {"file": "f\n"})
    asked = [in_its("out"), in_its("up"), in_its("gone"), in_its("file"), in_its("../..")]
    report = asyncio.run(gates.check(commit, asked, MARKER))
    assert outputs(report) == [f"the folder {gate.cwd!r} is not in the tree" for gate in asked]
    assert report.red == ("here",)


def test_checks_beyond_the_number_of_places_wait_in_the_order_in_which_they_were_asked_for(
    user: GitUser, opened: Opened
) -> None:
    """Three may run; the marks of those that run at the same time are counted by each."""
    gates, marks, order = opened(""), user.home / "marks", user.home / "order"
    marks.mkdir()
    assert isinstance(gates, GitGates)
    limited = replace(gates, places=asyncio.Semaphore(3))

    def asked(number: int) -> Gate:
        at_work = f"echo {number} >> {order}; mark=$(mktemp {marks}/XXXXXX); ls {marks} | wc -l; sleep 0.3; rm $mark"
        return Gate(name=f"gate-{number}", command=at_work)

    async def all_together() -> list[GateReport]:
        checks = (limited.check(user.at("main"), [asked(number)], f"{MARKER}-{number}") for number in range(7))
        return list(await asyncio.gather(*checks))

    reports = asyncio.run(all_together())
    assert all(report.passed for report in reports)
    assert max(int(outputs(report)[0]) for report in reports) <= 3
    first, later = order.read_text().split()[:3], order.read_text().split()[3:]
    assert {*first} == {"0", "1", "2"}
    assert {*later} == {"3", "4", "5", "6"}


def test_one_landing_and_the_wanted_number_of_candidates_have_places() -> None:
    assert trees_at_once() >= max(3, os.cpu_count() or 1)
    assert trees_at_once(32) == max(32, os.cpu_count() or 1)
