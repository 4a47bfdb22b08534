"""What to change where a test gate is blind."""

import pytest

from shiftwork.domain.canary.advice import remedies
from shiftwork.domain.canary.canary_verdict import GateSight, Sight


def blind(*files: str, passes_anyway: bool = False) -> GateSight:
    return GateSight(gate="unit", sight=Sight.BLIND, files=files, passes_anyway=passes_anyway)


@pytest.mark.parametrize(
    ("files", "advice"),
    [
        (("src/cart/a.py", "src/cart/b.py", "deploy.sh"), "imports the installed package instead of the tree"),
        (("src/a.ts",), "loads a built or installed copy"),
        (("src/lib.rs",), "runs a program that was built before"),
        (("deploy.sh",), "does not run these sources"),
        ((), "does not run these sources"),
    ],
)
def test_the_advice_is_about_the_language_of_most_files(files: tuple[str, ...], advice: str) -> None:
    first, last = remedies(blind(*files))
    assert advice in first
    assert last == 'or, if the gate need not prove anything, allow it: [gates] unit = { …, blind = "allow" }'


def test_a_gate_that_passes_anyway_ignores_failures() -> None:
    assert remedies(blind("a.py", passes_anyway=True))[0].startswith("the gate ignores failures")
