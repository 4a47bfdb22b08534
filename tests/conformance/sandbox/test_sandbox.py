"""The limits of the tier `bubblewrap`, tried from the inside by real programs."""

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.probe import probe
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.errors import SandboxError
from shiftwork.testing.conformance.agent import marked
from tests.conformance.processes.programs import PYTHON, within
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, SECRET, Confined, confined

pytestmark = [pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Confined]:
    given = confined(tmp_path)
    yield given
    assert marked(given.marker) == []


# What is seen


def test_neither_the_home_nor_the_repository_can_be_read(inside: Confined) -> None:
    outcome = inside.run(f"grep -rs '{SECRET}' {inside.home} {inside.repo} /tmp /home /root /var; ls -A {inside.repo}")
    assert outcome.output == ".git"
    listed = inside.run(
        f"ls -A {inside.home}; ls -A {inside.repo}/.git/shiftwork/workspaces/r1; cat {inside.home}/.netrc"
    )
    assert listed.output.startswith("project\nUS-001-1\ncat: ")
    assert not listed.passed


@pytest.mark.parametrize("place", ["/", "/usr", "/etc", "/proc/sys", "{repo}", "{repo}/.git", "{tree}/.."])
def test_nothing_outside_the_tree_can_be_written_to(inside: Confined, place: str) -> None:
    where = place.format(repo=inside.repo, tree=inside.tree)
    assert not inside.run(f"echo x > {where}/new").passed
    assert not Path(where, "new").exists()


def test_the_tree_can(inside: Confined) -> None:
    assert inside.run("pwd; mkdir sub; echo yes > sub/file; chmod 755 sub/file; ln -s sub link").output == str(
        inside.tree
    )
    assert (inside.tree / "link" / "file").read_text() == "yes\n"


def test_what_is_written_to_the_home_or_to_tmp_is_gone_with_the_program(inside: Confined) -> None:
    assert inside.run("mkdir -p ~/.cache && echo x > ~/.cache/x && echo x > /tmp/shiftwork-x && cat ~/.cache/x").passed
    assert not (inside.home / ".cache").exists()
    assert not Path("/tmp/shiftwork-x").exists()  # noqa: S108 - that it is not there is what is tested
    assert not inside.run("cat ~/.cache/x").passed


def test_more_can_be_read_and_written_where_the_user_says_so(inside: Confined) -> None:
    (inside.home / ".npm").mkdir()
    more = inside.allowing(readable=(inside.home / ".netrc", inside.home / "nowhere"), writable=(inside.home / ".npm",))
    outcome = more.run("cat ~/.netrc; echo kept > ~/.npm/cache; echo x >> ~/.netrc")
    assert outcome.output.startswith(SECRET)
    assert not outcome.passed
    assert (inside.home / ".npm" / "cache").read_text() == "kept\n"
    assert (inside.home / ".netrc").read_text() == SECRET


def test_certificates_that_the_environment_names_are_shown(inside: Confined) -> None:
    own = inside.home / "ca.pem"
    own.write_text("certificates")
    outcome = inside.run("cat $SSL_CERT_FILE; ls -A ~", SSL_CERT_FILE=str(own), SSL_CERT_DIR="/nowhere")
    assert outcome.output == "certificatesca.pem\nproject"


def test_a_repository_that_is_the_home_is_a_home_inside(inside: Confined) -> None:
    whole = inside.allowing(repository=inside.home)
    assert whole.run("ls -A ~; echo x > ~/x && echo y > y").output == "project"
    assert not (inside.home / "x").exists()
    assert (inside.tree / "y").exists()


def test_a_repository_that_the_user_opens_is_open(inside: Confined) -> None:
    assert inside.allowing(writable=(inside.repo,)).run(f"cat {inside.repo}/.env; echo x > {inside.repo}/x").passed
    assert (inside.repo / "x").read_text() == "x\n"


def test_a_link_out_of_the_tree_leads_nowhere(inside: Confined) -> None:
    (inside.tree / "out").symlink_to(inside.home / ".netrc")
    (inside.tree / "up").symlink_to(inside.repo)
    assert not inside.run("cat out").passed
    assert not inside.run("cat up/.env").passed
    assert not inside.run("echo x > up/new").passed


def test_a_file_is_read_only_inside_of_a_folder_that_is_not(inside: Confined) -> None:
    own = inside.home / ".agent"
    own.mkdir()
    (own / "settings").write_text("mine")
    room = Room(tree=inside.tree, writable=(own,), readable=(own / "settings", own / "hooks"))
    spawn = inside.walls.enclosed(inside.spawn(f"cd {own}; echo t > token; echo x > settings; rm settings; true"), room)
    within(90, supervise(spawn, print))
    assert ((own / "token").read_text(), (own / "settings").read_text()) == ("t\n", "mine")


def test_a_link_that_was_left_in_a_folder_of_its_own_opens_nothing_the_next_time(inside: Confined) -> None:
    own = inside.home / ".agent"
    own.mkdir()
    (inside.home / "outside").mkdir()
    room = Room(tree=inside.tree, writable=(own, own / "cache"), readable=(own / "skills", own / "settings"))
    leave = f"cd {own}; ln -s {inside.home}/.ssh skills; ln -s {inside.home}/.netrc settings; ln -s ../outside cache"
    within(90, supervise(inside.walls.enclosed(inside.spawn(leave), room), print))
    assert (own / "skills" / "id").read_text() == SECRET
    lines: list[bytes] = []
    look = f"cat {own}/skills/id {own}/settings; echo x > {own}/cache/x; ls {inside.home}"
    within(90, supervise(inside.walls.enclosed(inside.spawn(look), room), lines.append))
    assert lines == [b"project"]
    assert list((inside.home / "outside").iterdir()) == []


