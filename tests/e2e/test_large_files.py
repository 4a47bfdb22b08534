"""A story that writes a large file: no process of the product holds the file twice in memory."""

import subprocess
import sys

import pytest

from tests.e2e.cli_rig import SHIFTWORK, Project

pytestmark = pytest.mark.slow

MIB = 2**20
MEGABYTES = 96
WRITING = f"""\
cat > /dev/null
if [ ! -e dump.bin ]; then
  head -c {MIB} /dev/urandom > part
  for turn in $(seq {MEGABYTES}); do cat part; done > dump.bin
  rm part
fi
echo 'SUMMARY: wrote dump.bin'
"""


# In a small process of its own: what it has started has its memory for a moment.
_MEASURING = """\
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(code)
"""


def _largest_process(project: Project, *words: str) -> int:
    """The peak memory in bytes of the largest of all processes that the command has started."""
    command = (sys.executable, "-I", "-S", "-c", _MEASURING, str(SHIFTWORK), *words)
    measured = subprocess.run(
        command, cwd=project.root, env=project.environment(), capture_output=True, text=True, check=False
    )
    assert measured.returncode == 0, measured
    return int(measured.stdout)


def test_a_large_file_is_held_in_memory_once_at_most(project: Project) -> None:
    project.settle(agent=WRITING, gates='test = "true"\n\n[landing]\nlarge_file_mb = 1000')
    assert _largest_process(project, "run", "Add a dump") < 1.4 * MEGABYTES * MIB
    assert (project.root / "dump.bin").stat().st_size == MEGABYTES * MIB
