"""A plan as a prd.json that its reader can edit and every tool that knows the format can read."""

import json
from collections.abc import Mapping
from typing import Any

from shiftwork.domain.model.spec import Spec, Story
from shiftwork.planning.remarks import Remark


def prd(spec: Spec, remarks: Mapping[str, tuple[Remark, ...]]) -> str:
    """What is doubtful about a story stands beside it as a comment; `shiftwork` leaves unknown keys alone."""
    document = {
        "_comment": "Edit what you like, then: shiftwork run THIS_FILE",
        "project": spec.title,
        "branchName": spec.branch,
        "description": spec.description,
        "technical_requirements": list(spec.requirements),
        "userStories": [_story(story, remarks.get(story.id, ())) for story in spec.stories],
    }
    kept = {key: value for key, value in document.items() if value or key == "branchName"}
    return json.dumps(kept, indent=2, ensure_ascii=False) + "\n"


def _story(story: Story, doubts: tuple[Remark, ...]) -> dict[str, Any]:
    told = {"_comment": [f"{remark.doubt}: {remark.text}" for remark in doubts]} if doubts else {}
    touched = {"touches": list(story.touches)} if story.touches else {}
    return {
        **told,
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "acceptanceCriteria": [criterion.text for criterion in story.criteria],
        "priority": story.priority,
        "dependsOn": list(story.depends_on),
        "complexity": story.complexity,
        **touched,
        "passes": False,
        "notes": "",
    }
