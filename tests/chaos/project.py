"""What the chaos runs work on: a repository, eight stories, an agent that is easy to kill midway, a gate."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.durability.rig import Bench
from tests.repositories import first_commit

PROJECT: Final = "chaos"

type Needs = Mapping[str, tuple[str, ...]]

NEEDS: Final[Needs] = {
    "US-001": (),
    "US-002": (),
    "US-003": (),
    "US-004": ("US-001",),
    "US-005": (),
    "US-006": ("US-002",),
    "US-007": ("US-004", "US-003"),
    "US-008": (),
}
SHARING: Final = ("US-003", "US-005")
"""Both add their names to the same line."""

# The lingering process writes long after the agent has ended; whatever ends an attempt must have ended it by then. An
# attempt that begins on an earlier attempt's leftovers writes a second line into a half, and the gate sees that.
_AGENT = """\
#!/bin/sh
cat > /dev/null
story=$SHIFTWORK_STORY
half=parts/$story
slice() { sleep "0.$(( ($$ + $1) % 10 + 10 ))"; }
linger() {
  setsid sh -c "while kill -0 $$; do sleep 0.2; done; sleep 2.5; mkdir -p $half; echo late >> $half/first
    git add -A; git commit -qm late; sleep 60" > /dev/null 2>&1 &
}
slice 1
case "$SHIFTWORK_STEP_TYPE" in
planning | prune_tests) linger ;;
coding)
  mkdir -p "$half"
  echo "first half of $story" >> "$half/first"
  linger
  slice 2
  case "$story" in @sharing@) sed -i "1s/\\$/ $story/" shared.txt ;; esac
  slice 3
  echo "second half of $story" >> "$half/second"
  ;;
rebase_resolve)
  names=$(grep -o 'US-[0-9]*' shared.txt | sort -u | tr '\\n' ' ')
  : > shared.txt
  slice 4
  echo "taken by: $names" > shared.txt
  ;;
esac
slice 5
echo "SUMMARY:"
echo "$SHIFTWORK_STEP_TYPE done"
"""

_GATE = """\
#!/bin/sh
# Red where a story is half there, there twice, there before what it needs, or has lost its place in the shared line.
set -eu
fail() { echo "$1"; exit 1; }
holds() {
  found=$(cat "parts/$1/$2" 2> /dev/null) || found=nothing
  [ "$found" = "$2 half of $1" ] || fail "$1: its $2 half is $(echo "$found" | tr '\\n' ' ')"
}
if [ -d parts ]; then
  for folder in parts/*; do
    story=${folder#parts/}
    holds "$story" first
    holds "$story" second
    case "$story" in @sharing@) grep -q "^taken by:.* $story" shared.txt || fail "$story is not in shared.txt" ;; esac
    for needed in $(grep "^$story:" needs.txt | cut -d: -f2); do
      [ -d "parts/$needed" ] || fail "$story needs $needed"
    done
  done
fi
! grep -q '^[<>=]' shared.txt || fail "shared.txt has conflict markers"
"""

_SETTINGS = """\
[agent]
use = "command"
command = "{agent}"

[gates]
whole = "sh gate.sh"

[limits]
conflicts = 10
"""


def make_project(root: Path, store_url: str, name: str = PROJECT, needs: Needs = NEEDS) -> Bench:
    bench = Bench(root=root, store_url=store_url)
    bench.repo.mkdir(parents=True)
    bench.spec.write_text(_spec(name, needs))
    agent = root / "agent.sh"
    agent.write_text(_with_sharing(_AGENT))
    agent.chmod(0o755)
    _write_repository(bench.repo, agent)
    first_commit(bench.git)
    return bench


def _write_repository(repo: Path, agent: Path) -> None:
    (repo / "shiftwork.toml").write_text(_SETTINGS.format(agent=agent))
    (repo / "gate.sh").write_text(_with_sharing(_GATE))
    (repo / "needs.txt").write_text("".join(f"{story}: {' '.join(needs)}\n" for story, needs in NEEDS.items()))
    (repo / "shared.txt").write_text("taken by:\n")
    (repo / "notes.txt").write_text("the user's notes\n")


def _with_sharing(script: str) -> str:
    return script.replace("@sharing@", " | ".join(SHARING))


def _spec(name: str, stories_needed: Needs) -> str:
    stories = [
        {"id": story, "title": f"Do {story}", "passes": False, "dependsOn": list(needs)}
        for story, needs in stories_needed.items()
    ]
    return json.dumps({"project": name, "userStories": stories}, indent=2)
