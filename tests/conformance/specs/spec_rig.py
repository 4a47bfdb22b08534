"""Small spec files for tests: what is read from a text, or which mistakes are reported."""

import asyncio
import json
from pathlib import Path

import pytest

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.domain.spec.spec import Spec
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Sheet

GOLDEN = Path(__file__).parents[2] / "golden" / "specs"
A = {"id": "A", "title": "One"}
B = {"id": "B", "title": "Two"}


def read(path: Path) -> Sheet:
    return asyncio.run(FileSpecs(root=path.parent).read(path.name))


def of_text(folder: Path, name: str, text: str) -> Spec:
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name).spec


def mistakes(folder: Path, name: str, text: str) -> list[str]:
    with pytest.raises(SpecError) as exception_info:
        of_text(folder, name, text)
    lines = [line.strip() for line in exception_info.value.message.splitlines()]
    return lines if len(lines) == 1 else lines[1:]


def prd(*stories: object, **root: object) -> str:
    return json.dumps({"userStories": stories, **root}, indent=1)
