"""kill -9 while gates run that landings had skipped: the debt is paid once, and a red one names the same story."""

import json
from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench

pytestmark = pytest.mark.durability

SPECIAL = """\
case "$SHIFTWORK_STORY" in
US-003) exit 3 ;;
US-002) echo {word} >> shared/tax.txt ;;
*) echo fine >> shared/tax.txt ;;
esac
echo "SUMMARY:"
echo "did it"
exit
"""
SETTINGS = """\
[agent]
use = "command"
command = "{root}/agent.sh"

[gates]
all = "true"
api = {{ command = "echo ran >> {shared}/gates; ! grep -rq broken shared", paths = ["api/**"] }}

[sandbox.agents]
writable = ["{shared}"]

[sandbox.gates]
writable = ["{shared}"]
"""


def indebted(root: Path, store_url: str, word: str) -> Bench:
    """Two stories land without the gate, which the third would have run: it fails, and so the run's end pays."""
    bench = make_bench(root, store_url, special=SPECIAL.format(word=word))
    stories = [{"id": f"US-00{number}", "title": f"Story {number}", "passes": False} for number in (1, 2, 3)]
    bench.spec.write_text(json.dumps({"project": "bench", "userStories": stories}), encoding="utf-8")
    settings = SETTINGS.format(root=bench.root, shared=bench.shared)
    (bench.repo / "shiftwork.toml").write_text(settings, encoding="utf-8")
    for name in ("api", "shared"):
        (bench.repo / name).mkdir()
        (bench.repo / name / "tax.txt").write_text("fine\n", encoding="utf-8")
    bench.git("add", "-A")
    bench.git("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "--quiet", "-m", "shop")
    return bench


def times_run(bench: Bench) -> int:
    return len((bench.shared / "gates").read_text(encoding="utf-8").split())


def owed(bench: Bench) -> list[tuple[str, bool, str]]:
    return [(gate["gate"], gate["red"], gate["story"]) for gate in bench.status()["owed_gates"]]


@pytest.mark.parametrize("word", ["fine", "broken"])
@pytest.mark.parametrize("place", ["owed.ran", "owed.recorded"])
def test_killed_while_the_end_of_a_run_pays(place: str, word: str, engine: str, store_url: str, tmp_path: Path) -> None:
    bench = indebted(tmp_path, store_url, word)
    bench.dies("run", "../prd.json", "--workflow", "ralph", failpoint=place, engine=engine)
    red = [("api", True, "US-002")] if word == "broken" else []
    assert owed(bench) == ([("api", False, "")] if place == "owed.ran" else red)
    before = times_run(bench)
    paid = bench.shiftwork("check")
    assert paid.returncode == (1 if red else 0), paid.stdout + paid.stderr
    assert owed(bench) == red
    after = times_run(bench)
    assert place == "owed.ran" or after == before, "what is recorded does not run again"
    assert bench.shiftwork("check").returncode == paid.returncode
    assert times_run(bench) == after, "the same tip is not judged twice"


@pytest.mark.parametrize("place", ["owed.ran", "owed.recorded", "append.before", "append.after"])
def test_killed_in_the_command_that_pays(place: str, engine: str, store_url: str, tmp_path: Path) -> None:
    bench = indebted(tmp_path, store_url, "broken")
    bench.dies("run", "../prd.json", "--workflow", "ralph", failpoint="owed.ran", engine=engine)
    bench.dies("check", failpoint=place, engine=engine)
    assert bench.shiftwork("check").returncode == 1
    assert owed(bench) == [("api", True, "US-002")]