def test_a_folder_that_is_itself_a_link_of_the_users_is_followed(inside: Confined) -> None:
    dotfiles = inside.home / "dotfiles"
    dotfiles.mkdir()
    (inside.home / ".agent").symlink_to("dotfiles")
    (dotfiles / "settings").write_text("mine")
    own = inside.home / ".agent"
    room = Room(tree=inside.tree, writable=(own,), readable=(own / "settings",))
    spawn = inside.spawn(f"cat {own}/settings; echo t > {own}/token; echo x > {own}/settings")
    lines: list[bytes] = []
    within(90, supervise(inside.walls.enclosed(spawn, room), lines.append))
    assert lines == [b"mine"]
    assert ((dotfiles / "token").read_text(), (dotfiles / "settings").read_text()) == ("t\n", "mine")


def test_the_house_of_a_program_stands_where_the_home_is(inside: Confined, tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    (house / ".agent.json").write_text("settings")
    (inside.home / ".agent.json").write_text(SECRET)
    room = Room(tree=inside.tree, house=house)
    spawn = inside.spawn("cat ~/.agent.json; echo new > ~/x; mv ~/x ~/.agent.json")
    lines: list[bytes] = []
    within(90, supervise(inside.walls.enclosed(spawn, room), lines.append))
    assert lines == [b"settings"]
    assert (house / ".agent.json").read_text() == "new\n"
    assert (inside.home / ".agent.json").read_text() == SECRET


def test_a_folder_of_its_own_stands_in_the_place_of_another(inside: Confined, tmp_path: Path) -> None:
    place, own = inside.home / ".agent", tmp_path / "own"
    for folder in (place, own):
        folder.mkdir()
    (place / "token").write_text(SECRET)
    (place / "settings").write_text("mine")
    (own / "token").write_text("lent")
    room = Room(tree=inside.tree, readable=(place / "settings", place / "none"), stand_ins={place: own})
    tried = "; ".join(f"(echo new > {place}/{name})" for name in ("token", "settings", "none"))
    spawn = inside.spawn(f"cd {place}; cat token settings; {tried}")
    lines: list[bytes] = []
    within(90, supervise(inside.walls.enclosed(spawn, room), lines.append))
    assert b"".join(lines) == b"lentmine"
    assert {file.name: file.read_text() for file in place.iterdir()} == {"token": SECRET, "settings": "mine"}
    assert ((own / "token").read_text(), (own / "none").read_text()) == ("new\n", "new\n")


# What it is


def test_it_has_no_power_over_the_machine(inside: Confined) -> None:
    """Also where root does all this: root could write to /proc/sys without any capability."""
    outcome = inside.run("grep ^Cap /proc/self/status | cut -f2 | sort -u; echo 1 > /proc/sys/vm/swappiness")
    assert outcome.output.startswith("0000000000000000\n")
    assert "Read-only" in outcome.output or "denied" in outcome.output
    assert not inside.run("cat /etc/shadow").passed
    assert not inside.run("mount -t tmpfs none /mnt").passed
    assert inside.run("ls -d /proc/[0-9]* | wc -l").output < "9"


def test_its_environment_is_the_one_that_is_given(inside: Confined) -> None:
    outcome = inside.run("env | cut -d= -f1 | sort | tr '\\n' ' '", GIVEN="1", XDG_RUNTIME_DIR="/run/user/0")
    expected = "CI GIT_CEILING_DIRECTORIES GIVEN HOME LANG PATH PWD SHIFTWORK_ATTEMPT"
    assert set(outcome.output.split()) - {"SHLVL", "_", "OLDPWD"} == set(expected.split())


def test_a_folder_for_temporary_files_that_is_not_inside_is_not_named_either(inside: Confined, tmp_path: Path) -> None:
    assert inside.run("mktemp", TMPDIR="/nowhere/at/all").output.startswith("/tmp/")  # noqa: S108 - its own
    own = inside.tree / "tmp"
    own.mkdir()
    assert inside.run("mktemp", TMPDIR=str(own)).output.startswith(f"{own}/")


def test_a_program_that_is_not_there_is_reported_as_elsewhere(inside: Confined) -> None:
    spawn = replace(inside.spawn(""), argv=("no-such-program",))
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        inside.walls.enclosed(spawn, Room(tree=inside.tree))


CONNECT = f'{PYTHON} -S -c "import socket; socket.create_connection((\\"127.0.0.1\\", $PORT), 2); print(\\"met\\")"'


def test_the_network_is_cut_where_that_is_asked_for(inside: Confined) -> None:
    seen = inside.allowing(readable=(Path(sys.prefix), Path(sys.base_prefix)))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert seen.run(CONNECT, PORT=port).output == "met"
        cut = seen.allowing(network=False)
        outcome = cut.run(CONNECT, PORT=port)
        assert not outcome.passed
        assert "refused" in outcome.output or "unreachable" in outcome.output


# Whether it can be had


def test_the_probe_is_content_with_the_real_one(inside: Confined) -> None:
    within(90, probe(inside.walls))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'setting up uid map: Permission denied' >&2; exit 1", "Permission denied"),
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "can be written"),
    ],
    ids=["forbidden", "pretends"],
)
def test_a_sandbox_that_is_none_is_refused(inside: Confined, tmp_path: Path, script: str, why: str) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    with pytest.raises(SandboxError, match=why) as refused:
        within(90, probe(replace(inside.walls, program=str(fake))))
    assert "tier" in refused.value.hint
    with pytest.raises(SandboxError, match="cannot be run"):
        within(90, probe(replace(inside.walls, program=str(tmp_path / "nowhere"))))
