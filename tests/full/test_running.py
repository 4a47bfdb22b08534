"""How `just full` runs a row: what counts as its time, how it is ended, and when the result is kept."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.full.running import describe_folders
from tests.patience import eventually

ROOT = Path(__file__).parents[2]

RUN = """\
import json, sys
from pathlib import Path
from shiftwork.adapters.processes.host.this_host import this_host
from tests.full.running import run_command
this_host().adopt_orphans()
command, log, seconds, address = json.loads(sys.argv[1])
ended = run_command(command, Path(log), seconds=seconds, address=address)
print(json.dumps([ended.code, ended.seconds, ended.processor, ended.answered]))
"""
BUSY = "import os, time\nwhile time.process_time() < 0.7: pass"
DETACHED = f"""\
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", {BUSY!r}], start_new_session=True)
"""


def ran(folder: Path, source: str, *, seconds: float = 60, address: str = "") -> tuple[int | None, float, float, bool]:
    """In a process of its own: it waits for all children, which a test run has more of."""
    given = json.dumps([[sys.executable, "-c", source], str(folder / "log"), seconds, address])
    done = subprocess.run([sys.executable, "-c", RUN, given], cwd=ROOT, capture_output=True, text=True, check=True)
    found: Any = json.loads(done.stdout)
    return found[0], found[1], found[2], found[3]


def test_the_exit_code_and_the_output_of_a_command_are_kept(tmp_path: Path) -> None:
    code, *_ = ran(tmp_path, "import sys; print('told'); sys.exit(5)")
    assert (code, (tmp_path / "log").read_text()) == (5, "told\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems give orphans to their first process")
def test_the_processor_time_of_what_nobody_has_waited_for_counts(tmp_path: Path) -> None:
    code, _, processor, _ = ran(tmp_path, DETACHED)
    assert code == 0
    assert processor >= 0.7


def test_after_its_limit_all_that_a_command_has_started_is_ended(tmp_path: Path) -> None:
    started = f"""\
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    " print('ready', flush=True); time.sleep(600)"], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    code, *_ = ran(tmp_path, started, seconds=5)
    assert code is None
    pid = int((tmp_path / "pid").read_text())
    eventually(lambda: not psutil.pid_exists(pid))


def test_a_server_is_ended_when_its_address_has_answered(tmp_path: Path) -> None:
    served = """\
import http.server, socketserver, sys
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
server = socketserver.TCPServer(("127.0.0.1", PORT), Hello); server.serve_forever()
"""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code, seconds, _, answered = ran(
        tmp_path, served.replace("PORT", str(port)), address=f"http://127.0.0.1:{port}/", seconds=120
    )
    assert (code, answered) == (None, True)
    assert seconds < 120


def test_a_server_that_ends_before_it_answers_has_not_answered(tmp_path: Path) -> None:
    code, _, _, answered = ran(tmp_path, "raise SystemExit(4)", address="http://127.0.0.1:9/")
    assert (code, answered) == (4, False)


def test_a_file_that_is_written_into_a_folder_changes_its_description(tmp_path: Path) -> None:
    folder = tmp_path / "shiftwork"
    none = describe_folders([folder])
    (folder / "projects").mkdir(parents=True)
    empty = describe_folders([folder])
    (folder / "projects/one").write_text("1")
    assert none != empty != describe_folders([folder])
    assert describe_folders([folder]) == describe_folders([folder])
