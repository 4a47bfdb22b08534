"""Every format of spec files passes the same suite, on files as the format's own tools write them."""

from pathlib import Path
from typing import ClassVar

from shiftwork.adapters.specs.open import FORMATS, FileSpecs
from shiftwork.ports.specs import Specs
from shiftwork.testing.conformance.specs import LANDED, SpecsConformance
from tests.conformance.specs.spec_rig import GOLDEN

NOTE = LANDED.note


class OnFiles(SpecsConformance):
    """`changes` are, for each story, what its landing replaces by what; each stands in the sample exactly once."""

    changes: ClassVar[dict[int, tuple[tuple[str, str], ...]]]

    def specs(self, root: Path) -> Specs:
        return FileSpecs(root=root)

    def landed(self, number: int) -> str:
        text = self.sample
        for old, new in self.changes[number]:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return text


class TestRalph(OnFiles):
    file = "prd.json"
    sample = (GOLDEN / "ralph.json").read_text(encoding="utf-8")
    ids = ("US-001", "US-002", "US-003", "US-004")
    changes: ClassVar = {
        2: (('"priority": 2, "passes": false, "notes": ""', f'"priority": 2, "passes": true, "notes": "{NOTE}"'),),
        3: (('"passes" : false', '"passes" : true'), (r"\tplease", rf"\tplease\n{NOTE}")),
        4: (('["Sorted"]}', f'["Sorted"],"passes":true,"notes":"{NOTE}"}}'),),
    }


class TestRalphTui(OnFiles):
    file = "docs/albums.json"
    sample = (GOLDEN / "ralph-tui.json").read_text(encoding="utf-8")
    ids = ("A-1", "A-2", "A-3", "A-4")
    changes: ClassVar = {
        2: (
            (
                '"passes": false,\n\t\t\t"dependsOn": ["A-1"]\n',
                f'"passes": true,\n\t\t\t"dependsOn": ["A-1"],\n\t\t\t"completionNotes": "{NOTE}"\n',
            ),
        ),
        3: (
            ('"passes": false,\n\t\t\t"dependsOn": ["A-1"],', '"passes": true,\n\t\t\t"dependsOn": ["A-1"],'),
            ('"half of it"', f'"half of it\\n{NOTE}"'),
        ),
        4: (('["paper"]', f'["paper"],\n\t\t\t"passes": true,\n\t\t\t"completionNotes": "{NOTE}"'),),
    }


class TestCodetether(OnFiles):
    file = "prd.json"
    sample = (GOLDEN / "codetether.json").read_text(encoding="utf-8")
    ids = ("c.1", "c.2", "c.3", "c.4")
    changes: ClassVar = {
        2: (('"passes": false,\n            "priority": 2', '"passes": true,\n            "priority": 2'),),
        3: (
            ('"passes": false, "dependencies"', '"passes": true, "dependencies"'),
            ('"notes": null', f'"notes": "{NOTE}"'),
        ),
        4: (('"passes": false, "priority": 1', '"passes": true, "priority": 1'),),
    }


class TestOpenSpec(OnFiles):
    file = "openspec/changes/add-two-factor/tasks.md"
    sample = (GOLDEN / "openspec" / "tasks.md").read_text(encoding="utf-8")
    ids = ("section-1", "section-2", "section-3", "section-4")
    changes: ClassVar = {
        2: (("- [ ] 2.1", "- [x] 2.1"), ("- [ ] 2.2.1", "- [x] 2.2.1")),
        3: (("* [ ] 3.1", "* [x] 3.1"),),
        4: (("+   [ ] 4.1", "+   [x] 4.1"),),
    }


class TestSpecKit(OnFiles):
    file = "specs/001-photo-albums/tasks.md"
    sample = (GOLDEN / "speckit" / "tasks.md").read_text(encoding="utf-8")
    ids = ("setup", "US1", "US2", "polish-cross-cutting-concerns")
    changes: ClassVar = {
        2: (("- [ ] T003", "- [x] T003"), ("- [ ] T005", "- [x] T005"), ("- [ ] T007", "- [x] T007")),
        3: (("- [ ] T006", "- [x] T006"),),
        4: (("- [ ] T008", "- [x] T008"),),
    }


class TestMarkdown(OnFiles):
    file = "plan.md"
    sample = (GOLDEN / "plan.md").read_text(encoding="utf-8")
    ids = ("US-001", "US-002", "story-3", "say-it-aloud")
    changes: ClassVar = {
        2: (("- [ ] `--zone`", "- [x] `--zone`"),),
        3: (("- [ ] it rings", "- [x] it rings"), ("- [ ] once", "- [x] once")),
        4: (("## Say it aloud", "## [x] Say it aloud"),),
    }


class TestBeads(OnFiles):
    file = ".beads/issues.jsonl"
    sample = (GOLDEN / "beads.jsonl").read_text(encoding="utf-8")
    ids = ("clock-7.1", "clock-7.2", "clock-9", "clock-a3f")
    changes: ClassVar = {
        2: (('"counts to zero","status":"open"', '"counts to zero","status":"closed"'),),
        3: (
            (
                '"depends_on_id":"gone-1","type":"blocks"}]}',
                '"depends_on_id":"gone-1","type":"blocks"}],"status":"closed"}',
            ),
        ),
        4: (('"status" : "in_progress"', '"status" : "closed"'),),
    }


class TestWorkflowState(OnFiles):
    file = "state/workflow_state.json"
    sample = (GOLDEN / "workflow-state.json").read_text(encoding="utf-8")
    ids = ("US-001", "US-002", "US-003", "US-004")
    changes: ClassVar = {
        2: (('endpoint",\n      "status": "in_progress"', 'endpoint",\n      "status": "completed"'),),
        3: (('"status": "unclaimed"', '"status": "completed"'),),
        4: (('status",\n      "status": "failed"', 'status",\n      "status": "completed"'),),
    }


class TestTaskList(OnFiles):
    file = "TODO.md"
    sample = (GOLDEN / "task-list.md").read_text(encoding="utf-8")
    ids = ("show-the-time", "CLK-2", "CLK-3", "say-it-aloud")
    changes: ClassVar = {
        2: (("- [ ] CLK-2", "- [x] CLK-2"), ("- [ ] to zero", "- [x] to zero")),
        3: (("* [ ] CLK-3", "* [x] CLK-3"),),
        4: (("- [ ] Say it", "- [x] Say it"),),
    }


def test_every_format_passes_the_suite() -> None:
    tried = {suite().file for suite in OnFiles.__subclasses__()}
    assert len(tried) >= len(FORMATS)
