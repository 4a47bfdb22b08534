"""A plan as a prd.json that its reader can edit and every tool that knows the format can read."""

import json
from collections.abc import Mapping
from typing import Any

from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.named_gates import command_in
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.planning.remarks import Remark


def prd(spec: Spec, remarks: Mapping[str, tuple[Remark, ...]]) -> str:
    """What is doubtful about a story stands beside it as a comment; `shiftwork` leaves unknown keys alone. A story
    that an agent has `planned` stays that: until a person takes the word out, its `touches` let no test change.
    """
    document = {
        "_comment": "Edit what you like, then: shiftwork run THIS_FILE",
        "project": spec.title,
        "branchName": spec.branch,
        "description": spec.description,
        "technical_requirements": list(spec.requirements),
        "quality_checks": {gate.name: gate.command for gate in spec.gates},
        "userStories": [_story(story, remarks.get(story.id, ())) for story in spec.stories],
    }
    kept = {key: value for key, value in document.items() if value or key == "branchName"}
    return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"


def _story(story: Story, doubts: tuple[Remark, ...]) -> dict[str, Any]:
    told = {"_comment": [f"{remark.doubt}: {remark.text}" for remark in doubts]} if doubts else {}
    touched = {"touches": list(story.touches)} if story.touches else {}
    named = {criterion.id for criterion in story.criteria if command_in(criterion.text)}
    steps = [step for step in story.verification if step.id not in named]
    checks = {"verification_steps": [_step(step) for step in steps]} if steps else {}
    verified = {step.id for step in steps}
    return {
        **told,
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "acceptanceCriteria": [criterion.text for criterion in story.criteria if criterion.id not in verified],
        "priority": story.priority,
        "dependsOn": list(story.depends_on),
        "complexity": story.complexity,
        **touched,
        **({"planned": True} if story.planned else {}),
        **checks,
        "passes": False,
        "notes": "",
    }


def _step(step: Verification) -> dict[str, Any]:
    """In the words of codetether, and without what is empty."""
    kinds: dict[VerificationKind, dict[str, Any]] = {
        VerificationKind.SHELL: {
            "command": step.command,
            "cwd": step.cwd,
            "expect_output_contains": list(step.contains),
            "expect_files_glob": list(step.files),
        },
        VerificationKind.FILE_EXISTS: {"path": step.path, "glob": step.glob},
        VerificationKind.URL: {
            "url": step.url,
            "method": step.method,
            "expect_status": step.status,
            "expect_body_contains": list(step.contains),
            "timeout_secs": int(step.seconds),
        },
    }
    named = {"type": step.kind.value, "name": step.name, **kinds[step.kind]}
    return {key: value for key, value in named.items() if value}
