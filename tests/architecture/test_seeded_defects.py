"""The seeded defects fit the code as it is: a change that moves their place writes their patches again."""

import subprocess
from collections import Counter

import pytest

from tests.seeded_defects.defects import DEFECTS, FOLDER, NEAREST, Defect
from tests.seeded_defects.disposable_copy import ROOT


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.subject}/{defect.name}")
def test_a_defect_still_applies_and_says_what_a_user_would_lose(defect: Defect) -> None:
    text, _, patch = defect.patch.read_text(encoding="utf-8").partition("\n\n")
    assert text.endswith(".")
    assert patch.startswith("--- a/src/shiftwork/")
    checked = subprocess.run(
        ("git", "apply", "--check", str(defect.patch)), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not checked.returncode, f"{checked.stderr}write the patch again: the code in its place has changed"


def test_there_are_five_for_each_subject_and_no_others() -> None:
    assert Counter(defect.subject for defect in DEFECTS) == dict.fromkeys(NEAREST, 5)
    assert {defect.patch for defect in DEFECTS} == {*FOLDER.glob("*/*.patch")}


def test_the_tests_of_each_subject_exist() -> None:
    assert [path for paths in NEAREST.values() for path in paths if not (ROOT / path).exists()] == []
