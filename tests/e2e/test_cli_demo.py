"""`shiftwork demo` works end to end in any folder, without a key, within seconds."""

import json
import subprocess
from pathlib import Path

from tests.e2e.cli_rig import SHIFTWORK, environment, git
from tests.patience import SECONDS, Stopwatch


def demo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "tmp").mkdir()
    env = environment(TMPDIR=str(folder / "tmp"), HOME=str(folder))
    return subprocess.run(
        [SHIFTWORK, "demo", *words], cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def test_the_demo_lands_after_a_refusal_and_what_it_leaves_can_be_looked_at(tmp_path: Path) -> None:
    watch = Stopwatch()
    completed = demo(tmp_path, "--keep")
    assert completed.returncode == 0, completed
    assert watch.within(20)
    lines = completed.stdout.splitlines()
    refused = next(number for number, line in enumerate(lines) if "landing refused, gate test failed" in line)
    landed = next(number for number, line in enumerate(lines) if "landed on main" in line)
    assert refused < landed
    assert "  refused   1 time" in lines
    (folder,) = (tmp_path / "tmp").glob("shiftwork-demo-*")
    assert str(folder) in completed.stdout
    assert git(folder, "rev-list", "--count", "main") == "2"

    def shown(*words: str) -> str:
        return subprocess.run(
            [SHIFTWORK, "-C", folder, *words],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        ).stdout

    assert shown("status").splitlines()[-1].startswith("next: git show ")
    assert json.loads(shown("status", "--json"))["stories"][0]["commit"] == git(folder, "rev-parse", "main")


def test_the_demo_on_the_web_board_leaves_nothing_behind_when_it_is_ended(tmp_path: Path) -> None:
    words = (SHIFTWORK, "demo", "--web", "--json")
    env = environment(TMPDIR=str(tmp_path), HOME=str(tmp_path))
    with subprocess.Popen(words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert "#code=" in json.loads(started.stdout.readline())["link"]
        assert list(tmp_path.glob("shiftwork-demo-*"))
        started.terminate()
        assert started.wait(SECONDS) == 130
    assert list(tmp_path.glob("shiftwork-demo-*")) == []
