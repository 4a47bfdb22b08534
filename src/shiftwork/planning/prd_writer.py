"""Writes a plan as a prd.json that users can edit and other tools for the format can read."""

import json
from collections.abc import Mapping
from typing import Any

from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.named_gates import command_in
from shiftwork.domain.spec.spec import Spec, Story
from shiftwork.planning.remarks import Remark


def prd(spec: Spec, remarks: Mapping[str, tuple[Remark, ...]]) -> str:
    """Writes the warnings about a story as a comment, because `shiftwork` ignores unknown keys. A story that an agent
    planned keeps `planned`: until a person removes that key, its `touches` do not allow any test to change.
    """
    return json.dumps(prd_document(spec, remarks), indent=2, ensure_ascii=False) + "\n"


def prd_document(spec: Spec, remarks: Mapping[str, tuple[Remark, ...]]) -> dict[str, Any]:
    """The same as values."""
    document = {
        "_comment": "Edit what you like, then: shiftwork run THIS_FILE",
        "project": spec.project or spec.title,
        "feature": spec.title if spec.project else "",
        "branchName": spec.branch,
        "description": spec.description,
        "technical_requirements": list(spec.requirements),
        "non_goals": list(spec.non_goals),
        "quality_checks": {gate.name: gate.command for gate in spec.gates},
        "userStories": [_story(story, remarks.get(story.id, ())) for story in spec.stories],
    }
    return {key: value for key, value in document.items() if value or key == "branchName"}


def _story(story: Story, warnings: tuple[Remark, ...]) -> dict[str, Any]:
    values = {"_comment": [f"{remark.kind}: {remark.text}" for remark in warnings]} if warnings else {}
    touched = {"touches": list(story.touches)} if story.touches else {}
    named = {criterion.id for criterion in story.criteria if command_in(criterion.text)}
    steps = [step for step in story.verification if step.id not in named]
    checks = {"verification_steps": [_step(step) for step in steps]} if steps else {}
    verified = {step.id for step in steps}
    return {
        **values,
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
    """In the format of codetether, without empty values."""
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
