"""`--json` of every command: each line is a document of a kind that the registry names for it.

`warm.run` compares every line that any test gets with `--json` with the shipped schemas. Here every command is typed in
one project, whose runs wait for an answer, fail and land.
"""

import json

import pytest

from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.entrypoints.cli.registry import (
    CONFIG_COMMANDS,
    PRINTS,
    STEPS_COMMANDS,
    TOKEN_COMMANDS,
    WORKFLOW_COMMANDS,
)
from tests.e2e.cli_rig import Project, new_project

pytestmark = pytest.mark.slow

AGENT = """\
cat > {where}/prompt
if [ "$SHIFTWORK_STORY" = US-001 ] && ! grep -q "Answer: tabs" {where}/prompt && [ ! -e {where}/review ]; then
  echo "STORY_BLOCKED: Tabs or blanks?"
  exit 0
fi
[ "$SHIFTWORK_STORY" != US-003 ] || [ -e {where}/review ] || exit 1
echo done > "$SHIFTWORK_STORY$(ls {where} | wc -l).txt"
echo SUMMARY:
echo "did it"
"""
"""US-001 asks and US-003 fails, unless the file `review` is there."""

GROUPS = {"config": CONFIG_COMMANDS, "workflow": WORKFLOW_COMMANDS, "steps": STEPS_COMMANDS, "token": TOKEN_COMMANDS}
ALONE = ("--workflow", "ralph", "--parallel", "1", "--keep-going")

BEFORE = """\
init --print
init --prd --print
doctor
plan prd.json
run prd.json --dry-run
import prd.json --dry-run
trust --show
trust --gate test --show
agents
workflow list
workflow show ralph
workflow validate ralph
workflow graph ralph
workflow new own
workflow schema
notify
config list
config get limits.run_usd
config explain limits.run_usd
config set limits.run_usd 50
config unset limits.run_usd
config validate
token create --name laptop
token list
token revoke laptop
mcp
serve --status
board
serve --stop
schema
schema run
completion bash
help
uninstall
adopt
status
"""
"""Typed where nothing has been run yet."""

HELD = """\
status
status --all
stories
stories --all
logs --story US-002
logs --story US-002 --gates
logs --story US-002 --follow
diff US-002
diff US-002 --stat
proof
proof --verify
report
notes
notes --story US-002
export
export --output state.json
pause
steps show US-001
steps add US-001 review twice
steps split US-001 step-002 one two
steps skip US-001 step-001 --because no
steps reorder US-001 step-001
steps edit US-001 step-002 other
steps restart US-001 step-001 --because no
edit US-003 --title Other
reorder US-001
resume --max-cost 5
answer US-001 tabs
retry US-003
undo US-002
check
add More
gc
"""
"""Typed while a story waits for an answer."""

REVIEWED = """\
approve US-101
reject US-102 --because no
cancel
demo
"""
"""Typed while stories wait for approval."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("json"))
    project.settle(agent=AGENT.format(where=project.shared), gates='test = "true"')
    stories = [{"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"]} for n in (1, 2, 3)]
    (project.root / "prd.json").write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    return project


def kinds(project: Project, *words: str) -> list[str]:
    own = {"demo": {"TMPDIR": str(project.shared)}, "uninstall": {"SHIFTWORK_STATE_HOME": str(project.shared)}}
    completed = project.shiftwork(*words, "--json", **own.get(words[0], {}))
    assert "Traceback" not in completed.stderr, completed
    return [json.loads(line)["schema"].split("/")[1] for line in completed.stdout.splitlines()]


def test_every_command_prints_documents_of_its_kinds(project: Project) -> None:
    seen: dict[str, set[str]] = {}

    def type_all(lines: str) -> None:
        for line in lines.splitlines():
            words = line.split()
            name = " ".join(words[:2]) if words[0] in GROUPS else words[0]
            printed = kinds(project, *words)
            assert printed, line
            assert set(printed) <= {*PRINTS[name], "error"}, line
            seen.setdefault(name, set()).update(printed)

    type_all(BEFORE)
    type_all(f"run prd.json {' '.join(ALONE)}")
    type_all(HELD)
    (project.shared / "review").touch()
    spec = project.root / "prd.json"
    spec.write_text(spec.read_text(encoding="utf-8").replace("US-0", "US-1"), encoding="utf-8")
    type_all(f"run prd.json --review {' '.join(ALONE)}")
    type_all(REVIEWED)
    assert not list(project.shared.glob("shiftwork-demo-*")), "the demo leaves nothing behind"
    assert sorted(seen) == sorted(PRINTS)
    unseen = DOCUMENTS.keys() - {kind for found in seen.values() for kind in found}
    served = {kind for kind in DOCUMENTS if not any(kind in said for said in PRINTS.values())}
    assert unseen - served == {"adoption", "reply"}, "of a copied folder, and of a run in progress"
