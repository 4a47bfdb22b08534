"""A project that a browser test plays on: `python -m tests.board.stage`.

Prints one JSON line with what the test needs, and keeps the project until its input ends; then it stops the server. The
agent is a shell script: what it does depends on the story, and on files that the test puts into the folder `shared`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.e2e.cli_rig import SHIFTWORK, Project, new_project

CORPUS = Path(__file__).parents[2] / "web/e2e/corpus.json"

AGENT = """\
prompt=$(cat)
if [ -e {shared}/hostile ]; then
  cat {shared}/hostile; cp {shared}/hostile "$(head -c 60 {shared}/hostile | tr -d '/').txt"
fi
work() { echo "$1" > "$SHIFTWORK_STORY.txt"; echo SUMMARY:; echo "wrote $SHIFTWORK_STORY.txt"; exit 0; }
case "$SHIFTWORK_STORY" in
  US-001)
    case "$prompt" in *"Answer: "*)
      n=0; while [ -e {shared}/hold ] && [ $n -lt 3000 ]; do n=$((n+1)); sleep 0.2; done
      work "the separator is chosen" ;;
    esac
    echo '{"question": "Which separator should the file use?", "options": ["Tabs", "Blanks"]}' \\
      > "$SHIFTWORK_OUTPUTS/question-1.json"
    echo SUMMARY:; echo "asked for the separator" ;;
  US-002)
    case "$prompt" in *"say it politely"*) work "good morning" ;; esac
    work "hello" ;;
  US-003)
    [ -e {shared}/repaired ] && work "right"
    work "wrong" ;;
  US-004)
    n=0; while [ ! -e {shared}/go ] && [ $n -lt 3000 ]; do echo "line $n of the live log"; n=$((n+1)); sleep 0.2; done
    work "waited" ;;
  *) work "done" ;;
esac
"""

GATE = "! grep -l wrong US-*.txt 2>/dev/null"

STORIES = (
    ("US-001", "Choose a separator", ()),
    ("US-002", "Greet the reader", ()),
    ("US-003", "Round the totals", ()),
    ("US-004", "Import a long file", ()),
    ("US-005", "Print the summary", ("US-002",)),
)


def make(folder: Path) -> Project:
    project = new_project(folder)
    project.settle(agent=AGENT.replace("{shared}", str(project.shared)), gates=f'test = "{GATE}"')
    with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[run]\nworkflow = "ralph"\nparallel = 4\n')
    stories = [
        {"id": name, "title": title, "acceptanceCriteria": ["done"], "dependsOn": list(needs)}
        for name, title, needs in STORIES
    ]
    text = json.dumps({"project": "demo", "userStories": stories}, indent=2)
    (project.root / "prd.json").write_text(text, encoding="utf-8")
    (project.root / "hostile.json").write_text(json.dumps(hostile()), encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-qm", "Plan the work")
    return project


def hostile() -> dict[str, object]:
    """A spec whose texts are all hostile."""
    corpus = [str(each["text"]) for each in json.loads(CORPUS.read_text(encoding="utf-8"))]
    texts = [text.replace("\0", "") for text in corpus if text.strip()]
    story = {"id": "US-001", "title": texts[0], "description": "\n".join(texts), "acceptanceCriteria": texts[:20]}
    others = [
        {"id": f"US-{n:03}", "title": text[:300], "acceptanceCriteria": [text]} for n, text in enumerate(texts[1:9], 2)
    ]
    return {"project": texts[1], "userStories": [story, *others]}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="shiftwork-board-") as folder:
        project = make(Path(folder))
        env = project.environment()
        subprocess.run([SHIFTWORK, "trust"], cwd=project.root, env=env, check=True, stdout=subprocess.DEVNULL)
        given = {"root": str(project.root), "shared": str(project.shared), "shiftwork": str(SHIFTWORK), "env": env}
        sys.stdout.write(f"{json.dumps(given)}\n")
        sys.stdout.flush()
        sys.stdin.read()
        subprocess.run([SHIFTWORK, "serve", "--stop"], cwd=project.root, env=env, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
